# perf list: families, patterns, descriptions, JSON, what can be opened; the text is that of stock
. "$PERF_SRC/tests/lib.sh"
need_record

expect_status 0 "$PERF" list
expect_line out "  context-switches OR cs                             [Software event]"
expect_line out "  cpu-clock                                          [Software event]"
expect_line out "  rNNN                                               [Raw hardware event descriptor]"
expect_line out "  mem:<addr>[/len][:access]                          [Hardware breakpoint]"
expect_empty err
grep -qv '^  [^ ].*\[.*\]$' out && fail "a line has another form: $(grep -v '^  [^ ].*\[.*\]$' out)"

expect_status 0 "$PERF" list sw
grep -v ' \[Software event\]$' out && fail "not a software event"
expect_status 0 "$PERF" list --all hw cache
expect_text out "cpu-cycles OR cycles "
expect_text out "LLC-load-misses "
grep -v ' \[Hardware \(cache \)\?event\]' out && fail "not a hardware event"
expect_status 0 "$PERF" list FAULTS
expect_text out "page-faults OR faults "
grep -qi cpu-clock out && fail "a pattern lists everything"
expect_status 1 "$PERF" list no-such-event-here
expect_empty out
expect_line err "perf: error: nothing matches 'no-such-event-here'"
expect_lines err 1
expect_status 1 "$PERF" list Cpu-clokc
expect_line err "did you mean 'cpu-clock'?"
expect_status 1 "$PERF" list sofware
expect_line err "did you mean 'software'?"
expect_status 1 "$PERF" list no-such-event nor-this
expect_line err "perf: error: nothing matches 'no-such-event', 'nor-this'"
expect_status 0 "$PERF" list no-such-event cpu-clock
expect_empty err
expect_status 1 "$PERF" list --unit nothing
expect_line err "perf: error: nothing matches '--unit nothing'"
expect_status 0 "$PERF" list raw mem probe
expect_text out "uprobe:<binary>:<function>"
expect_status 0 "$PERF" list -d context-switches
expect_line out "       [Switches from one thread to another]"
expect_status 0 "$PERF" list -d mem
expect_text out "e.g. -e 'mem:"
expect_status 0 "$PERF" list --details page-faults
expect_line out "        type 1, config 0x2"
expect_status 0 "$PERF" list --raw-dump sw
expect_lines out 1
expect_text out "cpu-clock "
expect_status 0 "$PERF" list -o list.txt sw
expect_text list.txt "task-clock"
expect_status 1 "$PERF" list -o no/such/folder
expect_status 0 "$PERF" record -e list
expect_text out "cpu-clock "

# JSON that others can read
expect_status 0 "$PERF" list -j sw
expect_text out '"EventName": "context-switches"'
expect_text out '"Available": true'
expect_status 0 "$PERF" list -j
if command -v python3 >/dev/null 2>&1; then
	python3 -c 'import json, sys
events = json.load(sys.stdin)
assert any(e["EventName"] == "cpu-clock" and e["Available"] for e in events)
assert all(e["EventName"] and e["EventType"] for e in events)' <out || fail "no good JSON"
fi

if [ -r /sys/kernel/tracing/events/sched/sched_switch/format ]; then
	expect_status 0 "$PERF" list 'sched:sched_sw*'
	expect_line out "  sched:sched_switch                                 [Tracepoint event]"
	grep -v ' sched:sched_sw' out && fail "a pattern lists more than it should"
	expect_status 1 "$PERF" list sched:sched_swich
	expect_text err "did you mean 'sched:sched_switch'"
	expect_status 0 "$PERF" list -v sched:sched_switch
	expect_text out "prev_comm"
fi

# What is listed can be recorded.
"$PERF" list sw | sed 's/ *\[.*//; s/.* OR //' | while read -r e; do
	"$PERF" record -e "$e" -o x.data true >log 2>&1 || grep -q 'Permission denied): kernel.perf_event_paranoid' log ||
		fail "$e is listed, but: $(cat log)"
done

# The same lines as stock has, in whatever order
STOCK=$(command -v perf) || exit 0
case $("$STOCK" --version 2>/dev/null) in
"perf version 6."*) ;;
*) exit 0 ;;
esac
"$STOCK" list --no-desc sw pmu 2>/dev/null | grep '\[\(Software\|Kernel PMU\) event\]' | sort >stock
"$PERF" list sw pmu | sort >ours
comm -23 stock ours | grep '[/ ]OR \|Software' >missing && fail "not listed: $(cat missing)"
exit 0
