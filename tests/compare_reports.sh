# For tests that hold reports against those of stock perf: . "$PERF_SRC/tests/compare_reports.sh"
# The test defines rows FILE, which prints what is compared, makes the folder empty, and looks at nr and bad.

# stock perf aborts now and then ("assertion failed at util/build-id.c")
stock() {
	for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
		if "$STOCK" "$@" >stock.out 2>stock.err; then
			cat stock.out
			return 0
		fi
	done
	skip "stock perf fails $try times: $1 $2 $3: $(head -n 2 stock.err)" >&2
}
bad=0
nr=0
# Rows of one percentage that have no symbol stand in the order of stock's tree, which is not defined by what they show:
# the same lines, and the same percentages from top to bottom, are the same report.
ties_only() { # of the files stock and ours
	sort stock >stock.sorted
	sort ours >ours.sorted
	sed -n 's/^\( *[0-9.]*%\).*/\1/p' stock >stock.percent
	sed -n 's/^\( *[0-9.]*%\).*/\1/p' ours >ours.percent
	cmp -s stock.sorted ours.sorted && cmp -s stock.percent ours.percent
}
compare() { # FILE OPTION...
	f=$1
	shift
	stock report --stdio --no-inline --symfs empty --kallsyms /dev/null -i "$f" "$@" >stock.txt
	"$PERF" report --stdio --no-made-up-names --no-inline --symfs empty --kallsyms /dev/null -i "$f" "$@" \
		>ours.txt 2>ours.err || cat ours.err
	rows stock.txt >stock
	rows ours.txt >ours
	nr=$((nr + 1))
	[ -s stock ] || fail "stock perf shows nothing: report -i $f $*"
	if ! cmp -s stock ours && ! ties_only; then
		echo "differs: report -i $f $*"
		diff stock ours | head -n 8 || :
		bad=$((bad + 1))
	fi
}
