# The recordings of step_branches are true: objdump, stock perf and perf2bolt count what its truth says
. "$PERF_SRC/tests/pgo/lib.sh"
need_command objdump nm python3
need_stepper
truth() {
	python3 "$PERF_SRC/tests/pgo/truth.py" "$@" >out || fail "$*: $(cat out)"
}
$CC -O2 -g -o rounds "$PERF_SRC/tests/pgo/progs/rounds.c"
$CC -O2 -g -static -no-pie -o static "$PERF_SRC/tests/pgo/progs/rounds.c"

expect_status 0 "$stepper" -m -t truth ./rounds 100
truth code truth
figure "objdump has the same $(cat out) instructions, as often"
[ "$(awk '$1 == "branch" && $6 != $7' truth)" = "" ] || fail "stacks of 32 at every 32nd branch do not have each branch once"
expect_status 0 "$stepper" -n 31 -o every31.data -t every31 ./rounds 100
awk '$1 == "range" && $5 != $6 { nr += $5 - $6 } END { exit nr > 1 }' every31 || fail "stacks at every 31st branch lack ranges"
expect_status 0 "$stepper" -t bursts -b 1000 -o bursts.data ./rounds 10000000
truth code bursts
[ "$(awk '$1 == "branch" && $6 != $7' bursts)" = "" ] || fail "stacks of -b do not have each branch that was stepped"
[ "$(awk 'NR == 1 { print $6 }' bursts)" -ge 10 ] || fail "$(head -n 1 bursts)"
$CC -O1 -o signals "$PERF_SRC/tests/pgo/progs/signals.c"
expect_status 0 "$stepper" -t signals.truth -o signals.data ./signals
truth code signals.truth
[ "$(awk '$1 == "branch" && $6 != $7' signals.truth)" = "" ] || fail "branches around a signal are not in stacks"

if command -v perf >/dev/null; then
	expect_status 0 "$stepper" -m -o static.data -t static.truth ./static 100
	for perf in perf "$PERF"; do
		expect_status 0 "$perf" script -i static.data -F brstack
		expect_empty err
		cp out brstack
		truth brstack static.truth brstack
		figure "$(basename "$(dirname "$(command -v "$perf")")")/perf: the same $(cat out) branches"
		expect_status 0 "$perf" report -i static.data -D
	done
fi
bolt=$(llvm_program perf2bolt)
if [ "$bolt" ]; then
	"$bolt" -p perf.data -o fdata rounds >out 2>&1 || fail "perf2bolt: $(cat out)"
	truth fdata truth fdata
	figure "perf2bolt: the same $(cat out) branches"
fi
