# perf report reads the data directories of stock perf's record --threads as stock does
. "$PERF_SRC/tests/lib.sh"
need_record
need_stock
"$STOCK" record -o probe -e cpu-clock --threads true >/dev/null 2>&1 || skip "stock perf records no data directories here"
"$STOCK" record -o a -e cpu-clock -a true >/dev/null 2>&1 && all=-a

rows() { # PROGRAM DIR
	"$1" report --stdio --no-children -g none -F sample,period,comm,dso -t , -i "$2" 2>err | sed '/^#/d; /^$/d; s/ *, */,/g; s/ *$//' |
		sort
}
spin='i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done'
for by in cpu core numa; do
	rm -rf d
	"$STOCK" record -o d -e cpu-clock,page-faults --threads=$by $all sh -c "$spin & $spin; wait" >/dev/null 2>err ||
		fail "stock: $(cat err)"
	rows "$STOCK" d >stock
	rows "$PERF" d >ours
	[ -s ours ] || fail "no rows: $(cat err)"
	cmp stock ours || fail "other rows, of a thread for each $by"
	"$STOCK" report --stats -i d >stock 2>/dev/null
	"$PERF" report --stats -i d >ours
	cmp stock ours || fail "other counts, of a thread for each $by"
	"$STOCK" report -D -i d >stock 2>/dev/null
	"$PERF" report -D -i d >ours
	cmp stock ours || fail "another dump, of a thread for each $by"
	"$STOCK" report --header-only -i d >stock 2>/dev/null
	"$PERF" report --header-only -i d >ours
	cmp stock ours || fail "another header, of a thread for each $by"
done
"$STOCK" buildid-list -i d | sort >stock
"$PERF" buildid-list -i d | sort >ours
cmp stock ours || fail "other build-ids"

# As one file
"$PERF" inject -b -i d -o one.data
rows "$PERF" d >ours
rows "$STOCK" one.data >stock
cmp stock ours || fail "the directory and the file made of it differ"

# The recorder was killed: no size, and a file that ends inside a record
cp -r d killed
for f in killed/data.*; do [ ! -s $f ] || truncate -s -3 $f; done
printf '\0\0\0\0\0\0\0\0' | dd of=killed/data bs=1 seek=48 conv=notrunc 2>/dev/null
expect_status 0 "$PERF" report --stdio -i killed
expect_text err "not completed"
expect_text out "sh "
