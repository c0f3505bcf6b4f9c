# perf export --format symbol-order: the order of functions of a program whose branches and samples are known exactly
# make check-pgo has a linker place functions by such a file.
. "$PERF_SRC/tests/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "branches are stepped on x86-64 only"
need_command python3
$CC -nostdlib -static -no-pie -Wl,--build-id -o known "$PERF_SRC/tests/pgo/progs/known.s" "$PERF_SRC/tests/pgo/progs/known2.s"

branches() { # FILE <SAMPLES
	python3 "$PERF_SRC/tests/progs/branch_stacks.py" "$1" known
}
order() { # WANT OPTION...: the functions, in a line
	order_=$1
	shift
	expect_status 0 "$PERF" export --format symbol-order "$@"
	got_=$(tr '\n' ' ' <out)
	[ "$got_" = "$order_ " ] || fail "the order is '$got_', not '$order_': $*"
}

# ---- a function is after its most frequent caller, busy ones are first, and two of one name are one line ----
branches calls.data <<'S'
100 1000 0x401032 0x401032>outer+13:1 outer+8>0x401030:1 _start+5>outer+0:1
3 1000 0x40105a 0x40105a>far+5:1 far+0>0x401059:1 other+0>far+0:1
1 1000 0x401030 far+0>0x401030:1
S
order "_start outer leaf other far" -i calls.data

# ---- functions that began to run in the first milliseconds are first, in that order ----
branches start.data <<'S'
1500 1000 other+0 _start+14>other+0:1
1500 1000 0x401030 outer+8>0x401030:1 _start+5>outer+0:1 _start+12>_start+5:1
S
order "_start outer leaf other" -i start.data
order "_start other outer leaf" -i start.data --startup-first 1
expect_status 0 "$PERF" export -i start.data -o prof.order
"$PERF" export -i start.data --format symbol-order >plain 2>err
cmp plain prof.order
