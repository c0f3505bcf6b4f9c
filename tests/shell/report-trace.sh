# perf report -s trace: what tracepoints carried, as a text, as columns, as sort keys
. "$PERF_SRC/tests/lib.sh"
need_record
need_tracepoints
need_command awk

workload='for i in 1 2 3; do /bin/ls / >/dev/null; /bin/true; done; exit 3'
report() { # FILE OPTION...: rows without blanks at their ends, columns with '|'
	f=$1
	shift
	"$PERF" report --stdio -q -t '|' -i "$f" "$@" 2>err | sed 's/ *| */|/g; s/^ *//; s/ *$//; /^$/d'
	[ ! -s err ] || fail "report -i $f $*: $(cat err)"
}

"$PERF" record -q -o exec.data -e sched:sched_process_exec sh -c "$workload" || :
nr=$("$PERF" report --stats -i exec.data | awk '/SAMPLE events:/ { print $3; exit }')
[ "$nr" -ge 6 ] || fail "$nr samples of at least six programs that were started"

# Where all events are tracepoints, trace is what rows are told apart by.
expect_status 0 "$PERF" report --stdio -i exec.data
expect_text out "Trace output"
expect_text out "filename=/bin/ls pid="

# A field alone: the three runs of a program are one row.
report exec.data -F sample,filename >rows
expect_line rows "3|/bin/ls"
expect_line rows "3|/bin/true"
report exec.data -s filename -F sample >again
sort rows >a && sort again >b
cmp a b || fail "-F and -s do not agree: $(cat again)"
[ "$(awk -F'|' '{ n += $1 } END { print n }' rows)" = "$nr" ] || fail "not all $nr samples are in the rows: $(cat rows)"

# The same event under all its names.
for event in sched:sched_process_exec process_exec %1 'sched:*' '*_exec'; do
	report exec.data -F sample -s "$event.filename" | sort >b
	cmp a b || fail "another result for $event.filename: $(cat b)"
done
report exec.data -F sample -s 'process_exec.*' >all
report exec.data -F sample -s trace_fields | cmp - all || fail "trace_fields is not all fields"
[ "$(wc -l <all)" = "$nr" ] || fail "$(wc -l <all) rows with pids, expected $nr"
awk -F'|' '$3 != $4 { exit 1 }' all || fail "pid and old_pid differ: $(cat all)"

# As it was recorded: field by field.
report exec.data -s trace --raw-trace -F sample | sed 's/^1|filename=\([^ ]*\) pid=\([0-9]*\) old_pid=\([0-9]*\)$/1|\1|\2|\3/' |
	sort >raw
sort all | cmp - raw || fail "--raw-trace says something else: $(cat raw)"

# Flags as names, and as the number that they are.
"$PERF" record -q -o switch.data -e sched:sched_switch sh -c "$workload" || :
report switch.data -F sample,prev_state,prev_state/raw >rows
awk -F'|' '$2 ~ /^[RSDTtXZPI+|]+$/ && $3 ~ /^[0-9]+$/ { n++ } END { exit n < NR }' rows || fail "states: $(cat rows)"
report switch.data -F sample,prev_state/raw --raw-trace >/dev/null
# From the text of the payloads come the same names and counts as from the field.
report switch.data -F sample,next_comm | sort >rows
report switch.data -F sample,trace |
	awk '{ n = $1; sub(/\|.*/, "", n); sub(/.* next_comm=/, ""); sub(/ next_pid=.*/, ""); sum[$0] += n }
	END { for (c in sum) print sum[c] "|" c }' | sort >texts
cmp rows texts || fail "next_comm: $(cat rows); in the texts: $(cat texts)"

# One event's columns are not another's; what is no tracepoint has none.
"$PERF" record -q -o two.data -e sched:sched_process_exec,sched:sched_process_exit,page-faults sh -c "$workload" || :
expect_status 0 "$PERF" report --stdio -i two.data -s filename,prio
awk '/^# Samples:/ { e = $0 } /^# Overhead/ { print e, $0 }' out >heads
grep -q "sched_process_exec'.*filename$" heads || fail "columns of exec: $(cat heads)"
grep -q "sched_process_exit'.*prio$" heads || fail "columns of exit: $(cat heads)"
grep -q "page-faults'.*Overhead$" heads || fail "columns of page-faults: $(cat heads)"
expect_status 0 "$PERF" report --stdio -i two.data -s trace
expect_text out "  N/A"
expect_status 0 "$PERF" report --stdio -i two.data -s comm,dso
expect_status 1 "$PERF" report --stdio -i two.data -s process.pid
expect_lines err 1
expect_text err "several tracepoints"
expect_status 1 "$PERF" report --stdio -i two.data -s no_such_field
expect_text err "unknown --sort key 'no_such_field'"

# Any number of threads.
"$PERF" record -q -o many.data -g -e raw_syscalls:sys_enter,raw_syscalls:sys_exit sh -c "$workload" || :
for options in "-s trace -g none" "-s comm,id" "-s trace_fields --no-children -g caller"; do
	expect_status 0 "$PERF" report --stdio -i many.data --threads 1 $options
	mv out one
	expect_status 0 "$PERF" report --stdio -i many.data --threads 3 $options
	cmp one out || fail "another report with 3 threads: $options"
done

# A stream, with formats that are longer than a record.
"$PERF" record -q -o - -e 'sched:*' sh -c "$workload" >s.pipe || :
report - -s filename -F sample <s.pipe >rows
grep -qxF "3|/bin/ls" rows || fail "a stream: $(cat rows)"

# A recorder that was killed has written the formats before. Others leave none: who asks for fields is told, all else works.
"$PERF" record -q -o killed.data -e sched:sched_switch sh -c 'echo $$ >pid; while :; do sleep 0.05; done' &
recorder=$!
sleep 1.5
kill -KILL $recorder
wait $recorder || :
kill "$(cat pid)" || :
expect_status 0 "$PERF" report --stdio -i killed.data
expect_text out "prev_comm="
head -c 32 /dev/zero | dd of=killed.data bs=1 seek=72 conv=notrunc 2>/dev/null # the features in the header
expect_status 0 "$PERF" report --stdio -i killed.data
expect_text out "Shared Object"
expect_status 1 "$PERF" report --stdio -i killed.data -s trace
expect_lines err 1
expect_text err "'killed.data' has no formats of its tracepoints"
expect_status 1 "$PERF" report --stdio -i killed.data -s next_pid
expect_text err "has no formats of its tracepoints"
