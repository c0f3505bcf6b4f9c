# report: what its options do to a small recording, what is refused, exit statuses
. "$PERF_SRC/tests/lib.sh"
need_record

"$PERF" record -o p.data -e cpu-clock:u,page-faults:u -g -- sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done' \
	>record.out 2>&1 || fail "cannot record: $(cat record.out)"
r() { expect_status 0 "$PERF" report --stdio -i p.data "$@"; }

r
expect_line out "# To display the perf.data header info, please use --header/--header-only options."
expect_line out "# Total Lost Samples: 0"
expect_text out "of event 'cpu-clock:u'"
expect_text out "# Children      Self  Command"
expect_text out "# Completeness: lost 0 records and 0 samples; not truncated"
r --no-children -g none
expect_text out "# Overhead  Command  Shared Object"

# the parts add up to everything
r --no-children -g none -F overhead,period -s comm -t ';' -q
awk -F';' '{ sub(/%/, "", $1); sum += $1 } END { exit !(sum > 199.5 && sum < 200.5) }' out || fail "not 100% per event: $(cat out)"

# the same from a pipe, and by name of the default file
# (but for the lines to type, which name the file)
same() {
	sed '/^# Why each binary/d; /^#   perf report/d' out >rest
	cmp piped rest
}
"$PERF" report --stdio -i - --no-children <p.data >out
sed '/^#   perf report/d' out >piped
r --no-children
same || fail "standard input gives another report"
cp p.data perf.data
expect_status 0 "$PERF" report --stdio --no-children </dev/null
same || fail "perf.data gives another report"

# columns
r -s dso,sym -n --show-total-period --no-children -g none
expect_text out "# Overhead       Samples        Period  Shared Object"
r -F sample,comm -g none
expect_text out "#      Samples  Command"
r --comms sh -g none --no-children
expect_line out "# comm: sh"
if grep -q '^# Overhead  Command' out; then fail "a column for the only comm"; fi
r --comms nobody -g none -q
expect_empty_but_blank() { if grep -q . out; then fail "rows of a comm that is not there: $(cat out)"; fi; }
expect_empty_but_blank
r --percent-limit 101 -q
expect_empty_but_blank
r --header-only
expect_text out "# cmdline : "
r --stats
expect_text out "COMM events:"
expect_text out "cpu-clock:u stats:"
r --tasks
expect_line out "#      pid      tid     ppid  comm"
r --mmaps
expect_text out " r-xp "

# graphs
for g in graph flat fractal folded; do
	r -g $g,0.5,callee,count --no-children
done
r -g folded,caller,percent -s comm
grep -q '^[0-9.]*% [^;]*;' out || fail "no folded chains"

# what is refused, in one line each
refused() {
	expect_status "$@"
	[ "$(grep -c '^perf: error: ' err)" = 1 ] || fail "not one error: $(cat err)"
}
refused 1 "$PERF" report -i nowhere.data
expect_line err "perf: error: cannot open 'nowhere.data': No such file or directory"
refused 1 "$PERF" report -i p.data -s nonsense
expect_line err "perf: error: unknown --sort key 'nonsense'"
refused 1 "$PERF" report -i p.data -F nonsense
refused 1 "$PERF" report -i p.data -s type
refused 1 "$PERF" report -i p.data --pid x
refused 1 "$PERF" report -i p.data -C x
refused 1 "$PERF" report -i p.data --time x
refused 129 "$PERF" report -i p.data --percentage half
refused 1 "$PERF" report -i p.data -t .
refused 1 "$PERF" report -i p.data --comms file:///nowhere
refused 1 "$PERF" report -i p.data -w 5,x
refused 129 "$PERF" report -i p.data -g nonsense
refused 129 "$PERF" report -i p.data --percent-limit x
refused 129 "$PERF" report -i p.data --itrace
refused 129 "$PERF" report -i p.data main other

# chains that are not there
"$PERF" record -o flat.data -e cpu-clock:u true >/dev/null 2>&1
refused 1 "$PERF" report -i flat.data -g
expect_text err "no call chains"

# a file cut anywhere in its records: what is whole is reported, one line says where it ends
"$PERF" inject --no-embed -i p.data -o bare.data
size=$(od -A n -t u8 -j 40 -N 16 bare.data | awk '{ print $1 + $2 }') # where the records end
for part in 2 3 4; do
	head -c $((size * part / 5)) bare.data >cut.data
	refused 1 "$PERF" report --stdio -i cut.data
	expect_text err "cut.data"
done
expect_status 1 "$PERF" report --stdio -i /dev/null
