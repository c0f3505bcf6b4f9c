# perf report names functions of processes outside of a PID namespace, which all have pid 0
. "$PERF_SRC/tests/lib.sh"
need_record

program calls progs/calls -O2 -g -pthread
program hide_pids progs/hide_pids

# ---- the same recording, with and without pids ----
"$PERF" record -q --no-embed -e cpu-clock:u -F 1000 -o shown.data ./calls 2>/dev/null
cp shown.data hidden.data
./hide_pids hidden.data $("$PERF" script -F tid -i shown.data | sort -u)
"$PERF" report --stdio -s sym -i shown.data >want
expect_text want "[.] hot"
expect_status 0 "$PERF" script -F pid,tid -i hidden.data
[ "$(tr -d " " <out | sort -u)" = 0/0 ] || fail "not all are hidden: $(sort -u out)"
for keys in sym dso,sym srcline; do
	"$PERF" report --stdio -s "$keys" -i shown.data | grep -v '^#' >want
	expect_status 0 "$PERF" report --stdio -s "$keys" -i hidden.data
	grep -v '^#' out >rows
	cmp -s want rows || fail "-s $keys: other rows without a pid: $(cat rows)"
done
"$PERF" script -F ip,sym -i shown.data >want
expect_status 0 "$PERF" script -F ip,sym -i hidden.data
cmp want out
for file in shown hidden; do
	"$PERF" export --format folded -o - -i $file.data 2>err | sed 's/^[^;]*;//' >$file.folded
done
cmp shown.folded hidden.folded

# ---- a namespace ----
[ "$(id -u)" = 0 ] || skip "a PID namespace needs root"
need_command unshare
unshare -pf --mount-proc true 2>err || skip "no PID namespace here: $(cat err)"
mkfifo go
cp calls hidden-calls # other tests record programs of the first name now
(
	read -r _ <go
	./hidden-calls
	./hidden-calls
) &
expect_status 0 unshare -pf --mount-proc "$PERF" record -q -a -g -e cpu-clock:u -F 1000 -o ns.data \
	sh -c 'echo >go; sleep 2'
wait
# All processes outside have one pid, so other ones may be in it, too: look at what is in this program.
"$PERF" script --no-inline -F pid,ip,sym,dso -i ns.data >out
awk '/^[^ \t]/ { pid = $1; leaf = 1; next }
	NF && leaf && /hidden-calls\)/ { n++; all += pid == 0; hot += $2 == "inner" || $2 == "hot" || $2 == "middle" }
	NF { leaf = 0 }
	/ main \(.*hidden-calls\)/ { whole++ }
	END { print n + 0, all + 0, hot + 0, whole + 0 }' out >sums
read -r n all hot whole <sums
[ "$n" -gt 0 ] || skip "no sample of another process"
[ "$all" = "$n" ] || fail "not all have pid 0: $(cat sums)"
[ "$hot" -gt $((n / 2)) ] || fail "functions without names: $(cat sums)"
[ "$whole" -gt 0 ] || fail "no whole call chain: $(cat sums)"
