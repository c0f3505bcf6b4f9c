# report -F op,cache,memory,dtlb: the overhead divided by kinds of accesses, as in stock perf 7.2; -s symoff
. "$PERF_SRC/tests/lib.sh"
program fill progs/fill_samples -O1
# shellcheck disable=SC2016
"$PERF" record -q -B -o w.data -F 5000 -e cpu-clock -d -W --phys-data --data-page-size -- \
	sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done' 2>err || skip "cannot record: $(head -1 err)"
./fill w.data >filled || fail "no samples to fill"
[ "$(cut -d' ' -f1 filled)" -ge 40 ] || skip "too few samples: $(cat filled)"

report() {
	"$PERF" report --stdio -i w.data "$@" 2>err | sed -e '/^# Completeness/,$d' -e 's/ *$//' >out
}

# Only kinds that there are, in the order of stock perf, below what they are about.
report --mem-mode -F overhead,op,cache,memory,dtlb,comm
expect_line out "#           ------ Mem Op -------  --- Cache ----  ------ Memory -------  ---------- D-TLB -----------"
expect_line out "# Overhead     Load  Store  Other       L4  Other      RAM   PMEM  Other   L1-Hit L?-Hit   Miss  Other  Command"
expect_line out "# ........  .....................  ..............  .....................  ............................  ......."

# Each column adds up to the overhead, but for rounding: in rows, in a hierarchy, with a filter.
check_sums() {
	awk -F'|' -v columns="$1" 'NF < 9 { next } $1 + 0 {
		split("3 2 3 4", n, " ")
		at = 2
		for (i = 1; i <= columns; i++) {
			sum = 0
			for (k = 0; k < n[i]; k++)
				sum += $(at++)
			if (sum - $1 > 0.05 * n[i] + 0.01 || $1 - sum > 0.05 * n[i] + 0.01)
				exit 1
		}
		rows++
	} END { exit rows == 0 }' out || fail "parts do not add up to the overhead: $(cat out)"
}
report --mem-mode -t '|' -F overhead,op,cache,memory,dtlb,dso
expect_line out "# Overhead|Mem Op Load|Mem Op Store|Mem Op Other|Cache L4|Cache Other|Memory RAM|Memory PMEM|Memory Other|D-TLB L1-Hit|D-TLB L?-Hit|D-TLB Miss|D-TLB Other|Shared Object"
check_sums 4
report --mem-mode -t '|' -F overhead,op,cache,memory,dtlb,sym --percentage relative --comms sh
check_sums 4
report --mem-mode -t '|' -H -s dso,sym,op,cache,memory,dtlb
check_sums 4
report -t '|' -F overhead,op,cache,memory,dtlb,dso # of periods
check_sums 4


"$PERF" report --json -i w.data --mem-mode -F overhead,op,symoff >json 2>err || fail "$(cat err)"
grep -q '"op":{"Load":[0-9.]*,"Store":[0-9.e-]*,"Other":[0-9.e-]*},"symoff":{"name":' json || fail "$(head -c 2000 json)"

# Rows of symoff and of exact addresses are the same.
report -F overhead,sample,symoff
grep -c '%' out >by_offset
report -F overhead,sample,symbol_iaddr
grep -c '%' out >by_address
[ "$(cat by_offset)" -le "$(cat by_address)" ] || fail "more offsets than addresses"
report -F symoff
grep -q '\[\.\] [^ ]*+0x[0-9a-f][0-9a-f]*$' out || fail "$(cat out)"
