# perf record as a user without privileges: what may be recorded is, what may not is explained
. "$PERF_SRC/tests/lib.sh"
need_record
nobody_id=$((57000 + $$ % 4000)) # locked memory is the user's: no other test may use it up
need_nobody
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
[ "$paranoid" -le 2 ] || skip "perf_event_paranoid is $paranoid: users may record nothing"

cat >"$dir/busy.sh" <<'S'
i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done
S

expect_status 0 nobody ./perf record -e cpu-clock -o n.data sh busy.sh
if [ "$paranoid" -ge 2 ]; then
	grep -Eq "kernel.perf_event_paranoid is $paranoid.*user space only" err || fail "the restriction is not named: $(cat err)"
	[ "$(grep -c paranoid err)" = 1 ] || fail "the restriction is named more than once: $(cat err)"
fi
expect_status 0 nobody ./perf report --stdio -i n.data
grep -Eq '% +sh ' out || fail "no samples of sh: $(cat out err)"
if [ "$paranoid" -ge 2 ]; then
	expect_text out "event 'cpu-clock:u'"
	if grep '%.*\[k\]' out; then fail "kernel samples although the kernel was left out"; fi
fi
expect_status 0 nobody ./perf record -e cpu-clock:u -o n.data sh busy.sh
if grep -q paranoid err; then fail "asked for :u, and still told: $(cat err)"; fi
# Larger rings than may be locked are made smaller; with -1 there is no limit.
expect_status 0 nobody sh -c 'ulimit -l 0 && exec ./perf record -m 16M -e cpu-clock:u -o n.data sh busy.sh'
[ "$paranoid" -lt 0 ] || [ "$(cat /proc/sys/kernel/perf_event_mlock_kb)" -gt 16384 ] || expect_text err "sysctl -w kernel.perf_event_mlock_kb="

# ---- not permitted ----
if [ "$paranoid" -ge 1 ]; then
	expect_status 1 nobody ./perf record -e cpu-clock -a -o a.data sleep 0.1
	expect_text err "perf_event_paranoid is $paranoid"
	expect_text err "sysctl -w kernel.perf_event_paranoid="
	[ ! -e "$dir/a.data" ] || fail "a file was written all the same"
fi
expect_status 1 nobody ./perf record -e cpu-clock -p 1 -o a.data sleep 0.1
expect_lines err 2
expect_text err "for process 1: it belongs to user id 0, and perf runs as $nobody_id"
# One's own process, but with a program that one may only execute
cp "$(command -v sleep)" "$dir/secret"
chmod 711 "$dir/secret"
nobody sh -c 'echo $$ >secret.pid; exec ./secret 1000' &
for i in $(seq 3000); do
	pid=$(cat "$dir/secret.pid" 2>/dev/null) && [ "$(cat "/proc/$pid/comm")" = secret ] && break
	sleep 0.1
done
expect_status 1 nobody ./perf record -e cpu-clock:u -p "$pid" -o a.data sleep 0.1
kill "$pid"
expect_text err "for process $pid: it has privileges, its program is unreadable"

# ---- tracepoints: their folder is root's, then paranoid forbids their data ----
if "$PERF" record -e sched:sched_switch -o t.data true >/dev/null 2>&1 && ! nobody ls /sys/kernel/tracing/events >/dev/null 2>&1; then
	expect_status 129 nobody ./perf record -e sched:sched_switch -o t.data true
	expect_text err "cannot find tracepoint 'sched:sched_switch': /sys/kernel/tracing cannot be read by this user"
	expect_text err "mount -o remount,mode=750,gid=GROUP /sys/kernel/tracing"
	[ "$paranoid" -lt 0 ] || expect_text err "sysctl -w kernel.perf_event_paranoid=-1"
	expect_status 1 nobody ./perf doctor -e sched:sched_switch
	expect_text out "cannot find tracepoint 'sched:sched_switch'"
fi
nobody ./perf doctor >out || :
if nobody ls /sys/kernel/tracing/events >/dev/null 2>&1; then
	grep -Eq '^ok +tracefs' out || fail "tracefs can be read: $(cat out)"
elif [ -d /sys/kernel/tracing/events ]; then
	grep -Eq '^limits +tracefs .*cannot be read by this user' out || fail "tracefs is root's: $(cat out)"
	grep -Eq '^  no   tracepoints.*\(tracefs\)' out || fail "tracepoints cannot be recorded: $(cat out)"
fi

# ---- breakpoints ----
# The names say what was left out, behind what they have already.
if ! nobody ./perf record -e mem:0x1000:w:u -o b.data true 2>/dev/null; then
	: # no breakpoints here
elif [ "$paranoid" -eq 2 ]; then
	for e in mem:0x1000 mem:0x1000/2 mem:0x1000:w mem:0x1000:w:p cpu-clock cpu-clock:p; do
		expect_status 0 nobody ./perf record -e "$e" -o b.data true
		nobody ./perf report --header-only -i b.data >out
		case $e in
		*:p) want=${e}u ;;
		*) want=$e:u ;;
		esac
		expect_text out "name = $want,"
	done
	expect_status 1 nobody ./perf record -e mem:0xffffffff81000000:w -o b.data true
	expect_text err "a breakpoint in the kernel needs CAP_SYS_ADMIN"
fi

# ---- what happens in the kernel only: empty recordings are no answer ----
if [ "$paranoid" -eq 2 ]; then
	for e in cs cpu-migrations cpu-clock:u,context-switches; do
		expect_status 1 nobody ./perf record -e "$e" -o b.data true
		expect_lines err 2
		expect_text err "cannot open '${e#*,}' (Permission denied): kernel.perf_event_paranoid is 2"
		expect_text err "sysctl -w kernel.perf_event_paranoid=1"
	done
fi

# ---- not writable ----
mkdir "$dir/closed"
echo precious >"$dir/closed/perf.data"
expect_status 1 nobody ./perf record -e cpu-clock:u -o closed/new.data true
expect_text err "cannot write 'closed/new.data': Permission denied"
got=0
nobody ./perf record -e cpu-clock:u -o closed/perf.data true >out 2>err || got=$?
[ $got = 1 ] || fail "status $got for a file of root's"
expect_line "$dir/closed/perf.data" precious

# ---- a limit on files that only root could raise ----
events=cpu-clock:u
for i in $(seq 70); do events=$events,page-faults:u; done
expect_status 1 sh -c 'ulimit -n 64 && exec "$PERF" record -a -e "$1" -o n.data true' sh "$events"
expect_lines err 2
expect_text err "descriptors, and RLIMIT_NOFILE is at most 64"
grep -q '^ulimit -n [0-9]* (above the hard limit of 64 only as root)' err || fail "no advice: $(cat err)"
expect_status 1 nobody sh -c 'ulimit -n 8 && exec ./perf record -e cpu-clock:u,task-clock:u,page-faults:u -o n.data true'
expect_lines err 2
expect_text err "RLIMIT_NOFILE"
exit 0
