# perf record to a disk that is slow, here a pipe whose reader takes its time: nothing is lost, up to --write-buffer
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
program ramp progs/ramp -O1 -pthread

pages() { # FILE
	"$PERF" report -D -i "$1" 2>/dev/null | sed -n 's/^.*PERF_RECORD_SAMPLE.* addr: \(0x[0-9a-f]*\)000$/\1/p'
}

# Bursts of 1000 pages with pauses, which together are more than rings and pipe have room for; read once all has been written.
mkfifo fifo
slow_record() { # options
	rm -f done stream.data
	(
		exec <fifo
		until [ -e done ]; do sleep 0.1; done
		exec cat >stream.data
	) &
	reader=$!
	# shellcheck disable=SC2086
	expect_status 0 timeout 600 "$PERF" record -m 64 -e page-faults:u -c 1 -d $1 -o fifo sh -c '
		i=0; while [ $i -lt 10 ]; do i=$((i + 1)); ./ramp 1000 0; sleep 0.1; done; : >done; sleep 0.1'
	wait $reader
}

for o in "" "-z --aio=4" "--call-graph fp -m 512"; do
	slow_record "$o"
	if grep -Eq 'Lost|took so long' err; then
		[ "$(nproc)" -gt 1 ] || skip "one processor: bursts are too much for it"
		slow_record "$o" # a machine that is busy gets a second chance
	fi
	if grep -Eq 'Lost|took so long' err; then fail "$o: $(cat err)"; fi
	[ "$(pages stream.data | wc -l)" -ge 10000 ] || fail "$o: $(pages stream.data | wc -l) of 10000 pages: $(cat err)"
done

# Too little room is told, and what else would help.
slow_short() { # OPTION...
	(
		exec <fifo
		sleep 1.5
		exec cat >stream.data
	) &
	reader=$!
	expect_status 0 timeout 600 "$PERF" record -m 64 -e page-faults:u -c 1 -d --call-graph fp --write-buffer 1M "$@" -o fifo ./ramp 60000 0
	wait $reader
}
slow_short
expect_text err "took so long that buffers were not emptied for"
expect_text err "--write-buffer 4M"
expect_status 0 "$PERF" report --stdio -i stream.data

# Where the rings had room for what was not written yet, nothing is missing, and nothing has to be said
if [ "$(id -u)" = 0 ]; then
	slow_short -m 64M
	if grep -q 'ost [0-9]' err; then skip "something is lost even with 64M: $(cat err)"; fi
	if grep -q 'took so long' err; then fail "a warning without a loss: $(cat err)"; fi
	slow_short -m 64M -v
	expect_text err "took so long that buffers were not emptied for"
fi

expect_status 129 "$PERF" record --write-buffer 10 -o n.data true
expect_text err "'10' is not a size such as 64M; the least is 1024K"
expect_status 129 "$PERF" record --aio=x -o n.data true
