# report --span: how long the calls of a program took by its own clock, where their time went, and --fail-on
. "$PERF_SRC/tests/lib.sh"
need_command cc python3
# Each of two threads handles 400 requests of 300 us; one of 20 of alpha's needs a lock that the flusher holds while it sleeps for
# 20 ms, nearly always. The program prints the ns of each request by its own clock.
cat >serve.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
pthread_mutex_t db_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ends;
static long ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
__attribute__((noipa)) void handle_request(int i, int locks)
{
	long end = ns(CLOCK_THREAD_CPUTIME_ID) + 300000;
	while (ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int k = 0; k < 1000; k++)
			;
	if (locks && i % 20 == 0) {
		pthread_mutex_lock(&db_lock);
		pthread_mutex_unlock(&db_lock);
	}
}
static void *serve(void *name)
{
	static _Atomic int nr;
	long took[400];
	pthread_setname_np(pthread_self(), name);
	for (int i = 1; i <= 400; i++) {
		long begin = ns(CLOCK_MONOTONIC);
		handle_request(i, *(char *)name == 'a');
		took[i - 1] = ns(CLOCK_MONOTONIC) - begin;
		usleep(100);
	}
	nr++;
	flockfile(stdout);
	for (int i = 0; i < 400; i++)
		printf("%ld\n", took[i]);
	funlockfile(stdout);
	return NULL;
}
static void *flush(void *arg)
{
	pthread_setname_np(pthread_self(), "flusher");
	while (!ends) {
		pthread_mutex_lock(&db_lock);
		usleep(20000);
		pthread_mutex_unlock(&db_lock);
		usleep(1000);
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[2], NULL, flush, NULL);
	pthread_create(&t[0], NULL, serve, "alpha");
	pthread_create(&t[1], NULL, serve, "bravo");
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	ends = 1;
	pthread_join(t[2], NULL);
	return 0;
}
END
cc -g -O1 -fno-omit-frame-pointer -pthread -o serve serve.c
need_wakings
"$PERF" record --span handle_request -e cpu-clock -o s.data ./serve >truth 2>err || skip "spans cannot be recorded here: $(head -n 1 err)"
[ "$(wc -l <truth)" = 800 ] || fail "the program did not say its times"

expect_status 0 "$PERF" report --span --json -i s.data
cp out s.json
cat >judge.py <<'END'
import json, os, sys
d = json.load(open("s.json"))
try:
    import jsonschema
    jsonschema.Draft7Validator(json.load(open(os.environ["PERF_SRC"] + "/Documentation/report-schema.json"))).validate(d)
except ImportError:
    pass
names = sys.argv[1] == "named"  # functions of the kernel have names, and so have waits
true = sorted(int(x) for x in open("truth"))
assert d["tables"] == [] and len(d["spans"]) == 1
s = d["spans"][0]
assert s["name"] == "handle_request" and s["number"] == s["recorded"] == 800 and s["threads"] == 2, s
assert sum(b["number"] for b in s["histogram"]) == 800
cost = 3 * s.get("cost", 100000) + 50000  # the clock is read outside, where the thread may wait, too
for q in s["quantiles"][:2]:
    at = true[int(q["share"] * 800) - 1]
    assert 0.6 * at - cost <= q["ns"] <= at * 1.05 + cost, (q, at)
assert s["max"] <= true[-1] + cost and 0.6 * sum(true) / 800 - cost <= s["mean"] <= sum(true) / 800 * 1.05 + cost, s["mean"]
# the rows add up, to the nanosecond
for g in range(3):
    assert sum(r["ns"][g] for r in s["reasons"]) == s["groups"][g]["ns"], g
    for r in s["reasons"]:
        assert sum(p["ns"][g] for p in r.get("ended_by", [])) in (r["ns"][g], 0) or "ended_by" not in r, r
