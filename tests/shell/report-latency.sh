# report --latency, -s parallelism and averages of weights: the numbers follow from the records
. "$PERF_SRC/tests/lib.sh"

workload='work() { i=0; while [ $i -lt $1 ]; do i=$((i+1)); done; }; work 30000 & work 60000 & work 15000; wait'
"$PERF" record --latency -o l.data -F 2000 -e cpu-clock -- sh -c "$workload" 2>/dev/null || skip "cannot record"
"$PERF" report --stats -i l.data >stats 2>/dev/null
grep -q 'SWITCH events' stats || skip "no switches were recorded"

# All samples are there, none with more threads than CPUs.
"$PERF" report --stdio -i l.data -F sample,parallelism -t , 2>/dev/null | grep '^ *[0-9]' >rows
total=$(awk -F, '{ n += $1 } END { print n }' rows)
[ "$total" = "$(sed -n 's/^ *SAMPLE events: *\([0-9]*\) .*/\1/p' stats)" ] || fail "samples are missing: $(cat rows)"
cpus=$(getconf _NPROCESSORS_CONF)
awk -F, -v cpus="$cpus" '$2 < 1 || $2 > cpus' rows | grep . && fail "more threads than CPUs, or none"

# A row's latency is its period divided by the number of threads.
"$PERF" report --stdio -i l.data -F latency,period,parallelism -t , 2>/dev/null | grep '%' | tr -d ' %' >shares
awk -F, '
	{ share[NR] = $1; latency[NR] = $2 / $3; sum += $2 / $3 }
	END {
		for (i in share)
			if ((d = share[i] - 100 * latency[i] / sum) > 0.02 || d < -0.02) {
				print share[i] " is not " 100 * latency[i] / sum
				exit 1
			}
	}' shares || fail "latencies are wrong: $(cat shares)"

# Filters leave the total alone.
"$PERF" report --stdio -i l.data --parallelism 1 -F overhead,parallelism -t , 2>/dev/null | grep '%' >only
"$PERF" report --stdio -i l.data -F overhead,parallelism -t , 2>/dev/null | grep '%.*, *1$' >want
cmp only want || fail "--parallelism 1: $(cat only)"
expect_status 1 "$PERF" report --parallelism 1,x -i l.data
expect_line err "perf: error: --parallelism: '1,x' is not a list of numbers such as 1,4-8"

# Which columns there are
heads() {
	"$PERF" report --stdio -i l.data "$@" 2>/dev/null | sed -n 's/  */ /g; s/ $//; /^# \(Overhead\|Latency\) /p'
}
[ "$(heads --latency)" = "# Latency Overhead Command Shared Object Symbol" ] || fail "--latency: $(heads --latency)"
[ "$(heads -s parallelism)" = "# Overhead Latency Parallelism" ] || fail "-s parallelism: $(heads -s parallelism)"
[ "$(heads -s latency,comm)" = "# Latency Command" ] || fail "-s latency: $(heads -s latency,comm)"

# A recording that does not say it
"$PERF" record -o n.data -F 2000 -e cpu-clock -- sh -c "$workload" 2>/dev/null
expect_status 1 "$PERF" report --latency -i n.data
expect_line err "perf: error: latencies: 'n.data' does not say when threads ran; record with --latency"

# The average of weights
"${CC:-cc}" -O1 -o fill "$PERF_SRC/tests/progs/fill_samples.c" || exit 0
"$PERF" record -o w.data -F 2000 -e cpu-clock -W -- sh -c "$workload" 2>/dev/null
./fill w.data >/dev/null || fail "no samples to fill"
"$PERF" report -D -i w.data 2>/dev/null | sed -n 's/^\.\.\. weight: //p' |
	awk -F, '{ w += $1; n++ } END { printf "%.1f\n", w / n }' >want
"$PERF" report --stdio -i w.data -F weight1 -t , 2>/dev/null | sed -n 's/^ *\([0-9][0-9.]*\) *$/\1/p' >got
cmp want got || fail "the average weight is $(cat want), not $(cat got)"

# Numbered threads are one row.
cat >names.sh <<'SH'
for n in 1 22 333; do
	cp /bin/sleep "./job-$n"
	"./job-$n" 0
done
SH
"$PERF" record -o c.data -c 10000 -e cpu-clock -- sh names.sh 2>/dev/null
"$PERF" report --stdio -i c.data -s comm_nodigit 2>/dev/null >out
grep -q 'job-<N> *$' out || fail "numbers are not folded: $(cat out)"
