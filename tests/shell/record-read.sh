# perf record -e '{...}:S': counts in samples, of children and threads, too; all perfs read the same sums
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
children='for i in 1 2 3 4; do sh -c : & sh -c "sh -c :"; done; wait'
stock=$(command -v perf) && [ "$(readlink -f "$stock")" != "$(readlink -f "$PERF")" ] || stock=

samples() { # FILE: of the first event
	"$PERF" report --stats -i "$1" 2>/dev/null | awk '/SAMPLE events:/ { print $3; exit }'
}
faults() { # PROGRAM FILE: what all samples counted of the first event
	"$1" report --stdio -g none --no-group -i "$2" 2>/dev/null | awk '/^# Event count/ { print $NF; exit }'
}

# Each page fault is a sample: the differences of the counts are 1, whichever thread, process and processor they are of
record() { # OPTION...
	rm -rf o.data
	expect_status 0 "$PERF" record -o o.data -c 1 -e '{page-faults:u,dummy:u}:S' "$@" sh -c "$children"
	n=$(samples o.data)
	[ "$n" -gt 30 ] || fail "$n samples with $*"
	# the counts of the samples that a small ring lost on a busy machine are in those of the next ones
	lost=$("$PERF" report --stdio -g none -i o.data 2>/dev/null | awk '/^# Total Lost Samples:/ { print $NF; exit }')
	for p in "$PERF" $stock; do
		counted=$(faults "$p" o.data)
		if [ "$counted" -lt "$n" ] || [ "$counted" -gt $((n + lost)) ]; then
			fail "$p counts $counted faults of $n ($lost lost) with $*"
		fi
	done
}
record -i
alone=$n
record
case $(uname -r) in
[0-5].* | 6.[0-9].* | 6.1[01].*) ;; # the kernel has no counts of inherited events in samples
*) [ "$n" -gt $((alone * 2)) ] || fail "$n samples with the children, $alone without" ;;
esac
record -g
record -s
if "$PERF" record -q -o a.data -a -e cpu-clock true 2>&-; then
	rm -rf o.data
	"$PERF" record -q -o o.data -a -m 4M -c 1 -e '{page-faults,dummy}:S' sh -c "$children"
	counted=$(faults "$PERF" o.data)
	# Of thousands of faults on all CPUs the kernel now and then counts one without a sample: what was counted is
	# what the counters of all CPUs say at last.
	"$PERF" report -D -i o.data 2>/dev/null | sed -n 's/^\.\.\.\.\. id \([0-9a-f]*\), value \([0-9a-f]*\).*/\1 \2/p' |
		sort -u | awk '{ last[$1] = $2 } END { for (id in last) print last[id] }' >last
	really=0
	while read -r value; do
		really=$((really + 0x$value))
	done <last
	[ "$counted" = "$really" ] || fail "-a: $counted faults are counted, really $really"
	n=$(samples o.data)
	if [ "$n" -le 30 ] || [ "$n" -gt "$counted" ]; then
		"$PERF" report --stdio -s cpu -F sample,period,cpu -g none --no-group -i o.data
		fail "-a: $counted faults are counted, of $n; last values: $(tr '\n' ' ' <last)"
	fi
	record --threads
fi

# A single event
rm -rf o.data
expect_status 0 "$PERF" record -o o.data -c 1 -e page-faults:uS sh -c "$children"
[ "$(faults "$PERF" o.data)" = "$(samples o.data)" ] || fail "$(faults "$PERF" o.data) faults of $(samples o.data)"
exit 0