assert s["groups"][0]["number"] == 800 and s["groups"][1]["number"] >= 400 and 8 <= s["groups"][2]["number"] <= 20, s["groups"]
of = {(r["kind"], r.get("lock")): r for r in s["reasons"]}
assert of["running", None]["ns"][0] >= 800 * 0.25e6, of
assert "runnable" in {r["kind"] for r in s["reasons"]}
if names:
    lock = of["lock", "mutex db_lock"]
    assert lock["ns"][0] >= 20 * 2e6, lock  # 20 requests, and 20 of 21 ms
    by = {p["name"]: p["ns"] for p in lock["ended_by"] if p["role"] == "holder"}
    assert by["flusher"][0] >= 0.9 * lock["ns"][0], by
END
named=named
hides_kernel && named=
python3 judge.py "$named" || fail "the table is not true"

# The text has the same
expect_status 0 "$PERF" report --span -i s.data
expect_text out "# Spans 'handle_request': 800 of 2 threads in"
expect_text out '# Not followed: coroutines, and work handed to other threads'
expect_text out '# Where the time of a span goes (mean)'
[ -z "$named" ] || expect_text out '    held by flusher '
expect_text out '--span --why'
for option in "--threads 1" "--threads 3"; do
	# shellcheck disable=SC2086
	"$PERF" report --span $option -i s.data | cmp - out || fail "$option changes the table"
done
"$PERF" report --span -i - <s.data | sed 's/ -i -//' >pipe
sed 's/ -i s.data//' out | cmp - pipe || fail "the table differs in a pipe"
tid=$(python3 -c 'import json; print(json.load(open("s.json"))["spans"][0]["slowest"][0]["tid"])')
expect_status 0 "$PERF" report --span=handle_request --tid "$tid" -i s.data
expect_text out "# Spans 'handle_request': 400 of 1 thread in"
expect_status 0 "$PERF" report --span --comms alpha -i s.data
expect_text out "# Spans 'handle_request': 400 of 1 thread in"
expect_status 0 "$PERF" report --span --comms nobody -i s.data
expect_text out "# Spans 'handle_request': 0 of 0 threads in"
expect_status 1 "$PERF" report --span -S main -i s.data
expect_text err 'they have no other filters'
expect_status 1 "$PERF" report --span=other -i s.data
expect_text err "the recording has no spans 'other'"

# --fail-on
expect_status 0 "$PERF" report --span --fail-on p50:10s --fail-on max:100s --fail-on mean:10s -i s.data
expect_empty err
expect_status 2 "$PERF" report --span --fail-on p50:10s --fail-on p90:100us -i s.data
expect_text err "--fail-on: p90 of 'handle_request' is "
expect_text err ', more than 100.0 us'
expect_text err '(95%: '
expect_status 3 "$PERF" report --fail-on p99.99:100s -i s.data
expect_text err "--fail-on: cannot tell p99.99 of 'handle_request': 800 spans are too few (95%: at least "
expect_status 2 "$PERF" report --fail-on p99.99:100s --fail-on mean:1us --json -i s.data
python3 - <<'END' || fail "limits: $(cat out)"
import json
limits = json.load(open("out"))["spans"][0]["limits"]
assert [l["result"] for l in limits] == ["cannot tell", "exceeded"], limits
assert limits[1]["low"] <= limits[1]["ns"] <= limits[1]["high"] and limits[0]["high"] is None, limits
END
expect_status 129 "$PERF" report --fail-on p99 -i s.data
expect_text err "--fail-on: 'p99' is not such as p99:20ms"

# Several kinds; recordings without waits, and without spans
expect_status 0 "$PERF" record --span handle_request --span 'serve..main' --off-cpu -e cpu-clock -o two.data ./serve || true
if [ -s two.data ] && "$PERF" report --span -i two.data >out 2>err; then
	expect_text out "# Spans 'handle_request': 800 of 2 threads"
	expect_text out "# Spans 'serve..main': 0 of 0 threads"
	expect_status 0 "$PERF" report --span=handle_request -i two.data
	! grep -q "serve" out || fail "another kind of spans is shown"
fi
"$PERF" record -e cpu-clock -o plain.data true >/dev/null 2>&1
expect_status 1 "$PERF" report --span -i plain.data
expect_text err 'the recording has no spans'
expect_text err 'record --span FUNCTION'
