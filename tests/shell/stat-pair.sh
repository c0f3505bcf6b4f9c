# perf stat --repeat-with: two programs in turns; what is counted, the verdicts, statuses, JSON, mistakes
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_command python3
program load progs/stat_load -O1 -no-pie
"$PERF" stat -x, -e page-faults:u true 2>probe || skip "cannot count here: $(head -n 1 probe)"

wrong() { # TEXT OPTION...
	text=$1
	shift
	expect_status 129 "$PERF" stat "$@"
	expect_text err "$text"
	[ ! -e ran ] || fail "the command was run: $*"
}
wrong '--repeat-with' --until-decided touch ran
wrong '--repeat-with' --warmup 1 touch ran
wrong '--repeat-with' --fail-on slower touch ran
wrong '--repeat' --repeat-with touch touch ran
wrong '--repeat' -r 3 --until-decided --repeat-with touch touch ran
wrong '-r 0' -r 0 --repeat-with touch touch ran
wrong '-x' -r 3 -x, --repeat-with touch touch ran
wrong '-I' -r 3 -I 100 --repeat-with touch touch ran
wrong '--fail-on' -r 3 --fail-on faster --repeat-with touch touch ran
wrong 'command' -r 3 --repeat-with touch -a

# Two programs that write what they were asked, and do a known number of writes
for side in old:70 new:77 same:70; do
	name=${side%:*}
	printf '#!/bin/sh\necho "%s $*" >>calls\nexec ./load writes %s\n' "$name" "${side#*:}" >$name
	chmod 755 $name
done
printf '#!/bin/sh\nexit 7\n' >fails
chmod 755 fails

# Each round runs both once, with the same arguments; --warmup adds rounds before
expect_status 0 "$PERF" stat -r 4 --warmup 2 --repeat-with ./new -e page-faults:u -- ./old 'a  b' c
[ "$(grep -c '^old a  b c$' calls)" = 6 ] && [ "$(grep -c '^new a  b c$' calls)" = 6 ] || fail "runs: $(cat calls)"
awk 'NR % 2 { first = $1; next } first == $1 { exit 1 }' calls || fail "a round has one program twice: $(cat calls)"
for text in page-faults:u elapsed user system verdict; do
	expect_text err "$text"
done

# The status of a program that fails comes first, and is said
expect_status 7 "$PERF" stat -r 3 --repeat-with ./fails --fail-on slower -e page-faults:u -- ./old
expect_status 7 "$PERF" stat -r 3 --repeat-with ./old -e page-faults:u -- ./fails
expect_text err "'./fails' failed"
expect_status 127 "$PERF" stat -r 3 --repeat-with ./nosuch -e page-faults:u -- ./old

where=mem:$(./load where):w:u
"$PERF" stat -x, -e "$where" ./load writes 1 2>probe || skip "no breakpoints here ($(head -n 1 probe)): no verdicts"
grep -q '^1,' probe || skip "no breakpoints here: no verdicts"

# Counts without noise: a change of 10% is sure, and none is sure, too
expect_status 0 "$PERF" stat -r 5 --repeat-with ./new -e "$where" -- ./old
grep -q "$where  *70  *77  *+10.0% .*  more$" err || fail "$(cat err)"
expect_status 0 "$PERF" stat -r 5 --repeat-with ./old -e "$where" -- ./new
grep -q "$where  *77  *70  *-9.1% .*  less$" err || fail "$(cat err)"
expect_status 0 "$PERF" stat -r 5 --repeat-with ./same -e "$where" -- ./old
grep -q "$where  *70  *70  *+0.0% .*  same within 1%$" err || fail "$(cat err)"
expect_status 0 "$PERF" stat -r 5 --least-change 20 --repeat-with ./new -e "$where" -- ./old
grep -q "$where .*  same within 20%$" err || fail "$(cat err)"
expect_status 2 "$PERF" stat -r 5 --fail-on slower:5 --repeat-with ./new -e "$where" -- ./old
expect_text err "'$where' grew by 10.0%"

# As JSON
expect_status 0 "$PERF" stat -r 5 -j -o json --repeat-with ./new -e "$where" -- ./old arg
python3 - json "$where" <<'P' || fail "$(cat json)"
import json, sys
d = json.load(open(sys.argv[1]))
assert d["programs"] == {"old": ["./old", "arg"], "new": ["./new", "arg"]}, d["programs"]
assert d["rounds"] == 5
c = [c for c in d["counters"] if c["event"] == sys.argv[2]][0]
assert c["old_runs"] == [70] * 5 and c["new_runs"] == [77] * 5, c
assert c["verdict"] == "slower" and abs(c["change"] - 1.1) < 1e-6, c
assert {"elapsed", "user", "system"} <= {c["event"] for c in d["counters"]}
P
expect_status 0 "$PERF" stat -r 3 -j --repeat-with ./new -e "$where" -- ./old
python3 -c 'import json, sys; json.load(open("err"))' || fail "standard error is not JSON: $(cat err)"
