# perf record -G: samples of the tasks of a control group, and of nobody else
. "$PERF_SRC/tests/lib.sh"
need_record
[ "$(id -u)" = 0 ] || skip "only root can make control groups"
mount=$(awk '$3 == "cgroup" && "," $4 "," ~ /,perf_event,/ { print $2; exit }' /proc/self/mounts)
[ "$mount" ] || mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
[ "$mount" ] || skip "no control groups are mounted here"
program prog progs/stacks -O2 -g -pthread
group=perf-test-$$
mkdir "$mount/$group" 2>/dev/null && mkdir "$mount/$group/inner" || skip "no control group can be made in $mount"
pids=
trap 'kill $pids 2>/dev/null; wait; rmdir "$mount/$group/inner" "$mount/$group"' EXIT
"$PERF" record -o probe.data -a -e cpu-clock -G $group true >probe 2>&1 || skip "no events for control groups here: $(head -n 1 probe)"

names() { # FILE: whose samples there are
	"$PERF" report --stdio --no-children -g none -F sample,pid -i "$1" 2>err | sed -n 's/^ *[0-9]* *\([0-9]*\):.*/\1/p' | sort -u
}
./prog 100000 4 &
outside=$!
sh -c 'echo $$ >"$0/cgroup.procs" && exec ./prog 100000 4' "$mount/$group" &
member=$!
sh -c 'echo $$ >"$0/cgroup.procs" && exec ./prog 100000 4' "$mount/$group/inner" &
inner=$!
pids="$outside $member $inner"
sleep 0.2

expect_status 0 "$PERF" record -q -o a.data -a -e cpu-clock -G $group sleep 1
names a.data >got
expect_line got $member
expect_line got $inner
expect_lines got 2
expect_status 0 "$PERF" record -q -o a.data -a -e cpu-clock,task-clock -g -G /$group/inner sleep 1
names a.data >got
expect_line got $inner
expect_lines got 1
"$PERF" report --stats -i a.data >out
[ "$(grep -c SAMPLE out)" = 3 ] || fail "not both events have samples: $(cat out)" # all, and each

# One name for each event; none for the second; nothing for what comes behind
expect_status 0 "$PERF" record -q -o a.data -a -e cpu-clock/name=one/ -e cpu-clock/name=two/ -e cpu-clock/name=three/ \
	-G $group/inner,,$group -e cpu-clock/name=four/ sleep 1
"$PERF" report --stdio --no-children -F sample,pid -i a.data >out 2>err
awk '/^# Samples/ { event = $NF } / [0-9]+:/ { split($2, id, ":"); print event, id[1] }' out >got
expect_line got "'one' $inner"
expect_line got "'two' $outside"
expect_line got "'three' $member"
expect_line got "'four' $outside"
[ "$(grep -c "'one'" got)" = 1 ] && [ "$(grep -c "'three'" got)" = 2 ] || fail "others in the groups: $(cat got)"

# The numbers in samples are those of the groups that the records name
expect_status 0 "$PERF" record -q -o a.data -a -e cpu-clock --all-cgroups -G $group sleep 0.5
"$PERF" report -D -i a.data >out
id=$(sed -n "s|.*PERF_RECORD_CGROUP cgroup: \([0-9]*\) /$group/inner$|\1|p" out)
[ "$id" ] || fail "no record names /$group/inner: $(grep CGROUP out)"
[ "$id" = "$(stat -c %i "$mount/$group/inner")" ] || fail "/$group/inner has number $id"
if stock=$(command -v perf) && [ "$(readlink -f "$stock")" != "$(readlink -f "$PERF")" ]; then
	"$stock" report --stdio -s cgroup -i a.data >out 2>&1 || fail "stock: $(cat out)"
	expect_text out " /$group/inner"
fi

expect_status 129 "$PERF" record -e cpu-clock -G $group true
expect_text err "-G needs -a"
expect_status 129 "$PERF" record -a -G $group -e cpu-clock true
expect_text err "for events in front of it"
expect_status 129 "$PERF" record -a -e cpu-clock -G $group,$group true
expect_text err "fewer events"
expect_status 129 "$PERF" record -a -e cpu-clock -G no/such/group true
expect_text err "cannot open cgroup 'no/such/group'"
