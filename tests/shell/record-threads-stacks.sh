# perf record --threads -g: whole call chains in small files, as without --threads
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record
. "$PERF_SRC/tests/chains.sh"

# Threads, and several programs at once
expect_status 0 "$PERF" record --threads -g -e cpu-clock:u -F 2000 -o a sh -c './prog 120 & ./prog 120 & wait'
folded a >a.txt
expect_share a.txt "main;.*qsort.*;compares;$rest" 10
expect_share a.txt "thread;$rest" 20
expect_share a.txt "$outermost" 97
expect_plain a
"$PERF" report --stdio -i a >out 2>err
grep -Eq '^# Call chains: [0-9]+ unwound from [0-9]+ bytes of stack while recording, ' out &&
	awk -v whole="$(whole_chains out)" 'BEGIN { exit whole < 90 }' ||
	fail "no word of the chains: $(tail -n 5 out)"

# Short programs, whose maps are in the rings of all CPUs
z=-z
"$PERF" record -q -z -o z.data -e cpu-clock:u true 2>/dev/null || z=
expect_status 0 "$PERF" record $z --threads -g -e cpu-clock:u -F 4000 -o b sh -c '
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do ./prog 10 & ./prog 10 & wait; done'
folded b | grep '[; ]leaf$' >b.txt || :
expect_share b.txt "$outermost" 95

# A running process, and one that another program begins in
sh -c 'while :; do ./prog 30; done' &
pid=$!
trap 'kill $pid 2>/dev/null || :' EXIT
sleep 0.3
expect_status 0 "$PERF" record --threads -g -e cpu-clock:u -F 2000 -p $pid -o c sleep 2
folded c | grep '[; ]leaf$' >c.txt || :
expect_share c.txt "$outermost" 95
expect_share c.txt "recurses;.*aligns;allocates;saves_registers;leaf|handler;leaf" 70
expect_plain c

# The recorder is killed: what was unwound by then is there
attach --threads -g -e cpu-clock:u -F 2000 -p $pid -o k
i=0
while [ "$(cat k/data.* | wc -c)" -lt 60000 ] && [ $((i += 1)) -lt 300 ]; do
	sleep 0.1
done
kill -KILL $recorder
wait $recorder || :
kill $pid
expect_plain k
[ "$samples" -gt 100 ] || fail "$samples samples in a recording that was killed"
folded k | grep '[; ]leaf$' >k.txt || :
expect_share k.txt "$outermost" 95

# Stack copies that the report is to unwind stay
expect_status 0 "$PERF" record --threads --call-graph dwarf -e cpu-clock:u -o d ./prog 20
"$PERF" report -D -i d 2>/dev/null | grep -q ustack || fail "no stack copies with --call-graph dwarf"

# Whole CPUs
"$PERF" record -o probe.data -e cpu-clock -a true >out 2>&1 || skip "CPUs cannot be watched here: $(head -n 1 out)"
expect_status 0 "$PERF" record --threads -g -a -e cpu-clock -F 2000 -o e sh -c 'for i in 1 2; do ./prog & echo $! >>pids; done; wait'
folded e --pid="$(paste -sd , pids)" | # others have a function 'leaf', too
	grep '[; ]leaf$' >e.txt || :
expect_share e.txt "$outermost" 95
expect_plain e
