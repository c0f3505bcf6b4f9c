# perf record --off-cpu=locks with other options: which futex, who ended each wait, and when, of a program of known steps
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
spans=$PERF_BUILD/tests/locks/spans
[ -x "$spans" ] || skip "tests/locks/spans is not built"
program steps progs/lock_steps -O2 -pthread
need_wakings

ns() { python3 -c 'import time; print(time.monotonic_ns())'; }

# right FILE WHAT: its waits are what the program said, in the file said; begin: when the recording began
right() {
	"$spans" "$1" >text || fail "$2: spans cannot be read"
	python3 "$PERF_SRC/tests/progs/wait_details.py" said "$begin" "$(ns)" <text 2>why || { cat err said text why; fail "$2: $(tail -n 1 why)"; }
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
	right a.data "record $how"
done
# Stock perf would decode RAW data of a bpf-output event of this name as those of its own recorder.
"$PERF" evlist -v -i a.data | grep '^offcpu-time: ' >text
if grep -q BPF_OUTPUT text; then fail "stock perf cannot read $(cat text)"; fi

# In exports, the periods of all four events are times.
expect_status 0 "$PERF" export --format speedscope -i a.data -o a.json
units=$(python3 -c "import json; print(*sorted({p['name'].split()[-1] + ':' + p['unit'] for p in json.load(open('a.json'))['profiles']}))")
for e in cpu-clock offcpu-time ended-waits; do
	case $units in *$e:nanoseconds*) ;; *) fail "units: $units" ;; esac
done
case $units in *none*) fail "units: $units" ;; esac

# A stripped program
cp steps whole
strip steps
begin=$(ns)
expect_status 0 "$PERF" record -g -k mono --off-cpu=locks -e cpu-clock -o s.data ./steps said
right s.data "a stripped program"

# Through a pipe
begin=$(ns)
"$PERF" record -g -k mono --off-cpu=locks -e cpu-clock -o - ./whole said 2>err | "$PERF" inject -i - -o pipe.data 2>>err ||
	{ cat err; fail "a pipe"; }
right pipe.data "a pipe"

# A process that runs already
mkfifo go
./whole said go &
pid=$!
begin=$(ns)
attach -g -k mono --off-cpu=locks -e cpu-clock -o p.data -p $pid
: >go
wait $pid
wait "$recorder" || fail "record -p: $(cat err)"
right p.data "record -p"


# The whole machine
may_record -a -e cpu-clock || exit 0
begin=$(ns)
expect_status 0 "$PERF" record -a -g -k mono --off-cpu=locks -e cpu-clock -o all.data ./whole said
right all.data "record -a"
