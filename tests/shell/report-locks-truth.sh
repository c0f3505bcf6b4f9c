# perf report -s lock,holder: names of locks, and who held them, against programs that write that down themselves (tests/locks)
# serial: compares times
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3 strip
spans=$PERF_BUILD/tests/locks/spans
[ -x "$spans" ] || skip "tests/locks/spans is not built"
need_wakings
hides_kernel && skip "kernel addresses are hidden, and with them the names that tell the kinds of waits"
locks=$PERF_SRC/tests/locks
flags="-g -O2 -fno-optimize-sibling-calls -pthread"
# shellcheck disable=SC2086
{
	$CC $flags -fPIC -shared -o liblocks.so "$locks/library.c"
	$CC $flags -o waits "$locks/locks.c" "$locks/steps.c" -L. -llocks "-Wl,-rpath,$PWD"
}
strip -o stripped waits
# In glibc, waits for a semaphore and for the end of a thread are in functions that only its debug file names.
"$PERF" record -g --off-cpu -o kinds.data ./waits signals truth 2 >/dev/null 2>&1
has_debug=$("$PERF" report --stdio --no-children -g caller -i kinds.data 2>/dev/null | grep -c 'new_sem_wait_slow' || :)

judge() { # PROGRAM CASE
	expect_status 0 "$PERF" record -k mono -g --off-cpu=locks -o w.data "./$1" "$2" truth 8
	"$spans" w.data >spans
	"$PERF" report -g none -s comm,lock,holder --json --percent-limit 0 -i w.data >report.json 2>err || fail "report: $(cat err)"
	python3 "$locks/judge.py" report truth spans report.json >out 2>&1 || { cat out && fail "$1 $2: see the lines above"; }
}

for case in mutex heap library shared interrupted rwlock; do
	judge waits $case
done
[ "$has_debug" = 0 ] || judge waits signals
judge stripped mutex

# --lock keeps one lock's waits.
judge waits mutex
"$PERF" report -g none -s lock --lock pool.lock -i w.data >out 2>err
expect_text out "mutex pool.lock"
if grep -q big_lock out; then fail "--lock pool.lock keeps others"; fi
