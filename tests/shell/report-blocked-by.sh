# report --blocked-by and --critical-path: programs whose holders, waits and slowest parts are known
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
# A thread holds a lock for 5 ms computing in hold_computing() and 3 ms in hold_sleeping(), 40 times; two others want it. It prints
# the ns from its beginning to its end. All that others wait for is in these two functions, and they take nearly all of the time.
cat >hold.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ends;
static long ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
__attribute__((noipa)) static void hold_computing(void)
{
	long end = ns(CLOCK_THREAD_CPUTIME_ID) + 5000000;
	while (ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 10000; i++)
			;
}
__attribute__((noipa)) static void hold_sleeping(void)
{
	usleep(3000);
	__asm__ volatile("");
}
static void *hold(void *arg)
{
	pthread_setname_np(pthread_self(), "holder");
	for (int i = 0; i < 40; i++) {
		pthread_mutex_lock(&lock);
		hold_computing();
		hold_sleeping();
		pthread_mutex_unlock(&lock);
		usleep(2000);
	}
	ends = 1;
	return arg;
}
static void *want(void *arg)
{
	pthread_setname_np(pthread_self(), arg);
	while (!ends) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		usleep(500);
	}
	return arg;
}
int main(void)
{
	long begin = ns(CLOCK_MONOTONIC);
	pthread_t t[3];
	pthread_create(&t[0], NULL, hold, NULL);
	pthread_create(&t[1], NULL, want, "first");
	pthread_create(&t[2], NULL, want, "second");
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", ns(CLOCK_MONOTONIC) - begin);
	return 0;
}
END
cc -g -O1 -fno-omit-frame-pointer -pthread -o hold hold.c
need_wakings
expect_status 0 "$PERF" record -g --off-cpu=locks -e cpu-clock -o h.data ./hold
elapsed=$(head -n 1 out)
[ "$elapsed" -gt 0 ] || fail "the program did not say its time"
hides_kernel && skip "kernel addresses are hidden, and with them what tells locks from other waits"

# All time is the holder's; the sum is that of the waits, and that of each form of the report.
"$PERF" report --blocked-by --children -g none -s comm,symbol --json -i h.data >blocked.json 2>err || fail "--blocked-by: $(cat err)"
"$PERF" report --children -g none -s lock,holder --json -i h.data >locks.json 2>err || fail "-s lock,holder: $(cat err)"
"$PERF" report --critical-path -g none -s symbol --json -i h.data >path.json 2>err || fail "--critical-path: $(cat err)"
cat >judge.py <<'END'
import json, sys
def table(path):
    return next(t for t in json.load(open(path))["tables"] if t["kind"] == "times")
blocked, path = table("blocked.json"), table("path.json")
locked = sum(r["waiting"] for r in table("locks.json")["rows"] if r.get("lock") == "mutex lock" and "unknown" not in r["holder"])
f = blocked["blocked_by"]
assert f["ns"] == blocked["period"], f
assert abs(f["ns"] + f["ready"] - locked) <= locked / 100, (f, locked)
of = {(r["comm"], r["symbol"]["name"]): r["period_children"] for r in blocked["rows"]}
known = of["holder", "hold_computing"] + of["holder", "hold_sleeping"] + of.get(("holder", "[ready, not running]"), 0)
assert known > 0.8 * f["ns"], (known, f["ns"], of)
ran = f["ns"] - sum(ns for (_, name), ns in of.items() if name == "[ready, not running]")  # much, where others run
assert of["holder", "hold_sleeping"] > 0.1 * ran, (ran, of)
p = path["critical_path"]
assert p["ns"] == path["period"] == sum(r["period"] for r in path["rows"]), p
true = int(sys.argv[1])
assert true <= p["ns"] <= true * 1.03 + 20e6, (true, p["ns"])  # the program's beginning and end come on top
END
python3 judge.py "$elapsed" || fail "the tables are not true"
sum=$(python3 -c 'import json; print(next(t for t in json.load(open("blocked.json"))["tables"] if t["kind"] == "times")["period"])')
expect_status 0 "$PERF" export -i h.data --blocked-by -o h.folded
[ "$(awk '{ sum += $NF } END { printf "%.0f", sum }' h.folded)" = "$sum" ] || fail "the export has another sum"
expect_status 0 "$PERF" report --blocked-by --html -o h.html -i h.data

