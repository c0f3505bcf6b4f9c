# perf record empties its rings before all ordinary threads run; what it records and its own other threads are as they were
. "$PERF_SRC/tests/lib.sh"
need_record

# look.sh N: policy (2: SCHED_RR) and nice value of each thread, as soon as N are in real time; names have no blanks.
cat >look.sh <<'S'
in_real_time() { for t in /proc/$PPID/task/*; do cut -d ' ' -f 41 "$t/stat"; done | grep -c -x 2; }
tries=0
while [ "$(in_real_time)" -lt "$1" ] && [ $tries -lt 50 ]; do tries=$((tries + 1)); sleep 0.1; done
for t in /proc/$PPID/task/*; do cut -d ' ' -f 19,41 "$t/stat"; done
echo "workload $(cut -d ' ' -f 19,41 /proc/$$/stat)"
S
nice_=$(cut -d ' ' -f 19 /proc/$$/stat)

# Who may not, records all the same.
if ! chrt -r 1 true 2>/dev/null; then
	expect_status 0 "$PERF" record -g -e cpu-clock:u -o a.data true
	skip "no right to real-time priority here"
fi
expect_status 0 "$PERF" record -g -e cpu-clock:u -o a.data sh look.sh 1
expect_line out "-20 0" # the thread that unwinds
[ "$(head -n 1 out)" = "-20 2" ] || fail "the recorder is not in real time: $(cat out)"
expect_line out "workload $nice_ 0"

# Of several threads, those that empty the rings; one that compresses does not wait most of the time.
lanes=$(getconf _NPROCESSORS_ONLN)
expect_status 0 "$PERF" record --threads -e cpu-clock:u -o d sh look.sh $((1 + lanes))
[ "$(grep -c -x -e '-20 2' out)" = $((1 + lanes)) ] || fail "not all threads are in real time: $(cat out)"
if "$PERF" record -z -e cpu-clock:u -o z.data true 2>/dev/null; then
	expect_status 0 "$PERF" record -z --threads -e cpu-clock:u -o d sh look.sh 1
	[ "$(grep -c -x -e '-20 2' out)" = 1 ] || fail "what compresses is in real time: $(cat out)"
fi

# A policy that was chosen for it is left alone.
expect_status 0 timeout 600 chrt -b 0 "$PERF" record -e cpu-clock:u -o a.data sh -c 'sleep 0.3; cut -d " " -f 41 /proc/$PPID/stat'
expect_line out 3
