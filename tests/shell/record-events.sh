# perf record -e: groups, leader sampling, tracepoints, filters and terms record what they say, and report names them
. "$PERF_SRC/tests/lib.sh"
need_record
may_record_kernel || skip "cannot record the kernel here: $(head -n 1 probe.out)"

cat >faults.c <<'C'
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
static long switches(void)
{
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	return r.ru_nvcsw + r.ru_nivcsw;
}
int main(void)
{
	long begin = switches();
	for (int i = 0; i < 200; i++) {
		volatile char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		*p = 1;
		munmap((void *)p, 4096);
		if (i % 4 == 0)
			usleep(1);
	}
	/* on a slow machine some of the sleeps are over before they begin */
	FILE *f = fopen("switches", "w");
	fprintf(f, "%ld\n", switches() - begin);
	return fclose(f);
}
C
"${CC:-cc}" -O1 -o faults faults.c

least() { # of switches: those of the program's begin and end may be missing, or come after the last fault
	awk '{ print int($1 * 0.9) }' switches
}
names() { # FILE: the events in the headings of the report, one a line
	"$PERF" report --stdio -g none -i "$1" 2>/dev/null | sed -n "s/^# Samples: .* of events\{0,1\} '\(.*\)'$/\1/p"
}
stock_names() {
	# It aborts now and then, on its own files too: nine chances.
	for chance_ in 1 2 3 4 5 6 7 8 9; do
		"$STOCK" report --stdio -g none -i "$1" >stock.report 2>/dev/null && break
	done
	sed -n "s/^# Samples: .* of events\{0,1\} '\(.*\)'$/\1/p" stock.report
}
period_of() { # FILE EVENT: what report counts for it
	"$PERF" report --stdio -g none --no-group -i "$1" 2>/dev/null |
		awk -v event="'$2'" '/^# Samples/ { on = index($0, event) } on && /^# Event count/ { print $NF; exit }'
}

STOCK=$(command -v perf) || STOCK=
[ -z "$STOCK" ] || [ "$(readlink -f "$STOCK")" != "$(readlink -f "$PERF")" ] || STOCK=

try() { # NAMES OPTION...: records, and both programs report these events
	want=$1
	shift
	expect_status 0 "$PERF" record -o e.data "$@" ./faults
	names e.data >found
	[ "$(cat found)" = "$want" ] || fail "events of $*: '$(cat found)', expected '$want'"
	[ -n "$STOCK" ] || return 0
	stock_names e.data >found
	[ "$(cat found)" = "$want" ] || fail "events of $* in stock's report: '$(cat found)', expected '$want'"
}
try page-faults -e page-faults -c 1
[ "$(period_of e.data page-faults)" -ge 200 ] || fail "$(period_of e.data page-faults) faults, expected 200 and more"
try "page-faults
context-switches" -e page-faults,context-switches -c 1
try "anon group { page-faults, context-switches }" -e '{page-faults,context-switches}' -c 1
try "anon group { page-faults:u, cs }" --group -e page-faults:u -e cs -c 1
try "mine { page-faults, cs }" -e 'mine{page-faults,cs}:W' -c 1
# The program takes a millisecond or two of processor time: at 500 Hz an event of clocks may have no sample.
try "anon group { page-faults, cs, cpu-clock }
task-clock" -e '{page-faults,cs,cpu-clock},task-clock' -F 5000
try "faults and more" -e "page-faults/period=1,name='faults and more'/"
try "soft" -e software/config=2,period=1,name=soft/
try "a
b" -e page-faults/name=a,period=1,call-graph=fp/,cs/name=b,period=1,time=0/

# S: the leader samples, and what the members counted meanwhile is theirs
try "anon group { page-faults, context-switches }" -e '{page-faults,context-switches}:S' -c 1
samples=$("$PERF" report --stats -i e.data | awk '/SAMPLE events:/ { print $3; exit }')
faults=$(period_of e.data page-faults) switches=$(period_of e.data context-switches)
[ "$faults" -ge 200 ] && [ "$faults" -le $((samples + 1)) ] || fail "$faults faults in $samples samples of the leader"
[ "$switches" -ge "$(least)" ] && [ "$switches" -gt 0 ] || fail "$switches switches, expected $(cat switches)"

# The kernel takes no group of which some are inherited and some are not: a weak one is broken up.
expect_status 1 "$PERF" record -o e.data -e '{page-faults/inherit=0/,cs}' true
expect_text err "'cs' cannot be counted in one group with 'page-faults/inherit=0/'"
try "page-faults/inherit=0/
cs" -e '{page-faults/inherit=0/,cs}:W' -c 1
expect_text err "a weak group (W) does not fit"
[ "$(period_of e.data cs)" -ge "$(least)" ] || fail "$(period_of e.data cs) switches, not $(cat switches), beside a group that was broken up"

