# every option of stock perf's script (6.1 and 7.x) is taken, and prints stock 6.1's text, or is refused with a reason
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
own_mounts
need_record
need_command cc
own_folder

# Of two events, with chains, CPUs, addresses, and other records where this user may have them.
program prog progs/calls -O2 -g -fno-omit-frame-pointer -pthread
"$PERF" record -F 2000 --sample-cpu -g -d -e cpu-clock,page-faults --switch-events --namespaces --all-cgroups \
	-o r.data ./prog 1000 >out 2>&1 ||
	"$PERF" record -F 2000 --sample-cpu -g -d -e cpu-clock:u,page-faults:u -o r.data ./prog 1000 >out 2>&1 ||
	fail "no recording: $(cat out)"
script() {
	"$PERF" script --no-inline -i r.data "$@" >out 2>err </dev/null
}
script || fail "$(cat err)"
cp out plain
few_kernel_names plain
hot=$(sed -n 's/^	 *\([0-9a-f]*\) hot+.*/0x\1/p' plain | head -n 1)
tid=$(sed -n 's/^prog *\([0-9]*\) .*/\1/p' plain | head -n 1)
event=$("$PERF" evlist -i r.data | sed -n 's/^\(page-faults[:u]*\).*/\1/p')
[ -n "$hot" ] && [ -n "$tid" ] && [ -n "$event" ] || fail "not what was recorded: $(head -n 20 plain)"

# OPTION;VALUE;WHAT;STOCK
# WHAT: "=": nothing changes, "!": the text changes, "?": it may, "-TEXT": refused, and the message has TEXT;
# else what the text has
# STOCK: empty: the text is that of stock 6.1; "in", "records": it has all lines, or records, of stock's; "new": 6.1 has no such option;
# else why it differs
no_aux='AUX traces are not decoded' no_guest='binaries of guests are not read' no_filter='filters are not loaded'
no_engine='no Python or Perl'
cat >list <<END
--addr-range;16 -S $hot;!;
--addr2line;addr2line;=;new
-a;;=;
--all-cpus;;=;
--call-ret-trace;;-$no_aux;
--call-trace;;-$no_aux;
-c;prog;=;
-c;nobody;!;
--comms;nobody;!;
-C;1000;!;
-C;0;?;
--cpu;0-$(($(getconf _NPROCESSORS_CONF) - 1));=;
-d;;=;prints only what it checked
--debug-mode;;=;prints only what it checked
--deltatime;;!;
--demangle;;=;
--demangle-kernel;;=;
--dlarg;x;-$no_filter;
--dlfilter;x.so;-$no_filter;
--dsos;prog;!;
-D;;PERF_RECORD_SAMPLE;
--dump-raw-trace;;PERF_RECORD_SAMPLE;
--dump-unsorted-raw-trace;;PERF_RECORD_SAMPLE;records
-F;comm,ip,sym;!;
--fields;+addr;!;
-f;;=;
--force;;=;
--full-source-path;;=;
-g;python;-$no_engine;
--gen-script;python;-$no_engine;
--graph-function;main;-$no_aux;
--guest-code;;-$no_guest;
--guestkallsyms;/dev/null;-$no_guest;
--guestmodules;/dev/null;-$no_guest;
--guestmount;/tmp;-$no_guest;
--guestvmlinux;/dev/null;-$no_guest;
--header;;# captured on;in
--header-only;;# captured on;in
-G;;!;
--hide-call-graph;;!;
-i;r.data;=;
--input;r.data;=;
--inline;;?;names inlined functions of other chains
--insn-trace;;-$no_aux;
--itrace;i;-$no_aux;
--kallsyms;/dev/null;?;keeps the names that the recording stores
-L;;!;
--Latency;;!;
-l;;-there are no scripts;
--list;;-there are no scripts;
--list-dlfilters;;-$no_filter;
--max-blocks;1;=;
--max-stack;2;!;
--merge-callchains;;-deferred call chains are not read;new
--ns;;!;
--per-event-dump;;^wrote 'r.data.$event.dump';names its files in other words
--pid;1;!;
--reltime;;!;
-s;wakeup.py;-$no_engine;
--script;wakeup.py;-$no_engine;
--show-bpf-events;;=;
--show-cgroup-events;;?;
-I --header;;# captured on;in
--show-info;;=;
--show-kernel-path;;?;
--show-lost-events;;=;
--show-mmap-events;;!;
--show-namespace-events;;?;
--show-on-off-events;;=;
--show-on-off-events;--switch-on $event;?;
--show-round-events;;PERF_RECORD_FINISHED_ROUND;records
--show-switch-events;;?;
--show-task-events;;!;
--show-text-poke-events;;?;
--stitch-lbr;;=;
--stop-bt;hot;!;
--switch-off;$event;!;leaves out only the first of these events
--switch-off;$event --switch-on cpu-clock${event#page-faults};?;
--switch-on;$event;?;
--symfs;empty;?;keeps the names that the recording stores
-S;hot,main;!;
--symbols;hot;!;
--tid;$tid;?;
--tid;1;!;
--time;10%/2;!;
--unwind-style;libdw;=;new
-v;;=;
--verbose;;=;
-k;vmlinux;?;keeps the names that the recording stores
--vmlinux;vmlinux;?;keeps the names that the recording stores
--xed;;--F disasm prints instructions;
END

# A refusal has a line in differences.md.
documented() { # OPTION
	sed -n '/^## script$/,/^## annotate$/p' "$PERF_SRC/Documentation/differences.md" | grep -q -e "\`$1\`.* | refused"
}

# The option and its value as stock's parser wants them: a value that may be left out needs "=".
with_value() {
	case $1 in
	--itrace) set -- "$1=$2" ;;
	esac
	echo "$@"
}

