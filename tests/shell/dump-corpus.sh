# report -D prints what stock perf 6.1 prints, for other people's recordings
# timeout: 600
. "$PERF_SRC/tests/lib.sh"
need_stock
need_shared
case $("$STOCK" --version) in
*" 6.1."*) ;;
*) skip "the text is that of perf 6.1, here is $("$STOCK" --version)" ;;
esac
mkdir empty

# What differs on purpose (Documentation/differences.md): the trace data of AUX area recordings is not
# decoded; records of types that stock does not know do not end the dump; what fuzzers made of memory behind a record is not printed.
known() {
	case $1 in
	*perf_etm.data | *perf_with_missing_aux_data.data | *intel_pt*) return 0 ;;
	*/quipper/corpus/*) return 0 ;;
	esac
	return 1
}

vdso() {
	sed 's,/tmp/perf-vdso\.so-[A-Za-z0-9]\{6\},[vdso],'
}

compared=0
tail -n +2 "$SHARED/corpus/index.tsv" | cut -f 1 >files
while read -r f; do
	file=$SHARED/corpus/files/$f
	status=0
	"$PERF" report -D --symfs empty -i "$file" 2>err </dev/null | vdso >ours.txt || status=$?
	[ "$status" -lt 2 ] || fail "exit status $status for $f"
	known "$f" && continue
	"$STOCK" report -D --symfs empty -i "$file" 2>stock.err </dev/null | vdso >stock.txt || continue
	if grep -q 'failed to process\|incompatible file' stock.err; then
		# Stock stops: what it printed until then must stand at the start of ours.
		head -c "$(wc -c <stock.txt)" ours.txt | cmp -s - stock.txt || fail "differs from stock before it stops: $f"
	else
		cmp -s ours.txt stock.txt || { diff stock.txt ours.txt | head -n 10; fail "differs from stock: $f"; }
		compared=$((compared + 1))
	fi
done <files
[ "$compared" -gt 40 ] || fail "only $compared files could be compared"
