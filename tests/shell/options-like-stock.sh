# perf record: the attrs that reach the kernel are those of stock perf, for a table of options
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
own_mounts
few_kernel_names
need_record
need_stock
. "$PERF_SRC/tests/attrs.sh"
"$PERF" record -o probe.data -e cpu-clock -a true >probe 2>&1 || skip "CPUs cannot be watched here: $(head -n 1 probe)"
[ "$(uname -m)" = x86_64 ] || skip "the table names registers of x86-64"

record() { # WHO NR PROGRAM OPTION...
	who_=$1 nr_=$2 program_=$3
	shift 3
	# without build-ids, which stock perf looks for on the whole machine
	$trace -o "$nr_.$who_.trace" "$program_" record -B -N -o "$nr_.$who_.data" "$@" true >"$nr_.$who_.out" 2>&1 || :
	rm -f "$nr_.$who_.data"
}

nr=0
while read -r options; do # stock sleeps most of its time, so several at once
	case $options in
	\#*) continue ;;
	-e\ * | *\ -e\ *) event= ;;
	*) event="-e cpu-clock" ;;
	esac
	nr=$((nr + 1))
	record stock $nr "$STOCK" $event $options &
	record ours $nr "$PERF" $event $options
	echo "$options" >>wanted
	[ $((nr % 8)) != 0 ] || wait
done <"$PERF_SRC/tests/options.list"
wait
[ "$nr" -ge 40 ] || fail "only $nr sets of options were recorded"

different=0 nr=0
while read -r options; do
	nr=$((nr + 1))
	# -I: stock asks the processor for vector registers first
	grep -v 'sample_regs_intr=0xffffffff00000000' $nr.stock.trace >stock.trace
	attrs stock.trace clock >stock.attrs
	attrs $nr.ours.trace clock >ours.attrs
	[ -s stock.attrs ] || fail "stock opens nothing for '$options': $(cat $nr.stock.out)"
	cmp -s stock.attrs ours.attrs && continue
	different=$((different + 1))
	echo "'$options':"
	diff stock.attrs ours.attrs | head -n 8
	head -n 3 $nr.ours.out
done <wanted
[ "$different" = 0 ] || fail "$different of $nr sets of options are opened in another way than by stock"
