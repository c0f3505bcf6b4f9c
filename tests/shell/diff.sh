# perf diff: takes any recordings; names what changed, and only that; JSON, --fail-on
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
for i in 1 2; do
	"$PERF" record -q -F 2000 -e cpu-clock:u -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
done
[ -f perf.data.old ] || fail "record keeps no perf.data.old"
expect_status 0 "$PERF" diff --stock -s comm
expect_text out " sh"
expect_status 0 "$PERF" diff --stock -s comm perf.data.old perf.data
expect_text out "Baseline"
"$PERF" diff --stock -q -s comm -p perf.data perf.data >out
awk '$2 != $4 || $3 != "+0.00%" { exit 1 }' out || fail "a recording differs from itself: $(cat out)"
expect_status 0 "$PERF" diff -D -q
expect_text out "PERF_RECORD_SAMPLE"
expect_status 1 "$PERF" diff -s nonsense
echo garbage >g.data
expect_status 1 "$PERF" diff perf.data g.data
expect_text err "g.data"

# A second is one of the recording, also where a filter keeps threads that run for a part of it.
"$PERF" record -q -F 2000 -e cpu-clock:u -o two.data -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done
	exec awk "BEGIN { for (i = 0; i < 1000000; i++) n += i }"'
per_sample() { # OPTION...: cost for a second / samples
	"$PERF" diff --json --time 0%-100% "$@" two.data two.data >out
	sed -n 's/.*"old","path":"two.data","samples":\([0-9]*\)}.*/\1/p; s/^"total":{"old":\([^,]*\),.*/\1/p' out |
		awk 'NR == 1 { n = $1 } NR == 2 { printf "%.3g\n", $1 / n }'
}
per_sample >all
per_sample -C sh | cmp - all || fail "a second of the threads of sh is another one: $(per_sample -C sh), not $(cat all)"

# ---- the default view: a change of 3 times cannot be missed, and equal costs are not told apart ----
need_command cc python3
with() { # FOLDER OPTION...
	folder=$1
	shift
	mkdir "$folder"
	cc -O1 -g -fno-omit-frame-pointer -o "$folder/work" "$PERF_SRC/tests/diff/work.c" "$@" || skip "no compiler"
}
with old -DSORT=100 -DPARSE=300
with new -DSORT=300 -DPARSE=300
with moved -DSORT=50 -DPARSE=350
with inlined -DSORT=100 -DPARSE=300 -DINLINE
strip -g inlined/work
with renamed -DSORT=100 -DPARSE=300 -DNAME=find
run() { # BUILD NR: record it, if that was not done before
	[ -e "$1$2.data" ] || "$PERF" record -q -g -F 5000 -e cpu-clock:u -o "$1$2.data" "./$1/work" 600
}
for i in 1 2 3; do
	run old $i
	run new $i
done
run renamed 1
samples=$("$PERF" diff --json old1.data new1.data | sed -n 's/.*"old1.data","samples":\([0-9]*\).*/\1/p')
[ -n "$samples" ] || fail "perf diff --json prints no samples"
[ "$samples" -gt 1000 ] || skip "only $samples samples: this machine is too busy"
# On a busy machine recordings vary so much that nothing can be told: that is no failure, another verdict is.
verdict() { # VERDICT FUNCTION... of out
	want=$1
	shift
	for function; do
		got=$(sed -n "s/^ .*%  *\\(cannot tell\\|[a-z]*\\)  *$function\\( (.*\\)*$/\\1/p" out)
		case $got in
		"$want") ;;
		"cannot tell" | "") echo "$function: cannot tell whether $want" ;;
		*) fail "$function is '$got', not $want: $(cat out)" ;;
		esac
	done
}
expect_status 0 "$PERF" diff old1.data new1.data
verdict slower sort
# A pair of a hundred may accuse a function that did not change; not each pair.
accused=0
for i in 1 2 3; do
	"$PERF" diff old$i.data new$i.data >out
	! grep -Eq ' (slower|faster|new|gone|moved|renamed) +(parse|hash|emit|lookup)' out || accused=$((accused + 1))
	# Changes are without what all functions share: where that is 0.5% or more, a line says so.
	common=$("$PERF" diff --json old$i.data new$i.data | sed -n 's/.*"common":\([0-9.]*\),.*/\1/p')
	told=$(sed -n 's/.*; apart from that, all functions: \([-+0-9.]*\)%.*/\1/p' out)
	awk -v c="$common" -v t="$told" 'BEGIN { x = 100 * (c - 1); exit t == "" ? x * x >= 0.25 : (x - t) ^ 2 > 0.01 }' ||
		fail "all functions share a change of $common, and the text says '$told'"
