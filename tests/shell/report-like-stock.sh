# report's text against stock perf's, byte by byte, for many combinations of options
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_stock
. "$PERF_SRC/tests/compare_reports.sh"
# No exec once samples are taken: what stock perf still sees of a program's maps after it is listed in differences.md.
workload='i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
record() { # OPTION...
	stock_record "$@" -- sh -c "$workload"
}
record -o g.data -F 5000 -g -e cpu-clock || skip "stock perf cannot record here"
record -o m.data -e cpu-clock,page-faults || skip "stock perf cannot record two events here"
record -o s.data -e '{cpu-clock,page-faults}:S' || skip "stock perf cannot record a group here"
record -o p.data -e cpu-clock --code-page-size || rm -f p.data

# Only short file names, and no symbols: what an address widens.
cat >s.c <<'END'
int main(void)
{
	for (volatile unsigned long i = 0; i < 100000000; i++)
		;
	return 0;
}
END
"${CC:-cc}" -static -s -o s s.c 2>/dev/null && "$STOCK" record -o u.data -F 2000 -e cpu-clock:u -- ./s >/dev/null 2>&1 || rm -f u.data

mkdir empty
# Not compared: what stands below the tables (stock perf's tip, our line on completeness).
compare() { # FILE OPTION...
	f=$1
	shift
	"$STOCK" report --stdio --no-inline --symfs empty --kallsyms /dev/null -i "$f" "$@" 2>/dev/null |
		sed '/^# (Tip: /,$d' >stock
	"$PERF" report --stdio --no-made-up-names --no-inline --symfs empty --kallsyms /dev/null -i "$f" "$@" 2>/dev/null |
		sed '/^# Completeness/,$d' >ours
	nr=$((nr + 1))
	if ! cmp -s stock ours && ! ties_only; then
		echo "differs: report -i $f $*"
		diff stock ours | head -n 6 || :
		bad=$((bad + 1))
	fi
}

cat >any <<'END'

--no-children
-s sym
-s dso,sym -n
-s comm --show-total-period
-s pid,dso
-F comm,overhead,sym
-F overhead,sample,period,comm,dso,sym -t |
-F +period,sample
-q
-w 5,6,7,30
--percent-limit 2
--no-children --dsos [kernel.kallsyms]
--comms sh --percentage relative --no-children
--comms sh,expr
-U
--header-only
--tasks
--mmaps
--no-demangle
END
cat >chains <<'END'
-g caller
-g callee
-G
-g none
-g caller --no-children
-g callee,2 --no-children -s sym
-g graph,1,2,count
-g fractal,0 -s comm
-g flat,1,callee --no-children
-g folded,callee --no-children -s comm
-g folded,count -s dso
--max-stack 3
--max-stack 2 --no-children
--time 10%/3
--time 0%-50%
END
for f in g.data m.data s.data; do
	while read -r options; do
		compare $f $options
	done <any
done
while read -r options; do
	compare g.data $options
done <chains
for options in "-s code_page_size" "-s comm,code_page_size -t |" "-F overhead,code_page_size,dso -w 5,6"; do
	if [ -e p.data ]; then # since Linux 5.11
		# shellcheck disable=SC2086
		compare p.data $options
	fi
done
for options in "" "-t ," "-w 5" "-w 5,6,7,30" "--dsos s"; do
	if [ -e u.data ]; then
		# shellcheck disable=SC2086
		compare u.data $options
	fi
done
compare g.data --stats
compare m.data --stats
echo "$nr compared, $bad differ"
[ $bad = 0 ]
