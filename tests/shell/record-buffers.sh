# perf record --no-buffering, --mmap-flush, -r, --affinity: when, with what priority and where buffers are emptied
. "$PERF_SRC/tests/lib.sh"
need_record
spin='i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'

rounds() { # FILE
	"$PERF" report --stats -i "$1" 2>/dev/null | sed -n 's/^ *FINISHED_ROUND events: *\([0-9]*\).*/\1/p'
}

# ---- for each sample; and not for so few ----
expect_status 0 "$PERF" record -F 1000 -e cpu-clock -o a.data sh -c "$spin"
few=$(rounds a.data)
expect_status 0 "$PERF" record -F 1000 -e cpu-clock --no-buffering -o b.data sh -c "$spin"
each=$(rounds b.data)
[ "$each" -gt $((few + 20)) ] || fail "$each rounds with --no-buffering, $few without"
expect_status 0 "$PERF" record -F 1000 -e cpu-clock --no-buffering --mmap-flush 64K -o c.data sh -c "$spin"
flush=$(rounds c.data)
[ "$flush" -lt $((each / 2)) ] || fail "$flush rounds with --mmap-flush, $each without"
expect_status 129 "$PERF" record --mmap-flush x -o n.data true
expect_text err "'x' is not a size such as 64K"

# ---- where: on one processor, as a part of the system; the command anywhere ----
cat >look.sh <<'S'
cpus() { sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$1"; }
i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done
sleep 0.7
echo "recorder $(cpus "/proc/$PPID/status")"
echo "command $(cpus /proc/$$/status)"
S
all=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/$$/status)
expect_status 0 "$PERF" record -e cpu-clock --affinity=cpu -o a.data sh look.sh
expect_line out "command $all"
grep -qxE 'recorder [0-9]+' out || fail "not on one processor: $(cat out)"
expect_status 0 "$PERF" record -e cpu-clock --affinity=node -o a.data sh look.sh
expect_line out "command $all"
expect_status 0 "$PERF" record -e cpu-clock --affinity=sys -o a.data sh look.sh
expect_line out "recorder $all"
expect_status 129 "$PERF" record --affinity=here -o n.data true
expect_text err "unknown affinity mode 'here'"

# ---- with what priority ----
expect_status 1 "$PERF" record -r 200 -e cpu-clock -o n.data touch ran
expect_text err "real-time priority 200 (-r)"
[ ! -e ran ] || fail "the command ran"
chrt -f 1 true 2>/dev/null || skip "no right to real-time priority here"
expect_status 0 "$PERF" record -r 7 -g -e cpu-clock -o a.data sh -c '
	sleep 0.5; for t in /proc/$PPID/task/*; do cut -d " " -f 40,41 "$t/stat"; done; echo "command $(cut -d " " -f 40,41 /proc/$$/stat)"'
[ "$(head -n 1 out)" = "7 1" ] || fail "not SCHED_FIFO 7: $(cat out)" # see man 5 proc: rt_priority, policy
[ "$(grep -c '^0 0$' out)" = 2 ] || fail "the threads that unwind and write are not ordinary ones: $(cat out)"
expect_line out "command 0 0"
[ "$(id -u)" = 0 ] || exit 0
need_nobody
expect_status 1 nobody sh -c 'ulimit -r 0 2>/dev/null; exec ./perf record -r 7 -e cpu-clock:u -o n.data true'
expect_text err "it takes CAP_SYS_NICE"
