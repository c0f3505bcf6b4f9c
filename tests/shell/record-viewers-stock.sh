# perf record: every command of the installed stock perf takes every kind of our recordings
# timeout: 1200
. "$PERF_SRC/tests/lib.sh"
. "$PERF_SRC/tests/viewers/kinds.sh"
. "$PERF_SRC/tests/viewers/stock.sh"
need_record
need_stock
own_folder

record_kinds kinds-of-files
cd kinds-of-files
[ "$(wc -l <kinds)" -ge 12 ] || fail "only these kinds can be recorded: $(cat kinds ./*.err)"
check_stock "$STOCK"
[ ! -s failures ] || fail "$("$STOCK" --version): $(cat failures)"
# The kernel's build-id is there without the header features, too, which a killed recorder does not write.
if [ -r /sys/kernel/notes ] && grep -q -m1 '^0*[1-9a-f]' /proc/kallsyms; then
	for kind in plain killed killed-dwarf threads; do
		[ ! -e $kind.data ] || "$PERF" buildid-list -i $kind.data | grep -qF '[kernel.kallsyms]' ||
			fail "no build-id of the kernel in $kind.data"
	done
	if "$PERF" report -D -i plain.data 2>/dev/null | grep -q 'PERF_RECORD_MMAP2 .*kernel.kallsyms'; then
		fail "samply takes no kernel from an MMAP2 record"
	fi
fi
