# every option of stock perf's report (6.1 and 7.x) is taken, stands in -h, and does what it is for
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
may_record_kernel || skip "cannot record the kernel here: $(head -n 1 probe.out)"

# Events in a group, with chains, CPUs, counts of threads and addresses.
if ! "$PERF" record -s --sample-cpu --call-graph fp -F 2000 -e '{cpu-clock,page-faults}' -o r.data -- \
	sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; ls / >/dev/null' >out 2>&1; then
	fail "no recording: $(cat out)"
fi
symbol=$("$PERF" report -i r.data --no-children -g none -F sym -t, 2>/dev/null | sed -n 's/^ *\[\.\] \([a-z_A-Z0-9]*\)$/\1/p' | head -n 1)
dso=$("$PERF" report -i r.data --no-children -g none -F dso -t, 2>/dev/null | sed -n '/^[^#[]/p' | sed 's/ *$//;/^$/d' | head -n 1)
[ -n "$symbol" ] && [ -n "$dso" ] || fail "nothing with a name was sampled"
report() {
	"$PERF" report --stdio -i r.data "$@" >out 2>err
}
report || fail "$(cat err)"
cp out plain
grep -q '^ *[0-9.]*%' plain || fail "an empty table: $(cat plain)"

# OPTION;VALUE;WHAT   WHAT: "=": nothing changes, "!": the report changes, "-": none of these is built,
# else what the report has
cat >list <<END
--addr2line;addr2line;=
--addr2line-style;libdw;=
--asm-raw;;=
-b;;has no branch stacks
--branch-stack;;has no branch stacks
--branch-history;;has no branch stacks
-c;nobody;!
--comms;nobody;!
-C;1000;has no samples
--cpu;1000;has no samples
--children;;Children
-D;;PERF_RECORD_SAMPLE
--dump-raw-trace;;PERF_RECORD_SAMPLE
-d;$dso;# dso: $dso
--dsos;$dso;# dso: $dso
--demangle;;=
--demangle-kernel;;=
-M;intel;=
--disassembler-style;intel;=
--disable-order;;=
-x;;!
--exclude-other;;!
-F;dso;# *Shared Object
--fields;dso;# *Shared Object
-t;:;# *Children: *Self:
--field-separator;:;# *Children: *Self:
-f;;=
--force;;=
--full-source-path;;=
-g;flat;!
--call-graph;none;!
--group;;=
--group-sort-idx;1;!
--gtk;;=
--header;;# captured on
--header-only;;# captured on
-H;;# *Overhead *Command / Shared Object / Symbol
--hierarchy;;# *Overhead *Command / Shared Object / Symbol
-U;;!
--hide-unresolved;;!
--ignore-callees;.;!
--ignore-vmlinux;;=
--inline;;=
-G;;=
--inverted;;=
-i;r.data;=
--input;r.data;=
--itrace;i;-
--kallsyms;/dev/null;!
--latency;;record with --latency
--max-stack;1;!
--mem-mode;;Total weight
--mmaps;;[0-9a-f]*-[0-9a-f]* r-xp
-m;;=
--modules;;=
--ns;;=
--objdump;objdump;=
--parallelism;1;record with --latency
-p;.;# *Children.*Parent symbol
--parent;.;# *Children.*Parent symbol
--percent-limit;101;!
--percentage;relative;=
--percent-type;local-hits;=
--pid;1;!
--prefix;/src;=
--prefix-strip;1;=
--pretty;raw;=
-q;;!
--quiet;;!
--raw-trace;;=
--samples;3;=
-I;;=
--show-info;;=
--show-cpu-utilization;;# *Children *Self *sys *usr
-n;;# *Children *Self *Samples
--show-nr-samples;;# *Children *Self *Samples
--show-on-off-events;;=
--show-ref-call-graph;;=
--show-total-period;;# *Children *Self *Period
--skip-empty;;=
--socket-filter;99;# Processor Socket: 99
-s;dso;# *Children *Self *Shared Object
--sort;dso;# *Children *Self *Shared Object
--source;;=
--stats;;Aggregated stats
--stdio;;=
--stdio-color;always;!
--stitch-lbr;;=
--switch-off;page-faults;!
--switch-on;page-faults;!
--symbol-filter;$symbol;!
-S;$symbol;!
--symbols;$symbol;# symbol: $symbol
--symfs;empty;=
--symfs;empty,flat;=
--symfs;empty,hierarchy;=
--tasks;;comm
-T;;# *PID *TID *cpu-clock *page-faults
--threads;;# *PID *TID *cpu-clock *page-faults
--tid;1;!
--time;10%;time slices: 10%
--time-quantum;10ms;=
--total-cycles;;has no branch stacks
--tui;;=
--unwind-style;libdw;=
-v;;!
--verbose;;!
-k;vmlinux;vmlinux
--vmlinux;vmlinux;vmlinux
-w;20,20,20,20,20;!
--column-widths;20,20,20,20,20;!
END
mkdir empty
"$PERF" report --list-opts=all | awk -F'\t' '{ print $1; print $2 }' | sort -u >help || :
nr=0
while IFS=';' read -r option value what; do
	nr=$((nr + 1))
	case $option$value in --*?) [ -n "$value" ] && set -- "$option=$value" || set -- "$option" ;; *) set -- "$option" ;; esac
	case $option in
	--*) ;;
	*) [ -z "$value" ] || set -- "$option" "$value" ;;
	esac
	if [ "$option" = --kallsyms ] && hides_kernel; then continue; fi # then it changes nothing
	report "$@" && status=0 || status=$?
	if [ "$what" = - ]; then
		[ "$status" = 129 ] || fail "$*: status $status; it is built: change the list"
		continue
	fi
	grep -qx -e "$option" help || fail "report -h lacks $option"
	case $what in
	=) [ "$status" = 0 ] && cmp -s out plain || fail "$*: changes the report: $(head -n 3 err)" ;;
	!) [ "$status" = 0 ] && ! cmp -s out plain || fail "$*: changes nothing, or fails: $(cat err)" ;;
	*) cat out err | grep -q -e "$what" || fail "$*: no '$what': $(head -n 12 out) $(cat err)" ;;
	esac
done <list
[ "$nr" -gt 100 ] || fail "only $nr options"
# not in stock's -h, but its own tests use it
report --showcpuutilization && grep -q '^# *Children *Self *sys *usr' out || fail "--showcpuutilization: $(cat out err)"

# The list has all options of the stock perf that is here.
need_stock
"$STOCK" report -h 2>&1 | sed -n 's/^    \(-.\)\(, \| \).*/\1/p; s/^    .. *, *\(--[a-z0-9-]*\).*/\1/p; s/^    \(-., \|    \)\(--[a-z0-9-]*\).*/\2/p' |
	sort -u >stock
[ "$(wc -l <stock)" -gt 60 ] || fail "few options: $(cat stock)"
cut -d ';' -f 1 list | sort -u | comm -13 - stock >missing
[ ! -s missing ] || fail "stock perf has more options: $(cat missing)"
