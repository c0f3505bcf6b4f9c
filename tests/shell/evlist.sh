# perf evlist: the events of a recording, what was asked of the kernel for them, groups, fields of tracepoints
. "$PERF_SRC/tests/lib.sh"
need_record

"$PERF" record -q -o a.data -F 999 -e '{cpu-clock:u,page-faults:u}' -e page-faults:u true
expect_status 0 "$PERF" evlist -i a.data
printf '%s\n' cpu-clock:u page-faults:u page-faults:u >names
cmp names out || fail "not the three names: $(cat out)"
expect_status 0 "$PERF" evlist -g -i a.data
printf '%s\n' '{cpu-clock:u,page-faults:u}' page-faults:u >groups
cmp groups out || fail "no group in one line: $(cat out)"
expect_status 0 "$PERF" evlist -v -i a.data
expect_lines out 3
# The attrs are those of report --header, with colons.
"$PERF" report --header-only -i a.data | sed -n 's/^# event : name = \([^,]*\), , id = {[^}]*}, /\1: /p' |
	sed 's/ = /: /g' >header
cmp header out || fail "evlist -v and report --header differ: $(diff header out)"
"$PERF" record -q -o c.data -e cpu-clock:u -c 1000003 true
expect_status 0 "$PERF" evlist -F -i c.data
expect_line out "cpu-clock:u: sample_period=1000003"
"$PERF" record -q -o f.data -e cpu-clock:u -F 321 true
expect_status 0 "$PERF" evlist -F --trace-fields -i f.data
expect_line out "cpu-clock:u: sample_freq=321, (not a tracepoint)"

# ---- the file: perf.data, a pipe, a pipe that was kept, a data directory, files that were cut or are not one ----
expect_status 1 "$PERF" evlist
expect_text err "cannot open 'perf.data'"
cp a.data perf.data
expect_status 0 "$PERF" evlist -f
cmp names out
"$PERF" record -q -o - -e '{cpu-clock:u,page-faults:u}' -e page-faults:u true >pipe.data
for o in "" -g -v; do
	"$PERF" evlist $o -i pipe.data >kept
	cat pipe.data | "$PERF" evlist $o -i - >piped
	cat pipe.data | "$PERF" evlist $o >default
	cmp kept piped && cmp kept default || fail "a pipe is read in another way: $o"
done
"$PERF" evlist -g -i pipe.data >out
cmp groups out || fail "events of a pipe: $(cat out)"
"$PERF" record -q -o cut.data -e cpu-clock:u,page-faults:u true
head -c $(($(wc -c <cut.data) - 8)) cut.data >cut
"$PERF" evlist -i cut >out 2>err || :
expect_line out page-faults:u
expect_lines err 1
head -c 50 a.data >short
expect_status 1 "$PERF" evlist -i short
expect_lines err 1
expect_status 1 "$PERF" evlist -i "$PERF_SRC/README.md"
expect_text err "is not a perf.data file"
expect_status 0 "$PERF" evlist a.data
expect_lines err 1
expect_status 129 "$PERF" evlist -g -v -i a.data
expect_lines err 1

# ---- tracepoints ----
need_tracepoints
"$PERF" record -q -o t.data -e sched:sched_process_exec -e cpu-clock true
expect_status 0 "$PERF" evlist -i t.data
expect_lines out 3
expect_line out "# Tip: use 'perf evlist --trace-fields' to show fields for tracepoint events"
expect_status 0 "$PERF" evlist --trace-fields -i t.data
expect_line out "cpu-clock: (not a tracepoint)"
expect_lines out 2
grep -Eq '^sched:sched_process_exec: trace_fields: [a-z_]+(,[a-z_]+)*$' out || fail "fields: $(cat out)"
