# report -D counts its records, reads a pipe, and ends when its reader is gone
. "$PERF_SRC/tests/lib.sh"
need_record
"$PERF" record -o perf.data -e cpu-clock:u sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' >record.out 2>&1
expect_status 0 "$PERF" report -D
mv out whole
shown=$(grep -c ']: event: [0-9]*$' whole)
total=$(sed -n 's/^ *TOTAL events: *//p' whole)
[ "$shown" -eq "$total" ] || fail "$shown records shown, $total counted"
grep -q 'PERF_RECORD_SAMPLE(IP, 0x2): ' whole || fail "no samples"
grep -q '^ \.\.\. thread: sh:' whole || fail "no thread names"

# Into a pipe, behind other text and at the end of a file: the same text.
"$PERF" report -D | cmp - whole || fail "another text through a pipe"
{ echo before && "$PERF" report -D && echo after; } >between
sed '1d;$d' between | cmp - whole || fail "another text behind other text"
[ "$(sed -n '1p;$p' between | tr '\n' ' ')" = 'before after ' ] || fail "text around it is gone"
echo before >appended
"$PERF" report -D >>appended
sed 1d appended | cmp - whole || fail "another text at the end of a file"

# The last piece does not fit.
size=$(wc -c <whole)
(trap '' XFSZ && prlimit --fsize=$((size - 1)) "$PERF" report -D >limited 2>err) && fail "a text without its end, and no error"
expect_text err "cannot write the dump: File too large"

# In file order nothing is lost.
expect_status 0 "$PERF" report -D --disable-order
[ "$(grep -c ']: event: [0-9]*$' out)" -eq "$total" ] || fail "--disable-order lost records"
grep -o '^0x[0-9a-f]*@' out | sed 's/@//' | while read -r offset; do echo $((offset)); done >offsets
sort -n offsets | cmp - offsets || fail "--disable-order is not file order"

# From a pipe that cannot be read twice.
cat perf.data | "$PERF" report -D -i - >piped 2>err || fail "exit status $? from a pipe"
[ "$(grep -c ']: event: [0-9]*$' piped)" -eq "$total" ] || fail "records lost from a pipe"

# Whoever has seen enough may leave.
"$PERF" report -D 2>err | head -n 1 >line
[ ! -s err ] || fail "complains about the reader: $(cat err)"
