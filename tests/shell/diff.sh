# perf diff: takes perf.data.old and perf.data, separate times, and any two recordings
. "$PERF_SRC/tests/lib.sh"
need_record
for i in 1 2; do
	"$PERF" record -q -F 2000 -e cpu-clock:u -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
done
[ -f perf.data.old ] || fail "record keeps no perf.data.old"
expect_status 0 "$PERF" diff --stock -s comm
expect_text out " sh"
expect_status 0 "$PERF" diff --stock -s comm perf.data.old perf.data
expect_text out "Baseline"
"$PERF" diff --stock -q -s comm -p perf.data perf.data >out
awk '$2 != $4 || $3 != "+0.00%" { exit 1 }' out || fail "a recording differs from itself: $(cat out)"
expect_status 0 "$PERF" diff -D -q
expect_text out "PERF_RECORD_SAMPLE"
expect_status 1 "$PERF" diff -s nonsense
echo garbage >g.data
expect_status 1 "$PERF" diff perf.data g.data
expect_text err "g.data"
