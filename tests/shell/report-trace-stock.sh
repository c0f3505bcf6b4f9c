# perf report -s trace against stock perf, on recordings of both; stock reads the formats that we write
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
need_stock
need_tracepoints
"$STOCK" record -o probe.data -e sched:sched_process_exec true >log 2>&1 || skip "stock perf records no tracepoints: $(head -n 1 log)"

workload='for i in 1 2 3 4; do /bin/ls / >/dev/null; /bin/true; done'
events=sched:sched_switch,sched:sched_process_exec,sched:sched_wakeup,irq:softirq_entry,raw_syscalls:sys_exit
stock_record -o stock.data -e $events sh -c "$workload" || fail "stock: $(cat stock-record.log)"
stock_record -o stock-g.data -g -e syscalls:sys_enter_openat sh -c "$workload" || fail "stock: $(cat stock-record.log)"
"$PERF" record --no-embed -q -o ours.data -e $events sh -c "$workload"
"$PERF" record --no-embed -q -o ours-a.data -a -e $events sh -c "$workload"
"$PERF" record --no-embed -q -o ours-g.data -g -e syscalls:sys_enter_openat sh -c "$workload"
"$PERF" record --no-embed -q -o ours-mixed.data -e $events,cpu-clock sh -c "$workload"

# Each text that stock's script prints is in our report, as often; stock reads our formats as its own.
texts() { # FILE
	timeout 600 "$STOCK" script -i "$1" -F event,trace 2>script.err >script.out || :
	! grep -iE 'failed|error' script.err || fail "stock script -i $1: $(cat script.err)"
	sed -n 's/^ *\([a-z_]*:[a-z_]*\): *\(.*[^ ]\) *$/\2/p' script.out | sort | uniq -c | sed 's/^ *\([0-9]*\) /\1|/' | sort >want
	"$PERF" report --stdio -q --no-children -g none -i "$1" -F sample,trace -t '|' 2>/dev/null |
		sed 's/ *| */|/g; s/^ *//; s/ *$//; /^$/d; /^[0-9]*|N\/A$/d' | sort >got
	# Names of other tests' threads that are no text: ours masks them.
	for f_ in want got; do
		LC_ALL=C sed -i '/[^ -~]/d' $f_
	done
	[ -s want ] || fail "stock script prints nothing of $1: $(cat script.err)"
	cmp want got || { diff want got | head -n 6; fail "other texts in $1"; }
}
for f in stock.data stock-g.data ours.data ours-a.data ours-g.data ours-mixed.data; do
	texts $f
done

# A stream of ours.
"$PERF" record -q -o - -e "$events" -a sh -c "$workload" >s.pipe
"$STOCK" script -i - -F event,trace <s.pipe 2>script.err | grep -c 'prev_comm=.* next_prio=' >n
[ "$(cat n)" -gt 5 ] || fail "stock reads no fields from our stream: $(cat script.err)"

case $("$STOCK" --version) in
"perf version 6.1."*) ;;
*) skip "single fields are compared with perf 6.1, here is $("$STOCK" --version)" ;;
esac

# The reports themselves: the same lines, and the same percentages from top to bottom. Stock orders numbers by their
# bytes in memory, and the width of its columns follows from some of the rows only: it cuts words of the others.
bad=0
nr=0
compare() { # FILE OPTION...
	f=$1
	shift
	timeout 600 "$STOCK" report --stdio --no-inline --symfs empty -i "$f" "$@" 2>/dev/null |
		sed '/^# (Tip: /,$d; s/  */ /g; s/\.\.\.*/./g; s/ $//' >stock
	"$PERF" report --stdio --no-made-up-names --no-inline --symfs empty -i "$f" "$@" 2>/dev/null |
		sed '/^# Completeness/,$d; s/  */ /g; s/\.\.\.*/./g; s/ $//' >ours
	nr=$((nr + 1))
	sort stock >stock.sorted
	sort ours >ours.sorted
	sed -n 's/^\( *[0-9.]*%\).*/\1/p' stock >stock.percent
	sed -n 's/^\( *[0-9.]*%\).*/\1/p' ours >ours.percent
	if ! awk 'NR == FNR { s[NR] = $0; n = NR; next }
		{ words = split(s[FNR], w, " "); for (i = 1; i <= words; i++) if (index($i, w[i]) != 1) exit 1 }
		END { if (FNR != n) exit 1 }' stock.sorted ours.sorted || ! cmp -s stock.percent ours.percent; then
		echo "differs: report -i $f $*"
		diff stock.sorted ours.sorted | head -n 6 || :
		bad=$((bad + 1))
	fi
}
mkdir empty
cat >options <<'END'

-s trace
-s comm,trace
-s trace --raw-trace
-s trace_fields --raw-trace
-s trace_fields,comm --raw-trace
-s next_pid
-s sched_switch.next_pid,comm -t |
-s sched:sched_wakeup.pid/raw
-s %5.id,comm
-s prev_state/raw,prev_comm
-s filename
-s prev_comm -n --show-total-period
-s vec,ret -w 8,6,30
-F overhead,sample,trace
-s trace --percent-limit 1
-s +trace
END
for f in stock.data ours.data; do
	while read -r o; do
		compare $f $o
	done <options
done
for f in stock-g.data ours-g.data; do
	compare $f -g none
	compare $f -s trace --no-children
	compare $f -s trace_fields --raw-trace -g none
done
compare ours-mixed.data
compare ours-mixed.data -s trace
echo "$nr compared, $bad differ"
[ $bad = 0 ]
