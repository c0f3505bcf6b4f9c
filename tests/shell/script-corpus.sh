# perf script prints what stock perf 6.1 prints for recordings from elsewhere
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_shared
need_stock
case $("$STOCK" --version) in
*" 6.1."*) ;;
*) skip "the text is that of perf 6.1, here is $("$STOCK" --version)" ;;
esac

# Why the texts of these files differ; each reason has a row in Documentation/differences.md.
known() {
	case $1 in
	*/perf_merge1.data | */perf_with_kernel_symbols_available_false.data) echo "kernel addresses without a map" ;;
	*/perf_with_ip_zero_in_callchain.data | */perf.data.true.v2 | */contentsize.data) echo "stack copies that stock does not unwind" ;;
	*/vector_static_gcc/perf.data.zstd | */perf.data.piped.*) echo "stock names code of another build" ;;
	*/perf.lbr.data) echo "stock prints a word after an empty branch stack" ;;
	*/perf.data.callgraph-3.4) echo "stock takes the vdso of this machine" ;;
	*/perf.data.intel_pt-4.14) echo "AUX traces are not decoded" ;;
	*/kaslr-guest/perf.data) echo "stock names code of another build" ;;
	*) return 1 ;;
	esac
}

nr=0
find "$SHARED/corpus" "$SHARED/fixtures" -type f \( -name '*.data*' -o -name '*perf*' \) | sort >files
while read -r file; do
	timeout 600 "$STOCK" script --no-inline -i "$file" >stock.txt 2>stock.err </dev/null || continue
	timeout 600 "$PERF" script --no-inline -i "$file" >ours.txt 2>err </dev/null || [ $? = 1 ] || fail "$file: $(cat err)"
	nr=$((nr + 1))
	if cmp -s stock.txt ours.txt; then
		continue
	elif known "$file" >why; then
		echo "differs: $(cat why): ${file##*/}"
	else
		diff stock.txt ours.txt | head -n 10
		fail "differs from stock: $file"
	fi
done <files
[ "$nr" -gt 30 ] || fail "stock reads only $nr files"
echo "$nr files"
