# perf record -o: what cannot be written, pipes, and where the room ends
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record
spin='i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
samples() { # FILE
	"$PERF" report --stats -i "$1" 2>/dev/null | sed -n 's/^ *SAMPLE events: *\([0-9]*\).*/\1/p' | head -n 1
}

# What cannot be written is said before the command runs.
for f in "$PWD" /no-such-folder/file; do
	expect_status 1 "$PERF" record -o "$f" touch ran
	expect_text err "cannot write '$f'"
	[ ! -e ran ] || fail "the command ran"
done

# A named pipe gets a stream, and the header goes with it.
mkfifo fifo
cat fifo >stream.data &
expect_status 0 "$PERF" record -q -e cpu-clock -g -o fifo sh -c "$spin"
wait
[ "$(samples stream.data)" -gt 10 ] || fail "$(samples stream.data) samples through a named pipe"
"$PERF" report --header-only -i stream.data >header
expect_text header "# cmdline : "
expect_text header "record -q -e cpu-clock -g -o fifo"

# Where the room ends: the reason, a readable file, and the command goes on.
(
	ulimit -f 200
	expect_status 1 "$PERF" record -F max -e cpu-clock -o l.data \
		sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; : >went-on'
)
expect_text err "cannot write 'l.data': File too large"
expect_text err "bytes of records that were written can be read"
[ "$(samples l.data)" -gt 10 ] || fail "nothing can be read after the limit was met"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ -e went-on ] && break
	sleep 0.5
done
[ -e went-on ] || fail "the command was ended with the recording"
if [ -w /dev/full ]; then
	expect_status 1 "$PERF" record -q -e cpu-clock -o /dev/full sh -c "$spin"
	expect_text err "No space left on device"
fi

# Records are taken out of the rings in time, however many counters share one: several events, children, all CPUs.
# A machine that is busy with other work gets three chances, and may lose one in five: rings that are not drained in time lose most.
records_all() { # options
	# shellcheck disable=SC2086
	expect_status 0 timeout 600 "$PERF" record -F 20000 $1 -m 16 -o r.data sh -c "$spin" 2>err || skip "$(cat err)"
	grep -q 'Woken up [1-9]' err || fail "$1: never woken up: $(cat err)"
	! grep ' lost ' err | grep -qvE '\((1?[0-9])\.[0-9]*%\)|mapped and started'
}
for o in "-e cpu-clock,task-clock,page-faults" "-e cpu-clock -a" "-e cpu-clock -g"; do
	case $o in *-a*) may_record -a -e cpu-clock || continue ;; esac
	records_all "$o" || records_all "$o" || records_all "$o" || fail "$o: $(cat err)"
done
