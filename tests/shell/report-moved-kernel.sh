# perf report: a kernel and modules at random addresses, far from this machine's: names from --kallsyms, the rows of stock perf
#
# tests/data/moved-kernel was made in a virtual machine (see tests/kernel/run; 1 processor, vdso=0), with our perf:
#   perf record -a --call-graph fp -F 499 -e cpu-clock sh -c 'load 20; dd if=/dev/zero of=/dev/null bs=256k count=1000;
#           find /lib /proc >/dev/null'
# kallsyms has the symbols of that kernel's /proc/kallsyms that were hit, and those after them. rows is the output of
# stock perf 6.1 with all of /proc/kallsyms and the options below.
. "$PERF_SRC/tests/lib.sh"
from=$PERF_SRC/tests/data/moved-kernel
gzip -dc "$from/perf.data.gz" >perf.data
mkdir nothing
rows() { # OPTION...
	"$PERF" report --stdio --no-children -g none -F overhead,sample,comm,dso,sym -t '|' -i perf.data --symfs nothing "$@" 2>err |
		grep -v '^#\|^$'
}
rows --kallsyms "$from/kallsyms" >got
diff "$from/rows" got >differ || fail "other rows: $(head -n 5 differ)"

# Callers, too: the module's function was called through the kernel's.
"$PERF" report --stdio --no-children -G -i perf.data --symfs nothing --kallsyms "$from/kallsyms" -S crypto_sha3_update >out
for caller in shash_async_update hash_sendmsg __sock_sendmsg __sys_sendto do_syscall_64 entry_SYSCALL_64_after_hwframe; do
	grep -qw "$caller" out || fail "no caller $caller: $(cat out)"
done

# The same kernel after another boot: its symbols are elsewhere, and are brought to where they were.
sed 's/^ffffffffa8/ffffffff91/; s/^ffffffffa9/ffffffff92/' "$from/kallsyms" >moved
cmp -s moved "$from/kallsyms" && fail "nothing was moved"
rows --kallsyms moved >got
diff "$from/rows" got >differ || fail "other rows with the symbols of another boot: $(head -n 5 differ)"

# A data directory of stock perf's record --kcore has its kernel's symbols with it; what the user names comes first.
mkdir -p directory/kcore_dir
cp perf.data directory/data
cp "$from/kallsyms" directory/kcore_dir
"$PERF" report --stdio --no-children -g none -F overhead,sample,comm,dso,sym -t '|' -i directory --symfs nothing 2>err |
	grep -v '^#\|^$' >got
diff "$from/rows" got >differ || fail "other rows with kcore_dir: $(head -n 5 differ)"
sed 's/\([tTwW]\) /\1 asked_/; s/asked__text$/_text/' "$from/kallsyms" >asked
"$PERF" report --stdio -F sym -i directory --symfs nothing --kallsyms asked >got 2>err
grep -q '\[k\] asked_' got || fail "--kallsyms does not come first: $(head got)"
if grep '\[k\] [b-z]' got; then fail "names of kcore_dir beside those of --kallsyms"; fi

# Without symbols, this machine's kernel does not lend its own.
rows >got
grep -q '|\[kernel.kallsyms\] *|\[k\] 0xffffffffa8' got || fail "no unresolved rows: $(head got)"
grep '|\[k\] [^0]' got && fail "names of another kernel"
exit 0
