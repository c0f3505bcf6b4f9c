# perf report: a kernel that was moved at boot: names from --kallsyms and from --vmlinux, none from another kernel
. "$PERF_SRC/tests/lib.sh"
need_shared
command -v xz >/dev/null || skip "no xz to unpack the fixture"
from=$SHARED/fixtures/kaslr-guest
xz -dc "$from/kallsyms.xz" >kallsyms
xz -dc "$from/vmlinux.xz" >vmlinux
rows() { # OPTION...
	"$PERF" report --stdio --no-made-up-names --no-children -g none -F overhead,sample,comm,dso,sym -t '|' -i "$from/perf.data" "$@" 2>err |
		grep -v '^#\|^$'
}
rows --kallsyms kallsyms >got
diff "$from/expected-kallsyms.txt" got >differ || fail "other rows with --kallsyms: $(head -n 5 differ)"
rows --vmlinux vmlinux >got
diff "$from/expected-vmlinux.txt" got >differ || fail "other rows with --vmlinux: $(head -n 5 differ)"

# With neither, this machine's kernel must not lend its names.
rows >got
grep -q '|\[kernel.kallsyms\]|\[k\] 0xffffffff9b' got || fail "no unresolved kernel rows"
grep '|\[kernel.kallsyms\]|\[k\] [^0]' got && fail "names of another kernel"

# The same kernel as if it had not moved: the names must then be other ones, so the relocation above did something.
sed 's/^ffffffff9b/ffffffff8b/' kallsyms >moved
rows --kallsyms moved >got
grep -q clear_user_erms got || fail "a kallsyms taken at another place is not brought to the recorded one"
