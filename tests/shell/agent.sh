# perf agent: slices reach the server; they wait while it is away, in bounded room; what is dropped is counted and told; kill -9
. "$PERF_SRC/tests/lib.sh"
need_record
need_command python3 cc
"$PERF" version --build-options | grep -q 'curl: \[ on' || skip "perf was built without libcurl"
unset http_proxy HTTP_PROXY PERF_PUSH_TOKEN STATE_DIRECTORY
program prog progs/tour -O1 -g -pthread -DROUNDS=8
mkdir got
python3 "$PERF_SRC/tests/progs/receiver.py" got 200 &
receiver=$!
agent='' load=''
trap 'kill $receiver $agent $load 2>/dev/null || :' EXIT
(while :; do ./prog >/dev/null 2>&1; sleep 0.2; done) &
load=$!
for _ in $(seq 3000); do
	[ ! -f got/port ] || break
	sleep 0.1
done
url=http://127.0.0.1:$(cat got/port)
away=http://127.0.0.1:1

start() { # URL [OPTION...]
	rm -f figures
	to=$1
	shift
	"$PERF" agent --otlp "$to" --spool spool --figures figures -u "$(id -u)" -e cpu-clock:u -F 200 --interval 1 "$@" >agent.log 2>&1 &
	agent=$!
}
figure() { sed -n "s/^perf_agent_$1 //p" figures 2>/dev/null; }
waiting() { find spool -name '*.slice' | wc -l; }
wait_for() { # until a command succeeds
	for _ in $(seq 3000); do
		! "$@" || return 0
		kill -0 $agent 2>/dev/null || fail "the agent has ended: $(cat agent.log)"
		sleep 0.1
	done
	fail "waited for: $*; $(cat figures agent.log)"
}
has_names() { "$PERF" report --header-only -i "$1" | grep -q 'embedded names'; } # SLICE
at_least() { [ "$(figure "$1" | grep . || echo 0)" -ge "$2" ]; } # NAME N
adds_up() { # BEFORE: slices that waited at the start
	[ $(($(figure slices_made_total) + $1)) = $(($(figure slices_sent_total) + $(figure slices_dropped_total) + $(waiting))) ] ||
		fail "slices do not add up with $1 before and $(waiting) waiting: $(cat figures)"
}
stop() {
	kill -TERM $agent
	wait $agent || fail "exit status $?: $(cat agent.log)"
}

# A server that is there gets all slices, with names; nothing stays.
start "$url"
wait_for at_least slices_sent_total 3
behind=$(waiting) # on a busy machine, more than it sends before it ends
stop
adds_up 0
[ "$behind" -gt 1 ] || [ "$(waiting)" = 0 ] || fail "left in the spool: $(ls spool)"
rm -f spool/*.slice
[ "$(find got -name '*.body' | wc -l)" = "$(figure slices_sent_total)" ] || fail "the server has others: $(ls got)"
grep -q sort_numbers got/*.body || fail "no names"
grep -q arch got/1.body || fail "no label arch"
grep -q service.version got/1.body || fail "no version of the program"

# A server that is away: they wait, with names; an agent that is killed leaves them.
start $away
wait_for at_least slices_waiting 3
first=$(find spool -name '*.slice' | sort | head -1)
wait_for has_names "$first" # the process that stores them has a low priority
kill -KILL $agent
wait $agent 2>/dev/null || :
before=$(waiting)
[ "$before" -ge 3 ] || fail "only $before slices wait"

# Little room: the oldest go, and are counted.
room=$(($(stat -c %s spool/*.slice | sort -n | tail -1) * 2))
start $away --spool-size "${room}B"
wait_for at_least slices_dropped_total 2
stop
adds_up "$before"
# There was room when the last slice came; its names may have been stored later.
[ "$(stat -c %s spool/*.slice | sort -n | awk '{ n += $1; last = $1 } END { print n - last }')" -le "$room" ] ||
	fail "the spool has more than $room bytes: $(ls -l spool)"
[ ! -e "$first" ] || fail "the oldest one is still there"
dropped=$(cat spool/dropped)
[ "$dropped" = "$(figure slices_dropped_total)" ] || fail "told later: $dropped"

# It comes back: all is sent, and it hears of the dropped ones once.
rm got/*.body
before=$(waiting)
start "$url"
wait_for at_least slices_sent_total $((before + 1))
stop
adds_up "$before"
[ "$(grep -l dropped_slices got/*.body | wc -l)" = 1 ] || fail "told: $(grep -l dropped_slices got/*.body)"
[ "$(cat spool/dropped)" = 0 ] || fail "not told"

# Beside an agent, others record as before: maps have the build-ids that they asked for, which are none here.
if "$PERF" record -q -B -e cpu-clock:u -o others.data ./prog >/dev/null 2>&1; then
	start "$url"
	wait_for test -s figures
	"$PERF" record -q -B -e cpu-clock:u -o others.data ./prog >/dev/null
	stop
	if command -v perf >/dev/null 2>&1; then
		perf report -D -i others.data 2>/dev/null | grep 'MMAP2.*prog' | head -n 1 >map
		if grep -q '<' map; then fail "another recording has build-ids: $(cat map)"; fi
	fi
fi

# One agent for a folder; what is wrong is said.
start "$url"
wait_for test -s figures
expect_status 1 "$PERF" agent --otlp "$url" --spool spool
expect_text err "another agent uses the folder"
stop
expect_status 129 "$PERF" agent --otlp "$url"
expect_text err "--spool FOLDER"
expect_status 129 "$PERF" agent --spool spool
expect_status 129 "$PERF" agent --spool spool --otlp "$url" --pyroscope "$url"
expect_text err "one server"
expect_status 129 "$PERF" agent --spool spool --otlp "$url" --spool-keep some
