# report -D prints what stock perf 6.1 prints, for recordings of many kinds made here by stock perf
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
own_mounts
need_stock
case $("$STOCK" --version) in
*" 6.1."*) ;;
*) skip "the text is that of perf 6.1, here is $("$STOCK" --version)" ;;
esac
stock_record -o probe.data -e cpu-clock:u true || skip "stock cannot record here: $(tail -n 1 stock-record.log)"

# Stock writes this machine's vdso to a temporary file and prints its name. It has no name of its own for that of 32-bit
# programs, which another test may be running.
vdso() {
	sed 's,/tmp/perf-vdso\.so-[A-Za-z0-9]\{6\},[vdso],; s/\[vdso32\]/[vdso]/'
}

same() { # file
	# Stock 6.1 aborts now and then at a file that it wrote itself (an assertion on build-ids): nothing to compare with then.
	"$STOCK" report -D -i "$1" 2>stock.err </dev/null >stock.raw || [ $? -lt 128 ] || return 0
	vdso <stock.raw >stock.txt
	"$PERF" report -D -i "$1" 2>err </dev/null | vdso >ours.txt
	if [ -d "$1" ]; then
		# Equal times of several files come in the order of the folder on the disk in stock, by number in ours.
		sort stock.txt >stock.sorted && sort ours.txt >ours.sorted && cmp -s stock.sorted ours.sorted && return
	fi
	cmp -s stock.txt ours.txt && return
	diff stock.txt ours.txt | head -n 20
	cat err
	return 1
}

cat >work.sh <<'END'
i=0
while [ $i -lt 20 ]; do
	(ls / | sort >/dev/null)
	i=$((i + 1))
done
END

# A kind that this machine cannot record is left out. Stock's own text is not the same for every recording of a kind (it
# prints what is behind short records, and by rounds): a difference counts when a second recording has it too.
record() { # name, options...
	name=$1
	shift
	for try in 1 2; do
		if ! "$STOCK" record $quick -o "$name.data" "$@" sh work.sh >record.out 2>&1 || [ ! -e "$name.data" ]; then
			echo "not recorded: $name: $(tail -n 1 record.out)"
			return 0
		fi
		if same "$name.data"; then
			echo "same: $name"
			return 0
		fi
	done
	fail "differs from stock for two recordings of the kind '$name'"
}

quick=
record plain
record buildid --buildid-mmap
few_kernel_names # neither prints them here
quick='-B -N' # without build-ids, which stock perf looks for on the whole machine
record fp -g
record dwarf -F 999 --call-graph dwarf,4096
record all -a -g
record fields -d -s -T -P -R -W --phys-data --data-page-size --code-page-size
record regs -I --user-regs=ip,sp
record events -e cpu-clock,page-faults,context-switches
record group -e '{cpu-clock,page-faults}:S'
record switch --switch-events
record places --namespaces --all-cgroups
record zstd -z
record folder --threads -a
record overwrite --overwrite -e cpu-clock
record tracepoint -e sched:sched_switch -a -R
"$STOCK" record $quick -o - -e cpu-clock,page-faults sh work.sh 2>record.out >pipe.data || :
[ ! -s pipe.data ] || same pipe.data || fail "differs from stock for a pipe"
# What is described at the end holds from the start for us; in stock only for samples of the last rounds.
if "$STOCK" record $quick -o late.data --tail-synthesize sh work.sh >record.out 2>&1 &&
	{ "$STOCK" report -D -i late.data 2>/dev/null </dev/null >stock.raw || [ $? -lt 128 ]; }; then # see same()
	grep -v '^ \.\.\.' stock.raw | vdso >stock.txt
	"$PERF" report -D -i late.data | grep -v '^ \.\.\.' | vdso >ours.txt
	cmp stock.txt ours.txt || fail "differs from stock for the recording 'late.data'"
fi
# In file order stock takes a sample for the thread and the maps that it has read so far; ours are those of the sample's time.
[ -s all.data ] || exit 0 # a user may not record all processes
"$STOCK" report -D --disable-order -i all.data 2>/dev/null </dev/null >stock.raw || [ $? -lt 128 ] || exit 0 # see same()
grep -v '^ \.\.\.' stock.raw >stock.txt
"$PERF" report -D --disable-order -i all.data | grep -v '^ \.\.\.' >ours.txt
cmp stock.txt ours.txt || fail "--disable-order differs"