# So many watchpoints do not fit at all.
if "$PERF" record -o e.data -e "{cs$(printf ',mem:0x%x000:w' 1 2)}" true >log 2>&1; then
	expect_status 1 "$PERF" record -o e.data -e "{cs$(printf ',mem:0x%x000:w' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17)}" true
	expect_text err "mem:0x"
fi
[ ! -d /sys/bus/event_source/devices/msr ] || {
	if "$PERF" record -o e.data -a -e msr/tsc/ true >log 2>&1; then
		fail "msr/tsc/ cannot be sampled, but was recorded"
	fi
}

# A recording of stock with groups is read too. Stock perf cannot read it itself if another recorder asked the kernel for
# build-ids meanwhile: Linux 6.18 marks the mappings of all recorders then.
for chance in 1 2 3 4 5; do
	[ -n "$STOCK" ] && "$STOCK" record -B -o s.data -e '{page-faults,cs}:S' -c 1 ./faults >/dev/null 2>&1 || break
	names s.data >found
	[ "$(cat found)" = "anon group { page-faults, cs }" ] || fail "stock's groups: '$(cat found)'"
	stock_names s.data >found.stock
	[ -s found.stock ] || continue
	cmp found found.stock || fail "stock's groups: '$(cat found)', it says '$(cat found.stock)'"
	break
done

# ---- tracepoints ----
[ -r /sys/kernel/tracing/events/sched/sched_switch/id ] || skip "no tracepoints for this user"
"$PERF" record -o e.data -e sched:sched_switch true >log 2>&1 || skip "no tracepoints here: $(head -n 1 log)"
try sched:sched_switch -e sched:sched_switch
[ "$(period_of e.data sched:sched_switch)" -ge "$(least)" ] || fail "$(period_of e.data sched:sched_switch) switches, not $(cat switches)"
# Debian's 6.1.176 ends a task's events before the tracepoint of its exit.
expect_status 0 "$PERF" record -o e.data -e 'sched:sched_process_[ef]*' sh -c 'true; ./faults; :'
"$PERF" report --stdio -i e.data >out 2>&1
expect_text out "of event 'sched:sched_process_exec'"
expect_text out "of event 'sched:sched_process_fork'"
try "anon group { sched:sched_switch, page-faults }" -e '{sched:sched_switch,page-faults}:S'

# ---- filters ----
"$PERF" record -q -o e.data -e sched:sched_switch --filter 'prev_comm == "faults"' ./faults
some=$(period_of e.data sched:sched_switch) want=$(least)
"$PERF" record -q -o e.data -e sched:sched_switch --filter 'prev_comm == "faults"' --filter 'prev_pid < 0' ./faults
[ "$some" -ge "$want" ] || fail "a filter that matches leaves $some samples, not $want"
none=$(period_of e.data sched:sched_switch)
[ "${none:-0}" = 0 ] || fail "a filter that does not match leaves $none samples"
expect_status 1 "$PERF" record -o e.data -e sched:sched_switch --filter 'no_such_field == 1' true
expect_text err "fields of sched:sched_switch: common_pid, prev_comm, prev_pid"
# All fields of other events, also of those with arrays and dynamic fields: the last words of the declarations
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || tracing=/sys/kernel/debug/tracing
for event in sched:sched_process_exec sched:sched_switch block:block_rq_issue skb:kfree_skb sock:inet_sock_set_state irq:irq_handler_entry; do
	format=$tracing/events/$(echo $event | tr : /)/format
	[ -r "$format" ] || continue
	sed -n 's/^\tfield:\([^;]*\);.*/\1/p' "$format" | sed 's/\([a-z0-9_]\)\[[^]]*\]$/\1/; s/.*[ *]//' |
		grep -v '^common_[^p]\|^common_preempt' | tr '\n' ' ' | sed 's/ $//; s/ /, /g' >fields
	expect_status 1 "$PERF" record -o e.data -e $event --filter 'no_such_field == 1' true
	expect_line err "fields of $event: $(cat fields)"
done
expect_status 129 "$PERF" record -o e.data -e page-faults --filter 'a == 1' true
expect_text err "only tracepoints"
expect_status 129 "$PERF" record -o e.data --filter 'a == 1' true
expect_text err "--filter follows its -e"
