# perf record: signals end it cleanly, and a killed recorder leaves a file that can be read
. "$PERF_SRC/tests/lib.sh"
need_record

spin='while :; do :; done'

# wait_file FILE: until something was written
wait_file() {
	i=0
	while [ ! -s "$1" ]; do
		i=$((i + 1))
		[ $i -lt 3000 ] || fail "nothing was written to $1"
		sleep 0.1
	done
}

gone() { # pid: whether nothing runs under it (any more)
	! kill -0 "$1" 2>/dev/null || grep -q '^State:.[ZX]' "/proc/$1/status" 2>/dev/null
}

# ---- INT, TERM, HUP ----
for s in INT TERM HUP; do
	rm -f s.data pid
	"$PERF" record -e cpu-clock -o s.data sh -c "echo \$\$ >pid; $spin" >out 2>err &
	recorder=$!
	wait_file pid
	sleep 0.3
	kill -$s $recorder
	got=0
	wait $recorder || got=$?
	[ $got -gt 128 ] || fail "status $got after SIG$s: $(cat err)"
	expect_text err "Captured and wrote"
	gone "$(cat pid)" || fail "the command still runs after SIG$s"
	expect_status 0 "$PERF" report --stdio -i s.data
	expect_empty err
	expect_text out "event 'cpu-clock"
done

# ---- a command that takes its time to end is waited for ----
rm -f s.data ended
"$PERF" record -e cpu-clock -o s.data sh -c "trap 'sleep 0.5; : >ended; exit 5' TERM; echo >ready; $spin" >out 2>err &
recorder=$!
wait_file ready
kill -TERM $recorder
wait $recorder || :
[ -e ended ] || fail "the recorder did not wait for its command"

# ---- nohup ----
rm -f s.data
(trap '' HUP && exec "$PERF" record -e cpu-clock -o s.data sh -c 'echo >running; while [ ! -e stop ]; do :; done') >out 2>err &
recorder=$!
wait_file running
kill -HUP $recorder
sleep 0.3
: >stop
wait $recorder || fail "a SIGHUP that is ignored ended the recording"
expect_text err "Captured and wrote"

# ---- a parent that ignores SIGCHLD ----
got=0
(trap '' CHLD && exec timeout 600 "$PERF" record -o c.data sh -c 'exit 4') >out 2>err || got=$?
[ $got = 4 ] || fail "status $got where SIGCHLD is ignored: $(cat err)"

# ---- kill -9 ----
rm -f k.data pid
"$PERF" record -e cpu-clock -F 1000 -o k.data sh -c "echo \$\$ >pid; $spin" >out 2>err &
recorder=$!
wait_file pid
sleep 1
kill -KILL $recorder
wait $recorder || :
kill "$(cat pid)" 2>/dev/null || :
expect_status 0 "$PERF" report --stdio -i k.data
grep -Eq '^# Samples: [0-9]' out || fail "no samples of the killed recorder: $(cat out err)"

# The same with the data size never brought up to date.
printf '\0\0\0\0\0\0\0\0' | dd of=k.data bs=1 seek=48 conv=notrunc 2>/dev/null
"$PERF" report --stdio -i k.data >out 2>err || :
grep -Eq '^# Samples: [0-9]' out || fail "no samples with a data size of 0: $(cat out err)"
