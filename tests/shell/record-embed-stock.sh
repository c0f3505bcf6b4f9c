# perf record: stock perf reads files with stored names as if they had none
. "$PERF_SRC/tests/lib.sh"
need_record
need_stock

"$PERF" record -v -e cpu-clock -F 2000 -g -o a.data sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' 2>err
grep -q 'stored the names of [1-9]' err || fail "no names are stored: $(cat err)"
"$STOCK" report --stdio -i a.data >stock.out 2>stock.err || fail "stock perf does not report it: $(cat stock.err)"
[ "$(grep -c '%' stock.out)" -gt 3 ] || fail "no rows: $(cat stock.out)"
"$STOCK" report --header-only -i a.data >stock.out 2>>stock.err || fail "stock perf does not show the header: $(cat stock.err)"
expect_text stock.out "# cmdline : "
if grep -Ei 'feature|section|embed|unknown|invalid' stock.err; then fail "stock perf complains"; fi
"$STOCK" report -D -i a.data 2>/dev/null | grep -c PERF_RECORD_SAMPLE >stock.out
"$PERF" report -D -i a.data 2>/dev/null | grep -c PERF_RECORD_SAMPLE >out
cmp -s stock.out out || fail "stock perf sees other samples"
