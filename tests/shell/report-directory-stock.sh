# perf report reads the data directories of stock perf's record --threads as stock does
. "$PERF_SRC/tests/lib.sh"
need_record
need_stock
"$STOCK" record -B -o probe -e cpu-clock --threads true >/dev/null 2>&1 || skip "stock perf records no data directories here"

stock() { # OPTION...: stock's output in the file stock; 6.1 aborts now and then
	for try_ in 1 2 3 4 5; do
		"$STOCK" "$@" >stock 2>err && return
	done
	skip "stock perf fails at $*: $(cat err)"
}
rows() { # FILE: stock has several rows of one name now and then
	sed '/^#/d; /^$/d; s/ *, */,/g; s/ *$//' "$1" |
		awk -F, '{ n[$3 "," $4] += $1; p[$3 "," $4] += $2 } END { for (k in n) print n[k], p[k], k }' | sort
}
flat="report --stdio --no-children -g none -F sample,period,comm,dso -t ,"
spin='i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done'
for by in cpu core numa; do
	rm -rf d
	stock record -o d -e cpu-clock,page-faults --threads=$by sh -c "$spin & $spin; wait"
	stock $flat -i d
	rows stock >stock.rows
	"$PERF" $flat -i d >ours 2>err || fail "report: $(cat err)"
	rows ours >ours.rows
	[ -s ours.rows ] || fail "no rows: $(cat err)"
	cmp stock.rows ours.rows || fail "other rows, of a thread for each $by"
	for what in --stats -D --header-only; do
		stock report $what -i d
		"$PERF" report $what -i d >ours
		sed 's|/tmp/perf-vdso.*|[vdso]|' stock >stock.text
		cmp stock.text ours || fail "another report $what, of a thread for each $by"
	done
done
stock buildid-list -i d
sed 's|/tmp/perf-vdso.*|[vdso]|' stock | sort -u >stock.ids
"$PERF" buildid-list -i d | sort -u >ours
cmp stock.ids ours || fail "other build-ids"

# As one file
"$PERF" inject -b -i d -o one.data
stock $flat -i one.data
rows stock >stock.rows
cmp stock.rows ours.rows || fail "the directory and the file made of it differ"

# The recorder was killed: no size, and a file that ends inside a record
cp -r d killed
for f in killed/data.*; do [ ! -s $f ] || truncate -s -3 $f; done
printf '\0\0\0\0\0\0\0\0' | dd of=killed/data bs=1 seek=48 conv=notrunc 2>/dev/null
expect_status 0 "$PERF" report --stdio -i killed
expect_text err "not completed"
expect_text out "sh "
