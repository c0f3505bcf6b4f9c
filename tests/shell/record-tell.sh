# perf record -p, -a on a terminal: says what is recorded and how to end it
. "$PERF_SRC/tests/lib.sh"
need_record
need_command script
script -qec true /dev/null </dev/null >typed 2>&1 || skip "no pseudo-terminal: $(head -n 1 typed)"

# Records until SIGINT, which is what Ctrl-C sends; what the terminal showed is in the file shown
record() { # OPTION...
	rm -f o.data
	script -qec "echo \$\$ >pid; exec '$PERF' record -o o.data -e cpu-clock:u $*" /dev/null </dev/null >typed 2>&1 &
	on_pty=$!
	n=0
	until [ -s o.data ] || [ $n -ge 200 ]; do
		sleep 0.05
		n=$((n + 1))
	done
	sleep 0.3
	kill -INT "$(cat pid)" || :
	wait $on_pty || :
	tr -d '\r' <typed >shown
}
sleep 60 &
one=$!
sleep 60 &
two=$!
trap 'kill $one $two 2>/dev/null || :' EXIT
until [ "$(cat /proc/$one/comm)$(cat /proc/$two/comm)" = sleepsleep ]; do sleep 0.05; done

record -p $one
expect_line shown "recording process $one (sleep); Ctrl-C ends it"
expect_text shown "Captured and wrote"
record -t $two
expect_line shown "recording thread $two (sleep); Ctrl-C ends it"
record -p $one,$two
expect_line shown "recording 2 processes: $one (sleep), $two (sleep); Ctrl-C ends it"
if "$PERF" record -q -o o.data -a -e cpu-clock true 2>&-; then
	record
	expect_line shown "recording all processes; Ctrl-C ends it"
	if [ "$(nproc)" -gt 1 ]; then
		record -C 0
		expect_line shown "recording all processes on CPU 0; Ctrl-C ends it"
	fi
fi

# Not with -q, not with a command, not elsewhere than on a terminal
record -q -p $one
if grep -q "Ctrl-C" shown; then fail "-q: $(cat shown)"; fi
script -qec "'$PERF' record -o o.data -e cpu-clock:u -p $one -- true" /dev/null </dev/null >shown 2>&1
if grep -q "Ctrl-C" shown; then fail "with a command: $(cat shown)"; fi
expect_text shown "Captured and wrote"
attach -o o.data -e cpu-clock:u -p $one
kill -INT $recorder
wait $recorder || :
if grep -q "Ctrl-C" err; then fail "in a file: $(cat err)"; fi
expect_text err "Captured and wrote"
