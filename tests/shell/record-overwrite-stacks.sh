# perf record --overwrite -g: snapshots have whole call chains in small files, also of programs that are gone
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record
may_record --overwrite=20s -g -e cpu-clock:u -F 500 || skip "cannot keep 20 s here: $(head -n 1 probe.out)"
. "$PERF_SRC/tests/chains.sh"

expect_status 0 "$PERF" record --overwrite=20s -g -e cpu-clock:u -F 500 -o a.data ./prog 150
folded a.data >a
expect_share a "main;.*qsort.*;compares;$rest" 10
expect_share a "thread;$rest" 20
expect_share a "$outermost" 97
expect_plain a.data
"$PERF" report --stdio -i a.data >out 2>err
grep -Eq '^# Call chains: [0-9]+ unwound from [0-9]+ bytes of stack while recording, ' out &&
	awk -v whole="$(whole_chains out)" 'BEGIN { exit whole < 90 }' ||
	fail "no word of the chains: $(tail -n 5 out)"

# Programs that ended, and whose files are gone, too
z=-z
"$PERF" record -q -z -o z.data -e cpu-clock:u true 2>/dev/null || z=
expect_status 0 "$PERF" record $z --overwrite=20s -g -e cpu-clock:u -F 500 -o g.data sh -c '
	for i in 1 2; do cp prog gone$i; ./gone$i 150; rm gone$i; done; for i in 1 2 3 4 5 6 7 8 9; do ./prog 10; done'
folded g.data >g
expect_share g "$outermost" 95
for i in 1 2; do
	"$PERF" report --stdio -g none -s comm,sym -i g.data 2>err | grep -Eq " gone$i +\[\.\] leaf" || fail "no names of ./gone$i"
done

# Snapshots while programs end
"$PERF" record --overwrite -m 256 -g -e cpu-clock:u -F 2000 -o s.data sh -c "
	for i in \$(seq 20); do kill -USR2 \$PPID; sleep 0.1; done & while kill -0 \$! 2>/dev/null; do ./prog 5; done; wait" >out 2>err ||
	fail "status $?: $(cat err)"
"$PERF" report -D -i s.data >dump 2>/dev/null || fail "the file with snapshots cannot be read"
rounds=$(grep -c PERF_RECORD_FINISHED_ROUND dump)
[ "$rounds" -ge 10 ] || fail "$rounds snapshots of about 20"
folded s.data | grep '[; ]leaf$' >s || :
expect_share s "$outermost" 95
expect_plain s.data

# A file for each snapshot, of a process that runs for long
./prog 10000000 3 &
pid=$!
trap 'kill $pid 2>/dev/null || :' EXIT
sleep 0.3
expect_status 0 "$PERF" record --overwrite --switch-output=1s -g -e cpu-clock:u -F 500 -p $pid -o w.data sleep 2.5
expect_plain w.data.2*
for f in w.data.2*; do
	folded "$f" | grep '[; ]leaf$' >w || :
	expect_share w "$outermost" 95
done

# The recorder is killed: the snapshot that it took is there
attach --overwrite -g -e cpu-clock:u -F 2000 -p $pid -o k.data
sleep 1
echo snapshot >&8
timeout 600 head -c 3 <&9 >/dev/null || fail "no answer to snapshot: $(cat err)"
kill -KILL $recorder
wait $recorder || :
expect_plain k.data
[ "$samples" -gt 10 ] || fail "$samples samples in a recording that was killed after its snapshot"
folded k.data | grep '[; ]leaf$' >k || :
expect_share k "$outermost" 95

# One event is overwritten, the other is written as it comes
expect_status 0 "$PERF" record -g -e cpu-clock/overwrite/u -e task-clock:u -F 500 -p $pid -o m.data sleep 2
expect_plain m.data
folded m.data | grep '[; ]leaf$' >m || :
expect_share m "$outermost" 95
kill $pid

# Stack copies that the report is to unwind stay
expect_status 0 "$PERF" record --overwrite --call-graph dwarf -e cpu-clock:u -o d.data ./prog 20
"$PERF" report -D -i d.data 2>/dev/null | grep -q ustack || fail "no stack copies with --call-graph dwarf"
