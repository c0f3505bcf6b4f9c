# perf report: the name of a BPF program that was loaded while recording, and of one that was there before
# serial: loads and unloads BPF programs, which would appear in the recordings of other tests
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc
[ "$(id -u)" = 0 ] || skip "only root can load BPF programs"
gcc -O1 -o bpf "$PERF_SRC/tests/progs/bpf.c" 2>gcc.err || skip "no linux/bpf.h of today: $(head -n 1 gcc.err)"
./bpf >name.out 2>bpf.err || skip "cannot run BPF programs here: $(cat bpf.err)"
name=$(grep bpf_prog_ name.out)

"$PERF" record -o p.data -e cpu-clock -F 999 ./bpf >record.out 2>&1 || fail "record: $(cat record.out)"
"$PERF" report --stdio -g none -F sym -i p.data >out 2>err || fail "report: $(cat err)"
expect_text out "[k] $name"

hides_kernel && skip "kernel addresses are hidden, also those of BPF programs that were there before"
mkfifo go
./bpf wait <go >before.out &
pid=$!
exec 3>go
trap 'kill $pid 2>/dev/null || true' EXIT
for i_ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	! grep -q bpf_prog_ before.out || break
	sleep 0.2
done
# Its name and size as the kernel shows them.
sed -n 's/^\([0-9a-f]*\) . \(bpf_prog_[^	]*\)	\[bpf\]$/\1 \2/p' /proc/kallsyms | sort >wanted
"$PERF" record -o k.data -e cpu-clock true >record.out 2>&1
"$PERF" report -D -i k.data | sed -n 's/.*KSYMBOL addr \([0-9a-f]*\) len .* name \(.*\)/\1 \2/p' | sort >got
diff wanted got >differ || fail "other programs than in /proc/kallsyms: $(cat differ)"
(sleep 1 && echo go >&3) &
"$PERF" record -o p.data -e cpu-clock -F 999 -p $pid >record.out 2>&1 || fail "record: $(cat record.out)"
"$PERF" report --stdio -g none -F sym -i p.data >out 2>err || fail "report: $(cat err)"
expect_text out "[k] $name"
