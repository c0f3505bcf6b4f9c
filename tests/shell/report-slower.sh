# --span, --slower and --faster of report, export, script and annotate: a program whose slow requests are known
. "$PERF_SRC/tests/lib.sh"
need_command cc python3
# Each of two threads handles 300 requests; every 50th sleeps 20 ms. It prints the ns of those that took at least 10 ms,
# by its own clock, and their number.
cat >serve.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static atomic_long slow_ns, nr_slow;
static long ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
__attribute__((noipa)) static void compute(long us)
{
	long end = ns(CLOCK_THREAD_CPUTIME_ID) + us * 1000;
	while (ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 1000; i++)
			;
}
__attribute__((noipa)) static void wait_for_disk(void)
{
	usleep(20000);
	__asm__ volatile("");
}
__attribute__((noipa)) void handle_request(int i)
{
	compute(i % 50 ? 300 : 1000);
	if (i % 50 == 0)
		wait_for_disk();
	__asm__ volatile("");
}
static void *serve(void *arg)
{
	for (int i = 1; i <= 300; i++) {
		long begin = ns(CLOCK_MONOTONIC), took;
		handle_request(i);
		took = ns(CLOCK_MONOTONIC) - begin;
		if (took >= 10000000) {
			slow_ns += took;
			nr_slow++;
		}
		usleep(100);
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, serve, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%ld %ld\n", slow_ns, nr_slow);
	return 0;
}
END
cc -g -O1 -fno-omit-frame-pointer -pthread -o serve serve.c
need_wakings
"$PERF" record --span handle_request -e cpu-clock -o s.data ./serve >truth 2>err || skip "spans cannot be recorded here: $(head -n 1 err)"
hides_kernel && skip "kernel addresses are hidden, and with them what tells locks from other waits"

# All rows are time in slow spans; their sum is that of the durations, and what the program saw.
"$PERF" report --slower 10ms --children -g none -s symbol --json -i s.data >slow.json 2>err || fail "--slower: $(cat err)"
"$PERF" report --faster p50 --children -g none -s symbol --json -i s.data >fast.json 2>err || fail "--faster: $(cat err)"
"$PERF" report -g none -s symbol --json -i s.data >all.json 2>err || fail "report: $(cat err)"
cat >judge.py <<'END'
import json, sys
def table(path):
    tables = json.load(open(path))["tables"]
    assert not any("span:" in e for t in tables for e in t["events"]), path
    return next(t for t in tables if t["kind"] == "times")
true_ns, true_nr = map(int, sys.argv[1:])
for path in "slow.json", "fast.json":
    t = table(path)
    s = t["in_spans"]
    assert s["counts"] == "time" and s["name"] == "handle_request" and s["of"] == 600, s
    assert s["ns"] == t["period"] == sum(r["period"] for r in t["rows"]), (s, t["period"])
slow, fast = table("slow.json"), table("fast.json")
s = slow["in_spans"]
assert abs(s["spans"] - true_nr) <= 2, (s, true_nr)  # the clock is read before and after
assert 0.8 * true_ns - 50e6 <= s["ns"] <= 1.05 * true_ns + 50e6, (s, true_ns)  # or more, where the machine is busy
of = {r["symbol"]["name"]: r for r in slow["rows"]}
assert of["wait_for_disk"]["waiting"] >= 12 * 19e6, of
assert s["at_least"] == 10_000_000 and "at_most" not in s, s
assert fast["in_spans"]["spans"] >= 300 and fast["in_spans"]["at_most"] < 10_000_000, fast["in_spans"]
assert not any(r["symbol"]["name"] == "wait_for_disk" for r in fast["rows"]), fast["rows"]
assert "in_spans" not in table("all.json")
print(s["ns"], s["spans"])
END
# shellcheck disable=SC2046
sums=$(python3 judge.py $(cat truth)) || fail "the tables are not true"
ns=${sums% *}
nr=${sums#* }
expect_status 0 "$PERF" export -i s.data --slower 10ms -o s.folded
expect_text err "only time in spans handle_request of at least 10.0 ms: $nr of 600"
[ "$(awk '{ sum += $NF } END { printf "%.0f", sum }' s.folded)" = "$ns" ] || fail "the export has another sum"
grep 'wait_for_disk' s.folded >found || fail "the export lacks the wait: $(cat s.folded)"
for f in $("$PERF" export --format list | awk '{ print $1 }'); do
	expect_status 0 "$PERF" export -i s.data --slower 10ms --format "$f" -o "x.$f"
done
expect_status 0 "$PERF" report --slower 10ms --html -o s.html -i s.data

# The text says what it is of; also the tables of single events, which count samples
expect_status 0 "$PERF" report --slower p99 -g none -i s.data
expect_text out '# Only time in spans handle_request of at least'
expect_text out '(p99): '
# What is known of a wait is found, whatever part of it counts. A kernel may not tell which timers woke threads.
"$PERF" report -s holder -g none -i s.data >all 2>/dev/null
expect_status 0 "$PERF" report --slower 10ms -s holder -g none -i s.data
if grep -q '  interrupt' all; then expect_text out '  interrupt'; fi
expect_status 0 "$PERF" report --slower 10ms --stdio -g none -i s.data
expect_text out "# Only samples in spans handle_request of at least 10.0 ms: $nr of 600"
for form in --no-tui --stdio; do
	"$PERF" report --slower 10ms $form --threads 1 -i s.data >one 2>/dev/null
	"$PERF" report --slower 10ms $form --threads 3 -i s.data >three 2>/dev/null
	"$PERF" report --slower 10ms $form -i - <s.data >pipe 2>/dev/null
	# a pipe has no file to name, where samples have no symbol
	grep -v '^# Why each binary' one >file
	cmp one three && cmp file pipe || fail "--slower $form depends on how the recording is read"
done

# Samples of perf script are in such a span of their thread.
expect_status 0 "$PERF" script --slower 10ms --ns -F tid,time,event,period -i s.data
expect_text err "only samples in spans handle_request of at least 10.0 ms: $nr of 600"
cat >samples.py <<'END'
import sys
samples = []
for line in open("out"):
    words = line.split()
    if len(words) == 4 and words[1].endswith(":"):
        samples.append((int(words[0]), int(words[1][:-1].replace(".", "")), words[3].rstrip(":"), int(words[2])))
    elif len(words) >= 4 and words[1].endswith(":"):
        raise AssertionError(line)
spans = [(tid, time - period, time) for tid, time, event, period in samples if event.startswith("span:")]
assert len(spans) == int(sys.argv[1]), (len(spans), samples[:5])
others = [s for s in samples if not s[2].startswith("span:")]
assert len(others) > 10, samples
for tid, time, event, period in others:
    assert any(t == tid and begin < time <= end for t, begin, end in spans), (tid, time, event)
END
python3 samples.py "$nr" || fail "perf script prints other samples: $(head -n 5 out)"
expect_status 0 "$PERF" annotate --faster p50 -i s.data compute
expect_text err 'only samples in spans handle_request of at most'

# What cannot be
expect_status 1 "$PERF" report --slower 10s -i s.data
expect_text err 'the recording has no span handle_request of at least 10.0 s'
expect_text err 'its 600 spans took'
expect_status 1 "$PERF" report --slower soon -i s.data
expect_text err "--slower: 'soon' is neither a quantile such as p99 nor a time such as 20ms"
expect_status 1 "$PERF" report --slower p99 --blocked-by -i s.data
expect_text err '--blocked-by and --slower exclude each other'
expect_status 1 "$PERF" script --span=other -i s.data
expect_text err "the recording has no spans 'other'"
expect_text err 'it has: handle_request'
"$PERF" record -e cpu-clock -o plain.data true >/dev/null 2>&1
for command in "report --slower p99" "export --span -o plain.folded" "script --faster 1ms" "annotate --slower p99"; do
	# shellcheck disable=SC2086
	expect_status 1 "$PERF" $command -i plain.data
	expect_text err 'the recording has no spans'
	expect_text err 'record --span FUNCTION'
done
