# perf agent: slices that cannot be read, or that the server refuses, are set aside, counted and told; after kill -9 the next begins
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
need_command python3
"$PERF" version --build-options | grep -q 'curl: \[ on' || skip "perf was built without libcurl"
unset http_proxy HTTP_PROXY PERF_PUSH_TOKEN STATE_DIRECTORY
program prog progs/tour -O1 -g -pthread
"$PERF" record -q -g -e cpu-clock:u -F 500 -o good.data ./prog >/dev/null
agent='' receiver=''
trap 'kill $receiver $agent 2>/dev/null || :' EXIT

receive() { # ANSWER...: a server
	[ -z "$receiver" ] || kill "$receiver"
	rm -rf got
	mkdir got
	python3 "$PERF_SRC/tests/progs/receiver.py" got "$@" &
	receiver=$!
	for _ in $(seq 3000); do
		[ ! -f got/port ] || break
		sleep 0.1
	done
	url=http://127.0.0.1:$(cat got/port)
}
start() { # OPTION...: an agent that makes no slices of its own in the time of this test
	rm -f figures
	"$PERF" agent "$@" --spool spool --figures figures -u "$(id -u)" -e cpu-clock:u -F 200 --interval 3000 >agent.log 2>&1 &
	agent=$!
}
figure() { sed -n "s/^perf_agent_$1 //p" figures 2>/dev/null | grep . || echo 0; }
is() { [ "$(figure "$1")" = "$2" ]; } # NAME N
wait_for() { # until a command succeeds
	for _ in $(seq 3000); do
		! "$@" || return 0
		kill -0 $agent 2>/dev/null || fail "the agent has ended: $(cat agent.log)"
		sleep 0.1
	done
	fail "waited for: $*; $(cat figures agent.log; ls -lA spool)"
}
stop() {
	kill -TERM $agent
	wait $agent || fail "exit status $?: $(cat agent.log)"
}
slice() { echo "spool/0000000000000000000$1.slice"; }
fill() { # damaged slices, the oldest; then a whole one
	rm -rf spool
	mkdir -m 700 spool
	head -c 5000 /dev/urandom >"$(slice 1)"
	: >"$(slice 2)"
	head -c $(($(stat -c %s good.data) / 2)) good.data >"$(slice 3)"
	{ printf 'PERFILE9'; tail -c +9 good.data; } >"$(slice 4)"
	{ head -c 100 good.data; head -c 5000 /dev/zero; } >"$(slice 5)"
	mkdir "$(slice 6)"
	ln -s ../good.data "$(slice 7)"
	: >"spool/$(printf 'a\033[31m.slice')"
	cp good.data "$(slice 8)"
}

# In each format: the whole one arrives, five are set aside; a folder, a link and other names are not slices.
for server in --otlp --pyroscope; do
	receive 200
	fill
	start $server "$url"
	wait_for is slices_sent_total 1
	is slices_set_aside_total 5 && is slices_dropped_total 5 || fail "$server: $(cat figures)"
	[ "$(find spool -name '*.aside' | wc -l)" = 5 ] || fail "$server: $(ls spool)"
	grep -q "'$(slice 2)' is not sent any more; it was set aside as '$(slice 2).aside'" agent.log || fail "$server: not told: $(cat agent.log)"
	[ "$(find got -name '*.body' | wc -l)" = 1 ] || fail "$server: the server got: $(ls got)"
	! grep "$(printf '\033')" agent.log || fail "a control character in the log"
	wait_for is slices_waiting 0
	[ "$(cat spool/dropped)" = 5 ] || fail "told to the server later: $(cat spool/dropped)"
	stop
done
cp good.data "$(slice 9)" # what was set aside stays so, and the next slice tells of it
start --otlp "$url"
wait_for is slices_sent_total 1
is slices_set_aside_total 0 || fail "again: $(cat agent.log)"
stop

# Where the server is away, they are set aside as well, and only the whole one waits.
for server in --otlp --clickhouse; do
	fill
	start $server http://127.0.0.1:1
	wait_for is slices_set_aside_total 5
	wait_for is slices_waiting 1
	stop
done

# By hand: perf push names them, and sends the others.
receive 200
expect_status 1 "$PERF" push --retries 0 --otlp "$url" "$(slice 1).aside" good.data
expect_text err "'$(slice 1).aside' is not a perf.data file"
expect_text err "1 of 2 recordings were not sent"

# What the server will never take is set aside, too; what follows is sent.
receive 413 400 200
rm -rf spool
mkdir -m 700 spool
for n in 1 2 3; do cp good.data "$(slice $n)"; done
start --otlp "$url"
wait_for is slices_sent_total 1
is slices_set_aside_total 2 || fail "refused: $(cat figures)"
stop
grep -q "answers 413" agent.log || fail "not told: $(cat agent.log)"
cmp good.data "$(slice 1).aside"

# What was set aside is the first to go when there is no room.
size=$(stat -c %s good.data)
start --otlp http://127.0.0.1:1 --spool-size "$((size * 2 + size / 2))B"
wait_for is spool_bytes $((size * 2))
stop

# After kill -9 the next agent begins at once, though children of the old one are still there: these are stopped.
start --otlp "$url"
wait_for test -s figures
children=$(cat /proc/$agent/task/*/children)
[ -n "$children" ] || fail "no recorder"
# shellcheck disable=SC2086
kill -STOP $children
kill -KILL $agent
wait $agent 2>/dev/null || :
start --otlp "$url"
wait_for test -s figures
# shellcheck disable=SC2086
kill -CONT $children 2>/dev/null || :
expect_status 1 "$PERF" agent --otlp "$url" --spool spool -u "$(id -u)" -e cpu-clock:u
expect_text err "another agent uses the folder"
stop
