# perf evlist's output is that of stock perf 6.1, byte by byte: of both programs' recordings, and of a collection
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
own_mounts
few_kernel_names
need_stock
"$STOCK" version | grep -q '^perf version 6\.1\.' || skip "the installed perf is not 6.1: newer ones print other words with -v"

nr=0 bad=0
compare() { # FILE...
	for f; do
		for o in "" -v -g -F "-v --trace-fields" "-g --trace-fields"; do
			timeout 600 "$STOCK" evlist -i "$f" $o >stock 2>stock.err </dev/null || continue # refuses it, or crashes
			[ -s stock ] || continue # it may end with status 0 although it refuses a file
			timeout 600 "$PERF" evlist -i "$f" $o >ours 2>err </dev/null || :
			nr=$((nr + 1))
			cmp -s stock ours && continue
			bad=$((bad + 1))
			echo "differs: evlist -i $f $o"
			diff stock ours | head -n 6
		done
	done
}

own_folder
record() { # OPTION...: by both programs; what the machine cannot record is left out
	n=$((n + 1))
	{
		"$STOCK" record -B -N -o "stock-$n.data" "$@" true >/dev/null 2>&1 || rm -rf "stock-$n.data"
		"$PERF" record -q -B -N -o "ours-$n.data" "$@" true >/dev/null 2>&1 || rm -rf "ours-$n.data"
	} &
	[ $((n % 6)) != 0 ] || wait # stock perf sleeps for a second each time
}
n=0
record -e cpu-clock
record -e cpu-clock:u -c 12345
record -F 99 -e cpu-clock -e page-faults:u -e cs -e faults -e alignment-faults -e migrations
record -e '{cpu-clock,page-faults},cs,{faults:u,minor-faults:u}'
record -e '{cpu-clock,page-faults}:S' -F 500
record -e cpu-clock/period=100000,name=mine/ -e cpu-clock/freq=77/u
record -e mem:0x1000:rw -e mem:0x2000/4:w:u
record -e sched:sched_switch -e 'sched:sched_process_*' -e cpu-clock
record -e '{sched:sched_switch,sched:sched_wakeup}' -a
record -e raw_syscalls:sys_enter -e syscalls:sys_enter_write -c 3
record -e cpu-clock --call-graph dwarf,4096 -d -W --phys-data --data-page-size
record -e cpu-clock -g -s --namespaces -k mono -I --user-regs=ip,sp
record -e r1a -e cycles -e instructions:u
record -z -e cpu-clock
record --threads -e cpu-clock
record -e dummy:u -e cpu-clock:k
wait
compare ./*.data
[ $nr -ge 60 ] || [ "$(id -u)" != 0 ] || fail "only $nr outputs were compared"
[ $nr -gt 0 ] || skip "stock perf cannot record here"
own=$nr

# A pipe's names and groups are as recorded here, see differences.md.
if [ -d "${PERF_SHARED:-$PERF_SRC/../shared}" ]; then
	need_shared
	for f in $(find "$SHARED/corpus/files" -type f -name '*perf*data*' ! -name '*piped*' ! -name '*.stream' ! -name '*.json' |
		sort); do
		compare "$f"
	done
	[ $nr -ge $((own + 150)) ] || fail "only $((nr - own)) outputs of the collection were compared"
fi
echo "$nr compared, $bad differ"
[ $bad = 0 ]
