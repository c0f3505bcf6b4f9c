# perf diff: sides that were sampled in different ways; what samples cost is no slow-down
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
program prog progs/stacks -O2 -g -pthread
for i in 1 2; do
	"$PERF" record -q -e cpu-clock:u -F 500 -o slow.$i ./prog 40
	"$PERF" record -q -e cpu-clock:u -F 4000 -o fast.$i ./prog 40
done

expect_status 0 "$PERF" diff slow.1 slow.2 -- fast.1 fast.2
expect_text err "the sides were sampled differently (-F 500 and -F 4000), which costs time"
expect_text err "of the total of the new side"
expect_status 0 "$PERF" diff slow.1 -- slow.2
! grep "sampled differently" err || fail "sides that were sampled alike"
expect_status 0 "$PERF" diff --json slow.1 slow.2 -- fast.1 fast.2
python3 - <<'PY'
import json
total = json.load(open("out"))["total"]
assert total["sampling_differs"] == "-F 500 and -F 4000", total
assert total["sampling_old"] == 0 and abs(total["sampling_new"] - 3500 * 50e-6) < 1e-6, total
assert total["verdict"] in ("cannot tell", "slower", "faster"), total
PY
