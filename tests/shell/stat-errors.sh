# perf stat: mistakes get one line and a status; signals, the end of the command, full disks and users without rights
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
program load progs/stat_load -O1 -no-pie
events=task-clock:u,page-faults:u
"$PERF" stat -x, -e $events true 2>probe || skip "cannot count here: $(head -n 1 probe)"

# ---- mistakes: status, what the line has, options ----
wrong() { # STATUS TEXT WORD...
	status=$1 text=$2
	shift 2
	rm -f ran
	expect_status "$status" "$PERF" stat "$@"
	expect_empty out
	[ ! -e ran ] || fail "the command was run: perf stat $*"
	head -n 1 err >first
	expect_text first 'perf: error: '
	expect_text first "$text"
	! grep -q 'counter stats' err || fail "there is a table: perf stat $*"
}

wrong 127 "'nosuchprogram': command not found" -e $events nosuchprogram
wrong 127 "'./nosuchprogram'" -e $events ./nosuchprogram
: >plain
chmod 644 plain
wrong 126 "'./plain'" -e $events ./plain
wrong 129 "unknown event 'nosuchevent'" -e nosuchevent touch ran
wrong 129 '-x and -j' -x, -j touch ran
wrong 129 '-B' -x, -B touch ran
wrong 129 '-a or -C' -A -e $events touch ran
wrong 129 '-a or -C' --per-core -e $events touch ran
wrong 129 '-a or -C' -e $events -G / touch ran
wrong 129 '--per-thread' --per-thread -e $events touch ran
wrong 129 '--timeout with -I' --timeout 100 -I 100 touch ran
wrong 129 '--timeout' --timeout 1 touch ran
wrong 129 "--timeout'" --timeout x touch ran
wrong 129 '--interval-count needs -I' --interval-count 1 touch ran
wrong 129 '--interval-clear needs -I' --interval-clear touch ran
wrong 129 '--table needs -r' --table touch ran
wrong 129 '-r needs a command' -r 2 -a
wrong 129 '--append needs -o' --append touch ran
wrong 129 '-o and --log-fd' --log-fd 1 -o file touch ran
wrong 129 "'-D'" -D x touch ran
wrong 129 "'-D'" -D -2 touch ran
wrong 129 'L2' --per-cache=x -a touch ran
wrong 129 'record' -e mem:written:w touch ran
wrong 1 '--log-fd 9: not an open descriptor' --log-fd 9 -e $events touch ran
wrong 1 "'nowhere/file'" -o nowhere/file -e $events touch ran
for o in '-M IPC' --topdown '--td-level 1' -T --smi-cost '--cputype core' '--pmu-filter cpu' --percore-show-thread --iostat \
	--record-tpebs '--tpebs-mode mean' --bpf-counters; do
	# shellcheck disable=SC2086
	wrong 129 "${o%% *}'" $o touch ran
done
wrong 1 'no such process: 4194304' -p 4194304 -e $events
[ ! -e file ] || fail "an output was made for a wrong command line"

# --pre that fails ends it before the command; --post after it
wrong 1 'before the run failed: false' --pre false -e $events touch ran
expect_status 1 "$PERF" stat --post false -e $events touch ran
[ -e ran ] || fail "--post was run in place of the command"

# ---- the status is the command's ----
for n in 0 1 3 255; do
	expect_status $n "$PERF" stat -e $events sh -c "exit $n"
	expect_text err 'seconds time elapsed'
done
expect_status 137 "$PERF" stat -e $events sh -c 'kill -9 $$'
expect_text err 'seconds time elapsed'
expect_status 3 "$PERF" stat -r 2 -e $events sh -c 'exit 3'
expect_text err '(2 runs)'
expect_status 0 "$PERF" stat --timeout 50 -e $events sleep 1000
expect_text err 'seconds time elapsed'
expect_status 0 "$PERF" stat -I 20 --interval-count 2 -x, -e $events sleep 1000
expect_lines err 4

# What the command prints is not mixed up with the table
expect_status 0 "$PERF" stat -x, -e $events sh -c 'echo to stdout; echo to stderr >&2'
expect_line out 'to stdout'
expect_line err 'to stderr'
expect_lines err 3

# ---- signals: the counts are printed, and perf dies of the signal ----
mkfifo started
for s in INT TERM; do
	rm -f err status
	(
		got=0
		# a shell without job control ignores SIGINT of what it starts in the background
		env --default-signal=INT "$PERF" stat -e $events sh -c 'echo >started; exec sleep 1000' 2>err || got=$?
		echo $got >status
	) 2>/dev/null &
	shell=$!
	cat started >/dev/null
	await pgrep -P "$shell" >perf_pid || fail "perf did not start"
	kill -$s "$(head -n 1 perf_pid)"
	wait $shell || :
	expect_line status "$((128 + $(kill -l $s 2>/dev/null || [ $s = INT ] && echo 2 || echo 15)))"
	expect_text err 'page-faults:u'
	expect_text err 'seconds time elapsed'
done

# ---- --control ----
mkfifo ctl ack
exec 5<>ctl 6<>ack
answer() { # COMMAND
	echo "$1" >&5
	timeout 60 head -c 5 <&6 | tr -d '\0' | grep -qx ack || fail "no answer to $1"
}
"$PERF" stat -x, -e task-clock:u,duration_time -D -1 --control fd:5,6 sh -c 'while :; do :; done' >out 2>err &
perf=$!
answer ping
answer ping
answer stop
wait $perf || fail "status $? after stop"
grep -q '<not counted>,msec,task-clock:u' err || fail "events counted before they were enabled: $(cat err)"
"$PERF" stat -x, -e task-clock:u -D -1 --control fd:5,6 sh -c 'while :; do :; done' >out 2>err &
perf=$!
answer enable
sleep 0.05
answer disable
answer stop
wait $perf || fail "status $? after stop"
grep -q '^[0-9.]*,msec,task-clock:u' err || fail "events were not enabled: $(cat err)"
exec 5>&- 6>&-
wrong 1 'ctl2' --control fifo:ctl2 -e $events touch ran

# ---- outputs ----
if [ -c /dev/full ]; then
	status=0
	"$PERF" stat -o /dev/full -e $events true >out 2>err || status=$?
	[ $status != 0 ] || fail "a full disk was not noticed"
	expect_text err 'No space left on device'
fi
mkdir readonly
chmod 555 readonly

# ---- a user ----
if [ "$(id -u)" != 0 ]; then
	wrong 1 "'readonly/file'" -o readonly/file -e $events touch ran
	exit 0
fi
need_nobody
mkdir "$dir/readonly"
# What the user may count depends on kernel.perf_event_paranoid: with a number for the event in user space, or a line why not.
status=0
nobody ./perf stat -x, -e page-faults,task-clock true >out 2>err || status=$?
case $status in
0)
	grep -qE '^[0-9]+,,page-faults(:u)?,' err || fail "$(cat err)"
	grep -qE '^[0-9.]+,msec,task-clock(:u)?,' err || fail "$(cat err)"
	;;
1) expect_text err 'perf_event_paranoid' ;;
*) fail "status $status: $(cat err)" ;;
esac
status=0
nobody ./perf stat -x, -a -e cpu-clock true >out 2>err || status=$?
case $status in
0) grep -qE '^[0-9.]+,msec,cpu-clock' err || fail "$(cat err)" ;;
1) expect_text err 'perf: error: ' ;;
*) fail "status $status: $(cat err)" ;;
esac
status=0
nobody ./perf stat -o readonly/file true >out 2>err || status=$?
[ $status = 1 ] || fail "status $status: $(cat err)"
expect_text err "'readonly/file'"
