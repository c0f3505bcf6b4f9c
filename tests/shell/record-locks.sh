# perf record --off-cpu=locks: each wait, and who ended it, against programs that write that down themselves (tests/locks).
# make check-locks judges more programs, and reports.
# serial: compares times
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
spans=$PERF_BUILD/tests/locks/spans
[ -x "$spans" ] || skip "tests/locks/spans is not built"
need_wakings
locks=$PERF_SRC/tests/locks
$CC -g -O2 -fno-optimize-sibling-calls -pthread -o waits "$locks/locks.c" "$locks/steps.c" "$locks/library.c"

for case in mutex shared rwlock signals; do
	expect_status 0 "$PERF" record -k mono -g --off-cpu=locks -o $case.data ./waits $case truth 8
	"$spans" $case.data >spans || fail "the spans of $case cannot be read"
	python3 "$locks/judge.py" recorder truth spans >out 2>&1 || { cat out && fail "$case: see the lines above"; }
done

# Short ones: each of four threads takes a lock 2,000 times.
expect_status 0 "$PERF" record -k mono -g --off-cpu=locks -o rate.data ./waits rate-mutex truth 2000 50
"$spans" rate.data >spans
python3 "$locks/judge.py" recorder truth spans >out 2>&1 || { cat out && fail "rate-mutex: see the lines above"; }

# Without locks, nothing of that is recorded.
expect_status 0 "$PERF" record -k mono -g --off-cpu -o plain.data ./waits mutex truth 2
"$spans" plain.data >spans
if grep -qv '^details' spans; then fail "plain --off-cpu records details of waits: $(grep -v '^details' spans | head -n 2)"; fi
