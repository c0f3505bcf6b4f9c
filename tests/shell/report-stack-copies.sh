# perf record --call-graph dwarf, perf report: chains of programs without frame pointers
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
case $(uname -m) in x86_64 | aarch64) ;; *) skip "stack copies of $(uname -m) are not unwound" ;; esac

program prog progs/stacks -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread

expect_status 0 "$PERF" record -e cpu-clock:u -F 2000 --call-graph dwarf -o a.data ./prog
"$PERF" report --stdio --no-made-up-names --percent-limit 0 -g folded,0.0,caller --no-children -i a.data >folded 2>err

# share PATTERN: per cent of the samples whose chain, from the outermost caller on, matches
share() {
	awk -v pattern="$1" '/^[0-9.]+%/ { all += $1; if ($0 ~ pattern) n += $1 } END { print all ? int(100 * n / all) : 0 }' folded
}

expect_share() { # PATTERN LEAST
	[ "$(share "$1")" -ge "$2" ] && return
	head -n 40 folded
	fail "$(share "$1")% of the chains are like '$1', expected $2%"
}

[ -s folded ] || fail "no folded chains"
rest='recurses;recurses;.*aligns;allocates;saves_registers;leaf'
expect_share "main;.*qsort.*;compares;$rest" 20
expect_share "thread;$rest" 20
# through the frame of the signal: the handler's caller is what was interrupted
expect_share 'main;interrupted;[^;]*;handler;leaf|main;interrupted;handler;leaf' 20
# all chains begin where threads begin
expect_share '^[0-9.]+% (_start|__clone|clone3|clone|__GI___clone|0x[0-9a-f]+;0x[0-9a-f]+;thread)' 97

# The same with any number of threads.
"$PERF" report --stdio --threads 1 -i a.data >one 2>err
"$PERF" report --stdio --threads 7 -i a.data >many 2>err
cmp one many

# Small copies are cut off, not made up: what there is ends in leaf or above.
expect_status 0 "$PERF" record -e cpu-clock:u -F 2000 --call-graph dwarf,512 -o b.data ./prog
"$PERF" report --stdio --no-made-up-names --percent-limit 0 -g folded,0.0,caller --no-children -i b.data >folded 2>err
[ "$(share '^[0-9.]+% (_start|__clone|clone3|clone|__GI___clone|0x[0-9a-f]+;0x[0-9a-f]+;thread)')" -lt 90 ] || fail "complete chains from 512 bytes"
expect_share '(allocates;)?saves_registers;leaf' 30

for size in 0 -1 65536 x 8x; do
	expect_status 129 "$PERF" record --call-graph "dwarf,$size" -o c.data true
	expect_text err "is not a size of stack copies: 8 to 65528 bytes"
	[ ! -e c.data ] || fail "a file was written"
done
