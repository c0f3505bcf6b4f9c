# For the tests of call chains: after lib.sh, . "$PERF_SRC/tests/chains.sh"
# Makes ./prog, a program of tests/progs/stacks.c without frame pointers.
need_command cc
case $(uname -m) in x86_64 | aarch64) ;; *) skip "stacks of $(uname -m) are not unwound" ;; esac
program prog progs/stacks -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread

# share FILE PATTERN: per cent of the samples whose chain, from the outermost caller on, matches
share() {
	awk -v pattern="$2" '/^[0-9.]+%/ { all += $1; if ($0 ~ pattern) n += $1 } END { print all ? int(100 * n / all) : 0 }' "$1"
}

expect_share() { # FILE PATTERN LEAST
	[ "$(share "$1" "$2")" -ge "$3" ] && return
	# What a user may lock is for all of its recordings, and so for those of other tests.
	[ ! -s smaller ] || skip "too little locked memory is left for whole stack copies: $(head -n 1 smaller)"
	head -n 40 "$1"
	fail "$(share "$1" "$2")% of the chains of $1 are like '$2', expected $3%"
}

folded() { # FILE OPTION...
	file_=$1
	shift
	[ "$(id -u)" = 0 ] ||
		"$PERF" report --stack-stats -i "$file_" 2>err | grep ' [1-9][0-9]* from smaller stack copies' >>smaller || :
	"$PERF" report --stdio --no-made-up-names --percent-limit 0 -g folded,0.0,caller --no-children -i "$file_" "$@" 2>err
}

# expect_plain FILE...: the samples have plain chains, no copies of registers and stacks. Sets samples.
expect_plain() {
	samples=0
	for file_; do
		"$PERF" report -D -i "$file_" >dump 2>err || : # the last record of a killed recording may be a part
		if grep -q "ustack\|user regs" dump; then fail "stack copies in $file_"; fi
		samples=$((samples + $(grep -c PERF_RECORD_SAMPLE dump || :)))
	done
	size=$(du -skc "$@" | awk 'END { print 1024 * $1 }')
	[ "$samples" -gt 0 ] && [ "$size" -lt $((600 * samples + 200000)) ] || fail "$size bytes for $samples samples in $*"
}

# A stripped C library has no name for where threads begin.
outermost='^[0-9.]+% (_start|__clone|clone3|clone|thread_start|__GI___clone|0x[0-9a-f]+;0x[0-9a-f]+;thread)'
rest='recurses;recurses;.*aligns;allocates;saves_registers;leaf'
