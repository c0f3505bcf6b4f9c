# perf report --unwinder: libunwind finds the same chains
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
"$PERF" version --build-options | grep -q 'libunwind:.*on' || skip "built without libunwind"
cc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread -o prog "$PERF_SRC/tests/progs/stacks.c"
expect_status 0 "$PERF" record -e cpu-clock:u -F 2000 --call-graph dwarf -o a.data ./prog 100

for unwinder in own libunwind; do
	"$PERF" report --stdio --percent-limit 0 -g folded,0.0,caller --no-children --unwinder "$unwinder" -i a.data 2>err >out
	grep -v '^# ' out >"$unwinder"
done
for chain in 'main;interrupted;.*handler;leaf' 'thread;recurses;.*leaf' 'compares;recurses;.*leaf'; do
	grep -q "$chain" own || fail "no chain $chain: $(cat own)"
done
# Where there is no call frame information both have to guess: such chains are left out.
differing=$(diff own libunwind | awk '/^[<>]/ { n += $2 } END { print int(n) }')
[ "$differing" -lt 2 ] || { diff own libunwind; fail "$differing% of the samples have other chains"; }
expect_status 129 "$PERF" report --unwinder nobody -i a.data
expect_text err "'nobody' is no unwinder: own or libunwind"
