# perf record: stock perf reads our files without complaint, and finds what it finds in its own
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
. "$PERF_SRC/tests/viewers/stock.sh"
need_record
need_stock
"$STOCK" record -B -o probe.data -e cpu-clock true >/dev/null 2>&1 || skip "stock perf cannot record here"
spin='i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done'

record_types() { # FILE: the types of records in it, without counts
	"$STOCK" report -D -i "$1" 2>/dev/null | grep -o 'PERF_RECORD_[A-Z0-9_]*' | sed 's/MMAP2/MMAP/' |
		grep -v EVENT_UPDATE | # in a file, we have the names in EVENT_DESC
		grep -v RECORD_BUILD_ID | sort -u # the kernel's, for when the recorder is killed
}
few_symbols few.kallsyms # rows are of binaries: the first recording is read with all names of the kernel
names=
check() { # NAME OPTION...: a recording that stock reads as ours does
	name=$1
	shift
	"$PERF" record -q -o "$name.data" "$@" >/dev/null 2>err || fail "record $*: $(cat err)"
	# Without symbols: names of PLT entries and of files that are gone by now differ (differences.md).
	# shellcheck disable=SC2086
	"$STOCK" report $names --stdio --no-children -g none -F sample,comm,dso -t , -i "$name.data" >stock 2>stock.err ||
		fail "stock cannot read $name.data: $(cat stock.err)"
	sed -i '/^Processed [0-9]* events and lost [0-9]* chunks/d' stock.err # on a busy machine
	grep -i 'error\|failed\|invalid\|unexpected\|lost' stock.err && fail "stock complains about $name.data"
	"$PERF" report --stdio --no-children -g none -F sample,comm,dso -t , -i "$name.data" >ours 2>ours.err
	# Other tests' compiled code (-a) is in [JIT] for stock, which does not read jitdumps here, and knows nothing of ours.
	for f in stock ours; do
		sed '/^#/d; /^$/d; s/ *, */,/g; s/ *$//; /,\[JIT\] tid\|,jit-[0-9]*\.dump\|,java,\|,node,/d' $f | sort >$f.rows
	done
	[ -s ours.rows ] || fail "no rows in the report of $name.data"
	cmp -s stock.rows ours.rows || {
		diff stock.rows ours.rows | head -n 20
		fail "different rows of $name.data"
	}
	"$STOCK" evlist -v -i "$name.data" >/dev/null || fail "stock evlist $name.data"
	"$STOCK" report --header-only -I -i "$name.data" >header 2>&1
	grep -i 'error\|invalid' header && fail "stock complains about the header of $name.data"
	[ ! -s few.kallsyms ] || names=--kallsyms=few.kallsyms
	return 0
}
check plain -e cpu-clock sh -c "$spin"
check chains -e cpu-clock -g sh -c "$spin"
may_record -e context-switches && switches=,context-switches || switches=
check several -e cpu-clock,page-faults$switches sh -c "$spin"
check user -e cpu-clock:u -c 200000 sh -c "$spin"
check children -e cpu-clock -g sh -c "$spin; true; sh -c '$spin'; true"
check data -e cpu-clock -d sh -c "$spin"
check stat -e cpu-clock -s sh -c "$spin"
check thread --per-thread -e cpu-clock sh -c "$spin"
check delay -e cpu-clock -D 5 sh -c "$spin; $spin"
check demo -e cpu-clock -g "$PERF_BUILD/demo/demo" 4
[ "$(id -u)" != 0 ] || check all -e cpu-clock -g -a sh -c "$spin"

# The same kinds of records, and the same header but for names, times and versions
stock_record -o s.data -e cpu-clock -g sh -c "$spin; true" || fail "stock: $(cat stock-record.log)"
"$PERF" record -q -o o.data -e cpu-clock -g sh -c "$spin; true"
record_types s.data >stock
record_types o.data >ours
diff stock ours >differ || fail "other types of records: $(cat differ)"
"$STOCK" report --header-only -I -i s.data | sed 's/ *:.*//' | sort -u | grep -v '^# \(event\|time of\|captured\|data \|feat \)' >stock
"$STOCK" report --header-only -I -i o.data | sed 's/ *:.*//' | sort -u | grep -v '^# \(event\|time of\|captured\|data \|feat \)' >ours
diff stock ours >differ || fail "another header: $(cat differ)"
"$STOCK" buildid-list -i s.data | sort >stock
"$STOCK" buildid-list -i o.data | sort >ours
comm -23 stock ours >missing
grep -v ' \(\[vdso\]\|/tmp/perf-vdso\)' missing >missing2 || :
expect_empty missing2
