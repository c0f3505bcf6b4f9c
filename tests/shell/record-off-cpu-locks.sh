# perf record --off-cpu=locks: which futex, who ended each wait, and when, of a program that says the same itself
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
program steps progs/lock_steps -O2 -pthread
"$PERF" record --off-cpu=locks -e cpu-clock -o probe.data true >out 2>&1 || skip "switches cannot be recorded here: $(head -n 1 out)"
if grep -q 'holders of locks stay unknown' out; then skip "wakings cannot be recorded here: $(grep -A 1 'holders of' out)"; fi
fields=event,tid,time,period,addr,weight,bpf-output

ns() { python3 -c 'import time; print(time.monotonic_ns())'; }

# right WHAT: the waits in the file text are what the program said, in the file said; begin: when the recording began
right() {
	python3 "$PERF_SRC/tests/progs/wait_details.py" said "$begin" "$(ns)" <text 2>why || { cat said text why; fail "$1: $(tail -n 1 why)"; }
}

# Whatever the call chains are, there are three events.
for how in '' -g '--call-graph fp' '--call-graph dwarf' '-g --off-cpu-thresh 0' '-g -z'; do
	begin=$(ns)
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" record $how -k mono --off-cpu=locks -e cpu-clock -o a.data ./steps said
	"$PERF" evlist -i a.data >events
	for e in cpu-clock offcpu-time ended-waits ready-time; do
		expect_line events $e
	done
	expect_lines events 4
	expect_status 0 "$PERF" script --ns -F $fields -i a.data
	mv out text
	right "record $how"
done

# A stripped program
cp steps whole
strip steps
begin=$(ns)
expect_status 0 "$PERF" record -g -k mono --off-cpu=locks -e cpu-clock -o s.data ./steps said
expect_status 0 "$PERF" script --ns -F $fields -i s.data
mv out text
right "a stripped program"

# Through a pipe
begin=$(ns)
"$PERF" record -g -k mono --off-cpu=locks -e cpu-clock -o - ./whole said 2>err | "$PERF" script --ns -F $fields -i - >text 2>>err ||
	{ cat err; fail "a pipe"; }
right "a pipe"

# A process that runs already
mkfifo go
./whole said go &
pid=$!
begin=$(ns)
attach -g -k mono --off-cpu=locks -e cpu-clock -o p.data -p $pid
: >go
wait $pid
wait $recorder || fail "record -p: $(cat err)"
expect_status 0 "$PERF" script --ns -F $fields -i p.data
mv out text
right "record -p"

# The whole machine
may_record -a -e cpu-clock || exit 0
begin=$(ns)
expect_status 0 "$PERF" record -a -g -k mono --off-cpu=locks -e cpu-clock -o all.data ./whole said
expect_status 0 "$PERF" script --ns -F $fields -i all.data
mv out text
right "record -a"
