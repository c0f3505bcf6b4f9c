# perf agent: a spool that others may write is refused; what a full disk dropped is told later
. "$PERF_SRC/tests/lib.sh"
need_record
need_command python3 cc
"$PERF" version --build-options | grep -q 'curl: \[ on' || skip "perf was built without libcurl"
unset http_proxy HTTP_PROXY PERF_PUSH_TOKEN STATE_DIRECTORY
agent='' receiver='' load=''
trap 'kill $agent $receiver $load 2>/dev/null || :; umount disk 2>/dev/null || :' EXIT

try() { # FOLDER: ends at once, since the folder is refused
	expect_status 1 timeout 600 "$PERF" agent --otlp http://127.0.0.1:1 --spool "$1" -u "$(id -u)" -e cpu-clock:u
}
mkdir open shared
chmod 777 open
chmod 770 shared
for folder in open shared; do
	try $folder
	expect_text err "perf: error: others may write into '$folder'"
	expect_text err "chmod 700 $folder"
done
[ -z "$(ls -A open)" ] || fail "something was written: $(ls open)"
ln -s /nowhere dangling
try dangling
: >file
try file
if [ "$(id -u)" = 0 ]; then
	mkdir -m 755 theirs mine
	chown 65534 theirs
	ln -s mine link
	chown -h 65534 link
	for folder in theirs link; do
		try $folder
		expect_text err "perf: error: '$folder' belongs to user id 65534"
	done
fi

# The number of dropped slices is kept also while there is no room to write it.
[ "$(id -u)" = 0 ] || skip "only root can make a small disk"
mkdir disk got
mount -t tmpfs -o size=2m none disk 2>/dev/null || skip "cannot mount a small disk"
program prog progs/tour -O1 -g -pthread -DROUNDS=8
(while :; do ./prog >/dev/null 2>&1; sleep 0.2; done) &
load=$!
python3 "$PERF_SRC/tests/progs/receiver.py" got 200 &
receiver=$!
wait_for() { # until a command succeeds
	for _ in $(seq 3000); do
		! "$@" || return 0
		[ -z "$agent" ] || kill -0 $agent || fail "the agent has ended: $(cat agent.log)"
		sleep 0.1
	done
	fail "waited for: $*; $(cat figures agent.log)"
}
dropped() { sed -n 's/^perf_agent_slices_dropped_total //p' figures 2>/dev/null | grep . || echo 0; }
two_are_dropped() { [ "$(dropped)" -ge 2 ]; }
is_told() { grep -q dropped_slices got/*.body 2>/dev/null; }
wait_for test -f got/port
mkdir -m 700 disk/spool
: >disk/spool/lock
cat /dev/zero >disk/filler 2>/dev/null || :
"$PERF" agent --otlp "http://127.0.0.1:$(cat got/port)" --spool disk/spool --figures figures -u 0 -e cpu-clock:u -F 200 \
	--interval 1 >agent.log 2>&1 &
agent=$!
wait_for two_are_dropped
rm disk/filler
wait_for is_told
kill -TERM $agent
wait $agent || fail "exit status $?: $(cat agent.log)"
agent=
