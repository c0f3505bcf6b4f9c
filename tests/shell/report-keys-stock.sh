# report's sort keys of samples' fields against stock perf's, on recordings that have such fields
. "$PERF_SRC/tests/lib.sh"
need_stock
. "$PERF_SRC/tests/compare_reports.sh"
program fill progs/fill_samples -O1
workload='i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
stock record -B -o w.data -F 5000 -e cpu-clock -d -W --transaction --phys-data --data-page-size -- \
	sh -c "$workload" >/dev/null
stock record -B -o b.data -F 5000 -e cpu-clock -d -W --phys-data --data-page-size -- \
	sh -c "$workload" >/dev/null
./fill b.data branches || fail "no samples to fill with branches"
./fill w.data || fail "no samples to fill"

mkdir empty
# Not compared: what stands below the tables, and blanks at the ends of lines.
rows() {
	sed -e '/^# (Tip: /,$d' -e '/^# Completeness/,$d' -e 's/ *$//' "$1"
}

while read -r options; do
	# shellcheck disable=SC2086
	compare w.data $options
done <<'END'
-s weight
-s local_weight
-s weight,ins_lat -n
-s ins_lat
-s local_ins_lat
-s transaction
-s transaction,local_weight -t |
-s addr
-s addr,comm
-s time
-s time --time-quantum 10ms
-s time,comm --time-quantum 3us
-s comm,time --time-quantum 1s
-F overhead,sample,local_ins_lat,weight,dso
-F overhead,overhead_sys,overhead_us,overhead_guest_sys,overhead_guest_us,comm,dso
-F overhead_us,overhead,sym
-s overhead_sys,dso
-s comm,overhead_us -t |
-F overhead,symbol_size
-s dso_size,dso
-s pid
-s pid,comm,dso
-F overhead,symbol,ipc_null
--mem-mode -F overhead,sample,period,comm,dso
--mem-mode -F overhead,mem
--mem-mode -F overhead,snoop,locked -n
--mem-mode -F overhead,tlb,blocked
--mem-mode -F overhead,phys_daddr
--mem-mode -F overhead,data_page_size,local_weight
--mem-mode -F overhead,symbol_daddr,dso_daddr
--mem-mode -F overhead,dso_daddr
--mem-mode -F overhead,symbol_iaddr
--mem-mode -F overhead,dcacheline
--mem-mode -F overhead,dcacheline,dso
--mem-mode -s dcacheline,mem
--mem-mode -F overhead,dso_size
--mem-mode -s local_weight,mem,sym,dso,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat
END

stock record -B -o c.data -F 5000 --sample-cpu -e cpu-clock -- sh -c "$workload" >/dev/null
for keys in socket comm,socket socket,cpu; do
	compare c.data -s $keys
	compare w.data -s $keys
done
for keys in addr_from addr_to addr_from,addr_to,dso_from dso_to,addr_to overhead_sys,dso_to overhead_us,dso_from in_tx abort cycles; do
	compare b.data -b -s $keys
done
if "$STOCK" record -B -o cgroups.data -F 5000 --all-cgroups -e cpu-clock -- sh -c "$workload" >/dev/null 2>&1; then
	compare cgroups.data -s cgroup
	compare cgroups.data -s cgroup,comm -n
fi

# With call chains: functions that -p names. The kernel's have names here.
stock record -B -g --namespaces -o g.data -F 2000 -e cpu-clock -- sh -c "$workload; ls -R /usr/share >/dev/null" >/dev/null
while read -r options; do
	# shellcheck disable=SC2086
	compare g.data -g none $options
done <<'END'
-s parent
-s parent,comm
-s parent,sym --no-children
-p a --no-children
-p ^[a-z]|s_ -s parent,sym --no-children
-p sys_|0x -n --no-children
-p e -x -n -s sym --no-children
-x -s comm
-s cgroup_id,comm --no-children
-s dso_size,comm --no-children
END

expect_status 1 "$PERF" report -s comm,parent -i w.data
expect_line err "perf: error: parents: 'w.data' has no call chains; record with -g to have them"

# The name of data: a variable that a breakpoint guards.
cat >data.c <<'CODE'
volatile long guarded;

int main(void)
{
	for (int i = 0; i < 1000; i++)
		guarded += i;
	return 0;
}
CODE
"${CC:-cc}" -g -O1 -no-pie -o data data.c
at=$(nm data | sed -n 's/^0*\([0-9a-f]*\) . guarded$/\1/p')
if "$STOCK" record -B -o d.data -d -c 1 -e "mem:0x$at:w" ./data >/dev/null 2>&1; then
	"$PERF" report --stdio --mem-mode -F overhead,symbol_daddr,dso_daddr -i d.data >ours 2>/dev/null
	grep -q '\[\.\] guarded+0x0  *data *$' ours || fail "the variable has no name: $(cat ours)"
fi

# Lines of a program: what has none has other texts (differences.md). Stock perf has none of programs in /tmp/perf-*.
own_folder
cat >lines.c <<'CODE'
static volatile long sum;

__attribute__((noinline)) static void add(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
}

int main(void)
{
	for (long i = 0; i < 30000; i++) {
		add(1000);
		sum ^= i;
	}
	return 0;
}
CODE
"${CC:-cc}" -g -O1 -o lines lines.c
stock record -B -o l.data -F 2000 -e cpu-clock:u ./lines >/dev/null
while read -r options; do
	# shellcheck disable=SC2086
	stock report --stdio --no-inline -i l.data $options | sed -n '/lines\.c/s/ *$//p' | sort >stock
	# shellcheck disable=SC2086
	"$PERF" report --stdio --no-inline -i l.data $options 2>ours.err | sed -n '/lines\.c/s/ *$//p' | sort >ours
	nr=$((nr + 1))
	[ -s stock ] || fail "stock perf shows no lines: $options"
	cmp -s stock ours || fail "differs: report -i l.data $options: $(diff stock ours) $(cat ours.err)"
done <<'END'
-s srcline
-s srcline,sym -n
-s comm,srcline -t |
-s srcfile
-F overhead,sample,srcfile,srcline
END

echo "$nr compared, $bad differ"
[ $bad = 0 ]