# The same with any number of threads, from a pipe, and packed
for option in --blocked-by --critical-path; do
	"$PERF" report $option --threads 1 --stdio -i h.data >one 2>/dev/null
	"$PERF" report $option --threads 3 --stdio -i h.data >three 2>/dev/null
	"$PERF" report $option --stdio -i - <h.data >pipe 2>/dev/null
	cmp one three && cmp one pipe || fail "$option depends on how the recording is read"
done
expect_status 0 "$PERF" record -z -g --off-cpu=locks -e cpu-clock -o z.data ./hold
elapsed=$(head -n 1 out)
for i in blocked:--blocked-by path:--critical-path; do
	"$PERF" report "${i#*:}" --children -g none -s comm,symbol --json -i z.data >"${i%:*}.json" 2>err || fail "-z: $(cat err)"
done
"$PERF" report --children -g none -s lock,holder --json -i z.data >locks.json 2>err
python3 judge.py "$elapsed" || fail "the tables of a packed recording are not true"

# One lock, one thread
expect_status 0 "$PERF" report --blocked-by --lock lock -g none -i h.data
expect_text out 'holder'
expect_status 0 "$PERF" report --blocked-by --lock other -g none -i h.data
expect_text err 'no thread waited for a lock that another one held'
expect_status 0 "$PERF" report --critical-path --thread holder -g none -i h.data
expect_text out 'up to the end of thread'
expect_status 1 "$PERF" report --critical-path --thread nobody -i h.data
expect_text err "no thread 'nobody'"
expect_text err ' holder'
expect_status 1 "$PERF" report --blocked-by --critical-path -i h.data
expect_text err 'exclude each other'
expect_status 1 "$PERF" report --thread holder -i h.data
expect_text err '--thread is of --critical-path'

# What a recording lacks is said, with what to type.
expect_status 0 "$PERF" record -g --off-cpu -e cpu-clock -o plain.data true
for command in "report --blocked-by" "report --critical-path" "export --blocked-by -o plain.folded"; do
	# shellcheck disable=SC2086
	expect_status 1 "$PERF" $command -i plain.data
	expect_text err 'does not say who ended the waits'
	expect_text err 'record --off-cpu=locks -g'
done
expect_status 0 "$PERF" record --off-cpu=locks -e cpu-clock -o nochains.data true
expect_status 0 "$PERF" report --blocked-by -i nochains.data
expect_text err 'record with -g'

# A shell that waits for a child, which waits for nothing: the child is the path.
cat >jobs.sh <<'END'
./work 1 &
./work 30 &
wait
END
cat >work.c <<'END'
#include <stdlib.h>
#include <time.h>
__attribute__((noipa)) static void work(int ticks)
{
	while (clock() < ticks * CLOCKS_PER_SEC / 100)
		for (volatile int i = 0; i < 10000; i++)
			;
}
int main(int argc, char **argv)
{
	work(argc > 1 ? atoi(argv[1]) : 0);
	return 0;
}
END
cc -g -O1 -fno-omit-frame-pointer -o work work.c
expect_status 0 "$PERF" record -g --off-cpu=locks -e cpu-clock -o j.data sh jobs.sh
"$PERF" report --critical-path -g none -s comm --json -i j.data >j.json 2>err || fail "jobs: $(cat err)"
python3 - <<'END' || fail "the path does not lead to the child"
import json
t = json.load(open("j.json"))["tables"][0]
rows = {r["comm"]: r["period"] for r in t["rows"]}
assert t["critical_path"]["ns"] == sum(rows.values())
assert t["rows"][0]["comm"] == "work" and rows["work"] > 0.9 * t["period"], rows
END
