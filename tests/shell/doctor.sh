# perf doctor: what can be recorded here, for people and for programs
. "$PERF_SRC/tests/lib.sh"

"$PERF" doctor >out 2>err && status=0 || status=$?
expect_empty err
for row in kernel seccomp lockdown capabilities paranoid processes proc security-modules symbols tracefs hardware watchdog \
	breakpoints sample-rate max-stack locked-memory open-files; do
	[ "$(grep -Ec "^(ok|limits|blocks) +$row +[^ ]" out)" = 1 ] || fail "not one line for '$row': $(cat out)"
done
[ "$(grep -Ec '^  (yes|no ) ' out)" -ge 9 ] || fail "what can be recorded is missing: $(cat out)"
expect_text out "kernel.perf_event_paranoid is $(cat /proc/sys/kernel/perf_event_paranoid)"

# The exit status is that of the attempt.
if "$PERF" record -o probe.data true >probe.out 2>&1; then
	[ $status = 0 ] || fail "status $status, although perf record works"
	expect_text out "perf record PROGRAM works"
	expect_text out "yes  programs of this user, user space"
	if grep '^blocks' out; then fail "blocked, although it works"; fi
	# Fallbacks are those of record.
	grep -q 'recording cpu-clock instead' probe.out && expect_text out "with cpu-clock instead of cycles"
	[ ! -e perf.data ] || fail "the doctor wrote a file"
else
	[ $status = 1 ] || fail "status $status, although perf record does not work: $(cat probe.out)"
	expect_text out "perf record PROGRAM does not work"
fi

# ---- one recording ----
if [ $status = 0 ]; then
	expect_status 0 "$PERF" doctor -e cpu-clock:u,page-faults:u
	expect_text out "the recording asked for works"
	expect_status 0 "$PERF" doctor -e cpu-clock:u -p $$
fi
expect_status 1 "$PERF" doctor -e no-such-event
expect_text out "the recording asked for does not work"
expect_text out "no-such-event"
expect_status 1 "$PERF" doctor -p 999999999
expect_text out "no such process: 999999999"
printf 'no\ttab' >name
expect_status 1 "$PERF" doctor -e "$(cat name)"
if grep "$(printf '\t')" out; then fail "a control character is printed"; fi

# ---- -v and --json ----
"$PERF" doctor -v >out || :
expect_text out "Facts:"
grep -Eq '^  user id +'"$(id -u)"'$' out || fail "no user id among the facts: $(cat out)"
if [ -r /proc/sys/kernel/perf_event_mlock_kb ]; then
	grep -Eq "^  kernel.perf_event_mlock_kb +$(cat /proc/sys/kernel/perf_event_mlock_kb)\$" out || fail "no mlock_kb: $(cat out)"
fi
got=0
"$PERF" doctor --json >j.json || got=$?
[ $got = $status ] || fail "status $got with --json, $status without"
if command -v python3 >/dev/null 2>&1; then
	cat >check.py <<-'PY'
		import json, sys
		d = json.load(open("j.json"))
		assert {c["name"] for c in d["checks"]} >= {"paranoid", "seccomp", "symbols"}, d["checks"]
		assert all(c["verdict"] in ("ok", "limits", "blocks") and c["text"] for c in d["checks"])
		assert all(a["can"] or (a["check"] and a["text"]) for a in d["abilities"])
		assert d["facts"]["kernel.perf_event_paranoid"] == open("/proc/sys/kernel/perf_event_paranoid").read().strip()
		assert d["recording"]["works"] == (sys.argv[1] == "0"), d["recording"]
		d = json.load(open("e.json"))
		assert not d["recording"]["works"] and 'no"\\such' in d["recording"]["error"], d["recording"]
	PY
	expect_status 1 "$PERF" doctor --json -e 'no"\such'
	cp out e.json
	expect_status 0 python3 check.py $status
fi

# ---- usage ----
expect_status 129 "$PERF" doctor -a word
expect_lines err 1
expect_status 129 "$PERF" doctor --no-such-option
expect_lines err 2
exit 0
