# report's text against stock perf's, byte by byte, for many combinations of options
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_stock
workload='for i in 1 2 3; do ls -R /usr/include >/dev/null; expr 1 + 1 >/dev/null; done'
"$STOCK" record -o g.data -F 5000 -g -e cpu-clock -- sh -c "$workload" >/dev/null 2>&1 ||
	skip "stock perf cannot record here"
"$STOCK" record -o m.data -e cpu-clock,page-faults -- sh -c "$workload" >/dev/null 2>&1
"$STOCK" record -o s.data -e '{cpu-clock,page-faults}:S' -- sh -c "$workload" >/dev/null 2>&1

mkdir empty
bad=0
nr=0
# Not compared: what stands below the tables, and sections of files that are not those of --symfs.
compare() { # FILE OPTION...
	f=$1
	shift
	"$STOCK" report --stdio --no-inline --symfs empty --kallsyms /dev/null -i "$f" "$@" 2>/dev/null | sed '/^# (Tip: /,$d' >stock
	"$PERF" report --stdio --no-inline --symfs empty --kallsyms /dev/null -i "$f" "$@" 2>/dev/null | sed '/^# Completeness/,$d' >ours
	nr=$((nr + 1))
	if ! cmp -s stock ours; then
		echo "differs: report -i $f $*"
		diff stock ours | head -n 6
		bad=$((bad + 1))
	fi
}
for f in g.data m.data s.data; do
	while read -r options; do
		compare $f $options
	done <<-EOF
		
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
		--dsos [kernel.kallsyms]
		--comms ls --percentage relative --no-children
		--comms ls,expr
		-U
		--header-only
		--stats
		--tasks
		--no-demangle
	EOF
done
while read -r options; do
	compare g.data $options
done <<-EOF
	-g caller
	-g callee
	-G
	-g none
	-g caller --no-children
	-g callee,2 --no-children -s sym
	-g graph,1,2,count
	-g fractal,1 -s comm
	-g flat,1,callee --no-children
	-g folded,callee --no-children -s comm
	-g folded,count -s dso
	--max-stack 3
	--max-stack 2 --no-children
	--time 10%/3
	--time 0%-50%
