# perf report: the name of a BPF program that was loaded while recording
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
