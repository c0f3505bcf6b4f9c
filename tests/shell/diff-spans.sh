# diff --span: a program whose calls take longer is slower, and what they do longer is the reason; forms and refusals
. "$PERF_SRC/tests/lib.sh"
need_command cc python3
# 300 calls that sleep for as many us as the argument says; one of 20 sleeps 20 ms on top.
cat >serve.c <<'END'
#include <stdlib.h>
#include <time.h>
static void nap(long us)
{
	nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
	__asm__ volatile("");
}
__attribute__((noipa)) void handle_request(long us, int i)
{
	nap(i % 20 ? us : us + 20000);
	__asm__ volatile("");
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 300; i++)
		handle_request(argc > 1 ? atol(argv[1]) : 0, i);
	return 0;
}
END
cc -g -O1 -fno-omit-frame-pointer -o serve serve.c
need_wakings
for i in 1 2; do
	"$PERF" record --span handle_request -e cpu-clock -o old$i.data ./serve 1000 >out 2>err || skip "spans cannot be recorded here: $(head -n 1 err)"
	expect_status 0 "$PERF" record --span handle_request -e cpu-clock -o new$i.data ./serve 8000
done
cat >judge.py <<'END'
import json, os, sys
d = json.load(open("out"))
try:
    import jsonschema
    jsonschema.Draft7Validator(json.load(open(os.environ["PERF_SRC"] + "/Documentation/diff-spans-schema.json"))).validate(d)
except ImportError:
    pass
nr, named = int(sys.argv[1]), sys.argv[2] == "named"
assert d["name"] == "handle_request" and [s["number"] for s in d["sides"]] == [300 * nr, 300 * nr], d["sides"]
of = {x["what"]: x for x in d["durations"]}
assert 1e6 <= of["p50"]["old"]["ns"] and 8e6 <= of["p50"]["new"]["ns"], of
for x in of.values():  # where the machine is busy, it cannot tell
    assert x["verdict"] in ("slower", "cannot tell", "too few"), x
assert of["p50"]["verdict"] == "slower" or of["p50"]["high"] > 2 * of["p50"]["low"], of
assert of["mean"]["low"] <= of["mean"]["change"] <= of["mean"]["high"], of
for side in "old", "new":
    assert abs(sum(r[side] for r in d["reasons"]) - of["mean"][side]["ns"]) <= 1, (side, d["reasons"])
sleep = [r for r in d["reasons"] if r["what"] == "sleep" or not named]
assert any(r["verdict"] == "more" and 0.8 * 7e6 <= r["change"] for r in sleep), d["reasons"]
print("slower" if any(x["verdict"] == "slower" and x["change"] >= 1.5 for x in of.values()) else "cannot tell")
END
named=named
hides_kernel && named=
expect_status 0 "$PERF" diff --span --json old1.data new1.data
verdict=$(python3 judge.py 1 "$named") || fail "one recording a side: $(cat out)"
expect_status 0 "$PERF" diff --span --json old1.data old2.data -- new1.data new2.data
python3 judge.py 2 "$named" >verdict || fail "two recordings a side: $(cat out)"

expect_status 0 "$PERF" diff --span=handle_request old1.data new1.data
expect_text out "# Spans 'handle_request': old1.data -> new1.data"
expect_text out '# One recording a side'
grep -q ' p50$' out || fail "no row of p50: $(cat out)"
[ -z "$named" ] || grep -q 'more *sleep$' out || fail "no row of what explains it: $(cat out)"
if [ "$verdict" = slower ]; then
	expect_text out '# slower: p'
	expect_status 2 "$PERF" diff --span --fail-on slower:50 old1.data new1.data
	expect_text err " of 'handle_request' is slower by "
fi
expect_status 0 "$PERF" diff --span --fail-on slower:50 new1.data old1.data
expect_empty err
expect_status 0 "$PERF" diff --span --time 0%-50% old1.data new1.data

# What cannot be
expect_status 1 "$PERF" diff --span old1.data old1.data
expect_text err 'name each run once'
expect_status 1 "$PERF" diff --span=other old1.data new1.data
expect_text err "'old1.data': the recording has no spans 'other'"
expect_status 1 "$PERF" diff --span --markdown old1.data new1.data
expect_text err '--span and --markdown exclude each other'
expect_status 1 "$PERF" diff --span -S main old1.data new1.data
expect_text err 'they have no other filters'
"$PERF" record -e cpu-clock -o plain.data true >/dev/null 2>&1
expect_status 1 "$PERF" diff --span old1.data plain.data
expect_text err "'plain.data': the recording has no spans"