same_names() { # in the text of either
	same_stubs | sed 's,/tmp/perf-vdso\.so-[A-Za-z0-9]\{6\},[vdso],'
}

is_6_1=
! STOCK=$(command -v perf) || case $("$STOCK" --version 2>/dev/null) in *" 6.1."*) is_6_1=1 ;; esac
like_stock() { # HOW OPTION...
	how_=$1
	shift
	"$STOCK" script --no-inline -i r.data "$@" 2>stock.err </dev/null | same_names >stock.txt
	same_names <out >ours.txt
	case $how_ in
	in)
		sort stock.txt >stock.sorted
		sort ours.txt | comm -23 stock.sorted - >lacking
		[ ! -s lacking ] || fail "$*: ours lacks lines of stock's: $(head -n 5 lacking)"
		;;
	records) # stock sorts nothing here: what has a name yet depends on the order in which the rings were read
		grep PERF_RECORD_ stock.txt | sort >stock.records
		grep PERF_RECORD_ ours.txt | sort | comm -23 stock.records - >lacking
		[ -s stock.records ] && [ ! -s lacking ] || fail "$*: ours lacks records of stock's: $(head -n 5 lacking)"
		;;
	*) cmp -s stock.txt ours.txt || { diff stock.txt ours.txt | head; fail "$*: another text than stock's"; } ;;
	esac
}

mkdir empty
"$PERF" script --list-opts=all | awk -F'\t' '{ print $1; print $2 }' | sort -u >help
nr=0 compared=0
while IFS=';' read -r option value what stock; do
	nr=$((nr + 1))
	# shellcheck disable=SC2046
	set -- $(with_value "$option" "$value")
	script "$@" && status=0 || status=$?
	case $what in
	-*)
		[ "$status" = 129 ] && grep -q -F -e "${what#-}" err || fail "$*: status $status: $(cat err)"
		documented "$option" || fail "$*: differences.md says nothing"
		continue
		;;
	=) [ "$status" = 0 ] && cmp -s out plain || fail "$*: changes the text: $(head -n 3 err)" ;;
	!) [ "$status" = 0 ] && ! cmp -s out plain || fail "$*: changes nothing, or fails: $(cat err)" ;;
	\?) [ "$status" = 0 ] || fail "$*: $(cat err)" ;;
	*) [ "$status" = 0 ] && grep -q -e "$what" out err || fail "$*: no '$what': $(head -n 12 out) $(cat err)" ;;
	esac
	grep -qx -e "${option%% *}" help || fail "the list of options lacks $option"
	case $is_6_1$stock in
	1 | 1in | 1records) like_stock "$stock" "$@" && compared=$((compared + 1)) ;;
	esac
done <list
[ "$nr" -gt 85 ] || fail "only $nr options"
if [ -n "$is_6_1" ]; then
	mv "r.data.$event.dump" ours.dump
	"$STOCK" script --no-inline -i r.data --per-event-dump >stock.out 2>&1 </dev/null
	same_names <ours.dump >ours.txt
	same_names <"r.data.$event.dump" | cmp - ours.txt || fail "--per-event-dump: another text than stock's"
fi

# The list has all options of the stock perf that is here.
need_stock
"$STOCK" script -h 2>&1 | sed -n 's/^    \(-.\)\(, \| \).*/\1/p; s/^    \(-., \|    \)\(--[a-zA-Z0-9-]*\).*/\2/p' | sort -u >stock
[ "$(wc -l <stock)" -gt 60 ] || fail "few options: $(cat stock)"
sed 's/[; ].*//' list | sort -u >ours
printf '%s\n' -I >>ours
sort -u ours | comm -13 - stock >missing
[ ! -s missing ] || fail "stock perf has more options: $(cat missing)"
[ -z "$is_6_1" ] || echo "$compared texts are those of stock 6.1"