done
[ $accused -lt 2 ] || fail "something else is accused in $accused of 3 pairs: $(cat out)"
expect_text out "for a run"
expect_text out "perf record --repeat"
expect_status 0 "$PERF" diff new1.data old1.data
verdict faster sort
expect_status 0 "$PERF" diff old1.data old1.data
expect_text out "# 0 functions changed"
expect_status 0 "$PERF" diff old1.data renamed1.data

# one pair of three must show it, unless nothing can be told
any_pair() { # BUILD REGEX OPTION...: lines of REGEX in the difference
	build=$1 regex=$2
	shift 2
	for i in 1 2 3; do
		run "$build" $i
		"$PERF" diff "$@" old$i.data $build$i.data >out
		! grep -Eq "$regex" out || return 0
	done
	grep -q 'cannot tell' out || fail "no '$regex' in three pairs: $(cat out)"
	echo "$build: cannot tell"
}
any_pair renamed 'renamed +(find \(was lookup|lookup \(now find)'
any_pair inlined 'moved +hash$' --no-inline
any_pair moved 'moved +sort$'

# stripped builds whose functions are elsewhere: their code tells which is which
if "$PERF" version --build-options | grep -q ' capstone: \[ on'; then
	with longer -DLONGER -DSORT=300 -DPARSE=300
	nm longer/work >symbols
	sort=$(sed -n 's/^0*\([0-9a-f]*\) t sort$/\1/p' symbols)
	cp -r old stripped
	strip stripped/work longer/work
	for build in stripped longer; do
		"$PERF" record -q -g -F 5000 -e cpu-clock:u -o $build.data ./$build/work 600
	done
	expect_status 0 "$PERF" diff stripped.data longer.data
	verdict slower "work@0x$sort"
	expect_status 0 "$PERF" diff old1.data longer.data
	verdict slower sort
	! grep -Eq '^[^#].* (new|gone) ' out || fail "functions of stripped builds are not joined: $(cat out)"
	# What has no partner is unknown code of one binary, whatever name that has in each build.
	for build in old inlined; do
		objcopy --strip-all --remove-section=.note.gnu.build-id $build/work work-$build
		"$PERF" record -q -g -F 5000 -e cpu-clock:u -o $build.data ./work-$build 600
	done
	expect_status 0 "$PERF" diff --json old.data inlined.data
	grep -q '"function":"\[unknown\]","binary":"work-inlined"' out || fail "no unknown code: $(cat out)"
	! grep -Eq '"verdict":"(new|gone)"|"binary":"work-old"' out || fail "the rest of a stripped build is not joined: $(cat out)"
fi

# A binary has another name in the new build: its functions meet, also those whose names another binary has.
cp old/work prog-1
cp renamed/work prog-2
echo 'volatile long n; __attribute__((noinline)) void sort(void) { while (n < 200000000) n++; }
int main(void) { sort(); return 0; }' >other.c
cc -O1 -g -fno-omit-frame-pointer -o other other.c
"$PERF" record -q -g -F 2000 -e cpu-clock:u -o prog-1.data sh -c './other; ./prog-1 600'
"$PERF" record -q -g -F 2000 -e cpu-clock:u -o prog-2.data ./prog-2 600
expect_status 0 "$PERF" diff --folded prog-1.data prog-2.data
grep -Eq '(^|;)main;sort [1-9][0-9]* [1-9][0-9]*$' out || fail "sort of both builds is not one: $(cat out)"
"$PERF" diff --json prog-1.data prog-2.data | tr '{' '\n' | grep '"function":"\(sort\|main\)","binary":"prog' >rows
! grep -v '"prog-2"' rows || fail "functions of prog-1 are not those of prog-2"
expect_lines rows 2

# several recordings a side
expect_status 0 "$PERF" diff old1.data old2.data old3.data -- new1.data new2.data new3.data
verdict slower sort
expect_text out "old1.data and 2 more -> new1.data and 2 more"
cp out named
expect_status 0 "$PERF" diff --old old1.data --old old2.data --new new1.data --old old3.data --new new2.data --new new3.data
cmp named out || fail "--old and --new differ from --"

# one run named twice is not two runs, which would differ in nothing
cp old1.data copy.data
for twice in "old1.data old2.data copy.data -- new1.data" "new1.data -- old1.data copy.data" "old1.data old1.data -- new1.data"; do
	# shellcheck disable=SC2086
	expect_status 1 "$PERF" diff $twice
	expect_lines err 1
	expect_text err "has the samples of 'old1.data'"
done

# one side without names: its functions look new, and a line says so
cp -r old elsewhere
"$PERF" record -q --no-embed -g -F 5000 -e cpu-clock:u -o nameless.data ./elsewhere/work 600
rm -r elsewhere
expect_status 0 "$PERF" diff nameless.data old1.data
expect_text err "of the old side, "
expect_text err "perf doctor FILE"

