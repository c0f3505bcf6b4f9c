# perf script prints what stock perf 6.1 prints, for recordings of many kinds made here by stock perf
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
own_mounts
need_stock
case $("$STOCK" --version) in
*" 6.1."*) ;;
*) skip "the text is that of perf 6.1, here is $("$STOCK" --version)" ;;
esac
need_command cc
# Stock takes binaries below /tmp/perf-* for maps of JIT code.
own_folder
stock_record -o probe.data -e cpu-clock:u true || skip "stock cannot record here: $(tail -n 1 stock-record.log)"
program prog progs/calls -O2 -g -fno-omit-frame-pointer -pthread

# same FILE OPTION...   do both print the same? Stock 6.1 has no inlined functions in most frame-pointer chains.
same() {
	"$STOCK" script --no-inline "$@" 2>stock.err </dev/null >stock.raw || [ $? -lt 128 ] || return 0
	same_stubs <stock.raw >stock.txt
	cat stock.txt >>seen
	"$PERF" script --no-inline "$@" 2>err </dev/null | same_stubs >ours.txt
	cmp -s stock.txt ours.txt && return
	diff stock.txt ours.txt | head -n 20
	cat err
	return 1
}

# A kind that this machine cannot record is left out.
record() { # name, options...
	name=$1
	shift
	case $* in *-C*) only='--comms prog' ;; *) only= ;; esac # other tests' programs may be gone
	for try in 1 2 3; do
		if ! "$STOCK" record $quick -o "$name.data" "$@" ./prog 150 >record.out 2>&1 || [ ! -e "$name.data" ]; then
			[ $try = 3 ] || continue
			echo "not recorded: $name: $(tail -n 1 record.out)"
			rm -rf "$name.data" # one that is not complete
			return 0
		fi
		# shellcheck disable=SC2086
		if same -i "$name.data" $only; then
			echo "same: $name: $(wc -l <ours.txt) lines"
			return 0
		fi
	done
	fail "differs from stock for all recordings of the kind '$name'"
}

quick=
record plain -e cpu-clock
quick='-B -N' # without build-ids, which stock perf looks for on the whole machine
record fp -e cpu-clock -g
record dwarf -F 499 -e cpu-clock --call-graph dwarf,4096
record events -e cpu-clock,page-faults,context-switches
record group -e '{cpu-clock,page-faults}:S'
record fixed -e page-faults -c 1 -d
record cpu -e cpu-clock -C 0
record zstd -e cpu-clock -g -z
record tracepoint -e 'sched:*' -R
record syscalls -g -e 'raw_syscalls:*'
record fields -e page-faults -c 1 -d -W --phys-data --data-page-size --code-page-size
record regs -e cpu-clock -I --user-regs=ip,sp
record switch -e cpu-clock --switch-events
"$STOCK" record -o - -g -e cpu-clock ./prog 150 2>record.out >pipe.data || :
[ ! -s pipe.data ] || same -i pipe.data || fail "differs from stock for a pipe"
"$PERF" record -q -e cpu-clock -g --off-cpu -o own.data ./prog 150 2>/dev/null && { same -i own.data || fail "differs from stock for our own recording"; }

# ---- -D: records, and the text of each sample ----
for file in fp syscalls; do
	[ -e $file.data ] || continue
	"$STOCK" script --no-inline -D -i $file.data 2>/dev/null </dev/null |
		sed 's,/tmp/perf-vdso\.so-[A-Za-z0-9]\{6\},[vdso],' | same_stubs >stock.txt
	"$PERF" script --no-inline -D -i $file.data | same_stubs >ours.txt
	cmp stock.txt ours.txt || { diff stock.txt ours.txt | head; fail "-D differs from stock: $file"; }
done

# ---- options ----
few_kernel_names seen
number=$(sed -n 's/^prog *\([0-9]*\) .*/\1/p' ours.txt | head -n 1)
while read -r file options; do
	[ -e "$file.data" ] || continue
	eval "set -- $options"
	same -i "$file.data" "$@" || fail "differs from stock: -i $file.data $options"
done <<END
fp -G
fp --ns
fp --reltime
fp --deltatime
fp --max-stack 3
fp --stop-bt main
fp -S hot,main
fp --dsos prog
fp -c prog
fp -c nobody
fp --tid ${number:-1}
fp --pid 1
fp --time 10%/2
fp --time 0%-30%
fp --show-kernel-path
fp --show-task-events
fp --show-mmap-events
fp -F comm,tid,ip,sym
fp -F -comm,+pid
fp -F ip,sym,symoff,dso
fp -F time,event
fp -F +misc
fp -F ip
fp -F sym
fp -F comm,dso
fp -F sw:-time,-period
fp -F trace:time -F sw:comm,ip
fp --header-only
plain -F pid,tid,ip,sym,symoff,dso
plain --reltime --ns
events -F event,period
switch --show-switch-events
tracepoint -F comm,trace
tracepoint -F +ip,+sym
tracepoint -F event,trace,pid --ns
syscalls -F +period
syscalls -F +ip,+sym
fields -F +addr,+phys_addr,+weight,+data_page_size,+code_page_size
fields -F addr,ip,sym,dso
regs -F +iregs,+uregs
regs -F ip,uregs
END
