# perf stat -p and -t with a command: the process is counted while the command runs, not the command; the end of the process
. "$PERF_SRC/tests/lib.sh"
program load progs/stat_load -O1 -no-pie
"$PERF" stat -x, -e page-faults:u true 2>probe || skip "cannot count here: $(head -n 1 probe)"

# A process that sleeps has no numbers, whatever the command does.
sleep 600 &
sleeper=$!
trap 'kill $sleeper 2>/dev/null || :' EXIT
until [ "$(cat /proc/$sleeper/comm)" = sleep ] && grep -q '^State:.S' /proc/$sleeper/status; do sleep 0.1; done
sleep 0.5 # it is in nanosleep now
for o in -p -t; do
	expect_status 0 "$PERF" stat -x, -e page-faults:u $o $sleeper ./load writes 10
	expect_line err '<not counted>,,page-faults:u,0,100.00,,'
	expect_status 3 "$PERF" stat -x, -e page-faults:u $o $sleeper sh -c 'exit 3'
done
"$PERF" stat -e page-faults:u -p $sleeper true 2>err
expect_text err "for process id '$sleeper':"

# A process that works has some.
sh -c 'while :; do ./load writes 10; echo >>rounds; done' &
worker=$!
trap 'kill $sleeper $worker 2>/dev/null || :' EXIT
until [ -s rounds ]; do sleep 0.1; done
expect_status 0 "$PERF" stat -x, -e page-faults:u -p $worker \
	sh -c 'n=$(wc -l <rounds); until [ "$(wc -l <rounds)" -gt $((n + 5)) ]; do sleep 0.1; done'
grep -Eq '^[1-9][0-9]*,,page-faults:u,' err || fail "no numbers of a process that works: $(cat err)"

# Without a command, perf ends with the process.
kill $worker
sh -c 'sleep 1' &
short=$!
expect_status 0 "$PERF" stat -x, -e page-faults:u -p $short
expect_lines err 1