# for programs
if "$PERF" diff old1.data new1.data | grep -q ' slower '; then
	expect_status 2 "$PERF" diff --fail-on slower old1.data new1.data
	grep -Eq "^--fail-on: ('[^']+' is (slower by [0-9.]+%|new)|the total is higher by [0-9.]+%)\$" err || fail "no reason: $(cat err)"
	expect_status 2 "$PERF" diff --fail-on slower:50 old1.data new1.data
fi
expect_status 0 "$PERF" diff --fail-on slower:900 old1.data new1.data
expect_status 0 "$PERF" diff --fail-on slower old1.data old1.data
expect_status 0 "$PERF" diff --json old1.data new1.data
cat >check.py <<'PY'
import json, os
d = json.load(open("out"))
try:
    import jsonschema
    schema = json.load(open(os.environ["PERF_SRC"] + "/Documentation/diff-schema.json"))
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.Draft7Validator(schema).validate(d)
except ImportError:
    pass
sums = [sum(f["self"][side] for f in d["functions"]) for side in ("old", "new")]
for total, s in zip((d["total"]["old"], d["total"]["new"]), sums):
    assert abs(total - s) <= 1e-3 * total, (total, sums)
for f in d["functions"]:
    assert f["total"]["old"] >= f["self"]["old"] * 0.999, f
    if "low" in f["self"] and f["self"]["low"] is not None and f["self"]["high"] is not None:
        assert f["self"]["low"] <= f["self"]["change"] <= f["self"]["high"], f
sort = [f for f in d["functions"] if f["function"] == "sort"][0]
assert sort["verdict"] in ("slower", "cannot tell") and sort["caller"] == "main", sort
assert sort["self"]["new"] > 2 * sort["self"]["old"], sort
main = [f for f in d["functions"] if f["function"] == "main"][0]
assert main["total"]["new"] > 0.9 * d["total"]["new"], main
assert sum(d["verdicts"].values()) == len(d["functions"])
PY
python3 check.py || fail "the JSON is wrong"
cp out json

expect_status 0 "$PERF" diff --folded old1.data new1.data
sums=$(awk '{ old += $(NF - 1); new += $NF } END { printf "%.0f %.0f", old, new }' out)
want=$(python3 -c 'import json; t = json.load(open("json"))["total"]; print("%.0f %.0f" % (t["old"], t["new"]))')
# JSON has six digits
echo "$sums $want" | awk '{ exit !($1 / $3 > 0.99999 && $1 / $3 < 1.00001 && $2 / $4 > 0.99999 && $2 / $4 < 1.00001) }' ||
	fail "folded: $sums, not $want"
grep -Eq '(^|;)main;sort [0-9]+ [0-9]+$' out || fail "no stack of sort: $(head -n 5 out)"
LC_ALL=C sort -c out || fail "folded: not sorted"
expect_status 1 "$PERF" diff --folded --json old1.data new1.data
expect_status 1 "$PERF" diff --stock --per 3 old1.data new1.data

# handlers of interrupts are one row, whatever they run; with one run each it accuses nobody
if "$PERF" record -q -g -F 5000 -e cpu-clock -o kernel.data ./old/work 600 2>/dev/null; then
	"$PERF" diff --json kernel.data old1.data >out 2>/dev/null || "$PERF" diff --json kernel.data kernel.data >out
	python3 - <<'PY' || fail "interrupts are not apart"
import json
rows = json.load(open("out"))["functions"]
entries = [f for f in rows if f["function"].startswith(("asm_sysvec_", "irqentry_", "handle_softirqs"))]
assert all(f["self"]["old"] == 0 for f in entries), entries
apart = [f for f in rows if f["function"] == "[interrupts]"]
assert bool(apart) >= bool(entries) and all(f["verdict"] in ("too few", "cannot tell", "same") for f in apart), apart
PY
fi

# other units, other events, nothing to compare
expect_status 0 "$PERF" diff --per 1500 old1.data new1.data
expect_text out "for 1/1500"
expect_status 0 "$PERF" diff --per cpu-clock:u old1.data new1.data
expect_text out "for one of cpu-clock:u"
expect_status 1 "$PERF" diff --per inf old1.data new1.data
expect_status 1 "$PERF" diff --per nothing old1.data new1.data
expect_text err "no event 'nothing'"
"$PERF" record -q -e task-clock:u -o other.data true
expect_status 1 "$PERF" diff old1.data other.data
expect_text err "no event 'cpu-clock:u'"
"$PERF" record -q -e cpu-clock:u -c 1000000000000 -o empty.data true
expect_status 1 "$PERF" diff old1.data empty.data
expect_text err "no samples"
expect_lines err 1
expect_status 129 "$PERF" diff old1.data --
expect_status 129 "$PERF" diff --old old1.data
expect_status 129 "$PERF" diff --fail-on faster old1.data new1.data
