# perf record --off-cpu=locks without the right to record wakings: it says why nobody holds locks, and has the rest
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
need_nobody
spans=$PERF_BUILD/tests/locks/spans
[ -x "$spans" ] || skip "tests/locks/spans is not built"
program "$dir/steps" progs/lock_steps -O2 -pthread
chmod 755 "$dir/steps"

# With CAP_PERFMON no setting is in the way of switches; folders of tracepoints are root's, as a rule.
capable() {
	setpriv --reuid "$nobody_id" --regid "$nobody_id" --clear-groups --inh-caps +perfmon --ambient-caps +perfmon \
		env HOME="$dir" sh -c 'cd "$1" && shift && exec "$@"' sh "$dir" "$@"
}
ns() { python3 -c 'import time; print(time.monotonic_ns())'; }

capable ./perf record --off-cpu -e cpu-clock -o probe.data true >out 2>&1 || skip "no CAP_PERFMON here: $(head -n 1 out)"
if capable ./perf record -e sched:sched_waking -o probe.data true >out 2>&1; then skip "any user may record wakings here"; fi
begin=$(ns)
expect_status 0 capable ./perf record -g -k mono --off-cpu=locks -e cpu-clock -o a.data ./steps said
expect_line err "perf: warning: who ends waits is not recorded, so holders of locks stay unknown:"
sed -n '/holders of locks/,+2p' err >why
grep -q '^cannot find tracepoint .sched:sched_waking.: ' why || { cat err; fail "no reason on the second line"; }
grep -q '^run perf as root' why || { cat err; fail "no advice on the third line"; }
[ "$(grep -c 'holders of locks' err)" -eq 1 ] || { cat err; fail "the warning is there twice"; }

# No event that nothing can be in; locks and times are there.
expect_status 0 "$PERF" evlist -i "$dir/a.data"
expect_line out offcpu-time
expect_line out ready-time
expect_lines out 3
"$spans" "$dir/a.data" >text || fail "spans cannot be read"
python3 "$PERF_SRC/tests/progs/wait_details.py" "$dir/said" "$begin" "$(ns)" no-wakers <text 2>why || { cat "$dir/said" text why; fail "$(tail -n 1 why)"; }
