# report of a recording with --off-cpu: one table of times, kinds of waits, idle ones
# serial: compares times
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
for prog in wait_kinds idle; do
	cc -O2 -fno-optimize-sibling-calls -pthread -o $prog "$PERF_SRC/tests/progs/$prog.c"
done
"$PERF" record --off-cpu -e cpu-clock -o probe.data true >out 2>&1 || skip "switches cannot be recorded here: $(head -n 1 out)"
expect_status 0 "$PERF" record -g --off-cpu -e cpu-clock,page-faults -o k.data ./wait_kinds
mv out said

# near NAME MS NS BUSY: the time is what the program said, within 5% of the 60 ms that each wait takes; without as much of
# the time in which the thread could run as was before or after the wait, which the program does not know
near() {
	awk -v ms="$2" -v ns="$3" -v busy="$4" 'BEGIN { exit ms < (ns - busy) / 1e6 - 3 || ms > ns / 1e6 + 3 }' ||
		fail "$1: ${2:-0} ms, really $3 ns, of which $4 busy"
}

# Callers have their callees' times.
"$PERF" report -g none -i k.data >table 2>/dev/null
while read -r place true busy; do
	[ "$place" != in_child ] || continue # the child waits there, too
	near "$place" "$(awk -v f="$place" '$NF == f { print $2 }' table)" "$true" "$busy"
done <said
[ "$(wc -l <said)" -eq 14 ] || fail "the program did not say where it waited"
expect_text table "# Milliseconds of all threads: "
expect_text table "of events 'cpu-clock, offcpu-time'"
grep -q '^#  *On CPU  *Waiting  *Self  *Command' table || fail "no columns of times"
if awk '$NF == "schedule" && $2 > 0 && $3 > 0' table | grep .; then fail "the scheduler is not folded"; fi
grep -q ' (lock)$' table || fail "no lock"
# Events that measure no time keep their own table.
expect_text table "of event 'page-faults'"
sed -n "/of event 'page-faults'/,\$p" table | grep -q '^# Children  *Self  *Command' || fail "page-faults have no table of their own"

hides_kernel && skip "kernel addresses are hidden, and with them the names that tell the kinds of waits"

# The kinds, each with all functions that wait so
"$PERF" report --no-children -g none -s wait -i k.data >kinds 2>/dev/null
has_debug=$("$PERF" report --stdio --no-children -g caller -i k.data 2>/dev/null | grep -c 'new_sem_wait_slow' || :)
while read -r kind places; do
	# In glibc these jump to functions that only its debug file names.
	case $kind in semaphore | join) [ "$has_debug" -gt 0 ] || continue ;; esac
	ms=$(awk -v k="$kind" '{ name = $3; for (i = 4; i <= NF; i++) name = name "-" $i } name == k { print $2 }' kinds)
	# shellcheck disable=SC2046
	near "kind $kind" "$ms" $(awk -v p=" $places " 'index(p, " " $1 " ") { n += $2; b += $3 } END { printf "%.0f %.0f", n, b }' said)
done <<'END'
lock in_mutex
condition in_condition
semaphore in_semaphore
join in_join
pipe in_pipe
socket in_socket
event in_eventfd
poll in_poll in_select in_epoll
signal in_signal
child in_child
file-lock in_file_lock
END

# Stock perf's tables: one for each event, in per cent, nothing folded
"$PERF" report --stdio --no-children -g none -i k.data >out 2>/dev/null
expect_text out "of event 'offcpu-time'"
expect_text out "100.00%  wait_kinds"
expect_text out "[k] schedule"
for option in --stdio --group '-F overhead,sym' '-t ,' '-g folded' '-g graph,0.5,caller,function,count'; do
	# shellcheck disable=SC2086
	"$PERF" report $option -i k.data >out 2>/dev/null
	if grep -q '^# .* Waiting ' out; then fail "report $option shows times"; fi
done
# ... with single columns, by a key that needs the kinds
expect_status 0 "$PERF" report --stdio --no-children -g none -s wait -i k.data
expect_text out "%  poll"
expect_status 0 "$PERF" report -F waiting,on_cpu,sym --no-children -g none -i k.data
grep -q '^#  *Waiting  *On CPU  *Symbol' out || fail "-F waiting,on_cpu,sym has other columns"
"$PERF" report -F on_cpu,waiting,self_time,sym --no-children -g none -i k.data 2>/dev/null | grep '^ *[0-9]' >sums
awk '{ d = $3 - $1 - $2; if (d > 0.0015 || d < -0.0015) exit 1; n++ } END { exit n < 14 }' sums || fail "self_time is not the sum: $(cat sums)"

# Idle: the worker waits for work most of the time, the main thread until it ends. A lock is not idle.
expect_status 0 "$PERF" record -g --off-cpu -e cpu-clock -o i.data ./idle
"$PERF" report --no-children -g none -i i.data >table 2>/dev/null
grep -q '(condition, idle)$' table || fail "the worker is not idle"
grep -q '(join, idle)$' table || [ "$has_debug" = 0 ] || fail "the main thread is not idle"
grep -q '(sleep)$' table || fail "a single sleep is idle"
grep -q '(lock)$' table || fail "a lock is idle"
expect_text table "rows that say so; --no-idle leaves them out"
"$PERF" report --no-idle --no-children -g none -i i.data >table 2>/dev/null
if grep -q ', idle' table; then fail "--no-idle shows idle waits"; fi
grep -q '(lock)$' table || fail "--no-idle hides a lock"
expect_text table ", left out"

# Keys of waits need waits.
"$PERF" record -e cpu-clock -o c.data true >/dev/null 2>&1
expect_status 1 "$PERF" report -s wait -i c.data
expect_text err "--sort key 'wait' is of waits: perf record --off-cpu"

# Who ended a wait, and where
expect_status 1 "$PERF" report -s waker -i k.data
expect_text err "record with -e sched:sched_waking"
if "$PERF" record -g --off-cpu -e cpu-clock,sched:sched_waking -o w.data ./wait_kinds >out 2>&1; then
	"$PERF" report --no-children -g none -F waiting,wait,waker -i w.data >wakers 2>/dev/null
	grep -q ' pipe *wait_kinds: .*write.* < write_later < ' wakers || { cat wakers; fail "the waker of a pipe is unknown"; }
	grep -q ' lock *wait_kinds: .*hold_mutex < ' wakers || { cat wakers; fail "the waker of a lock is unknown"; }
fi

# On a terminal: rows and call tree in 80 columns
need_terminal
on_terminal "NO_COLOR=1 '$PERF' report --no-tui -i k.data 2>/dev/null" # without progress
expect_text screen "# Call tree, callers first (on the CPU, waiting):"
grep -q '^ .*(pipe)' screen || fail "no pipe on the terminal"
[ "$(awk 'length > n { n = length } END { print n }' screen)" -le 80 ] || fail "lines are longer than 80 columns"
