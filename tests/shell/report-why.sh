# report --span --why: what slow calls have more of, in a program that knows it
. "$PERF_SRC/tests/lib.sh"
need_command cc python3
# 300 requests of 200 us of CPU, in two threads; one of 20 has the fault that is the argument, which takes 60 ms. flush_log ends in a
# jump to pthread_mutex_unlock.
cat >serve.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
enum { FAULT_MS = 60 };
pthread_mutex_t db_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static sem_t wanted, held;
static const char *fault;
#define KEEP __attribute__((noipa))
static long cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
KEEP void compute(long us)
{
	long end = cpu_ns() + us * 1000;
	while (cpu_ns() < end)
		for (volatile int k = 0; k < 1000; k++)
			;
}
KEEP void flush_log(void)
{
	pthread_mutex_lock(&db_lock);
	sem_post(&held);
	usleep(FAULT_MS * 1000);
	pthread_mutex_unlock(&db_lock);
}
KEEP void write_row(void)
{
	pthread_mutex_lock(&db_lock);
	pthread_mutex_unlock(&db_lock);
	__asm__ volatile("");
}
KEEP void back_off(void)
{
	usleep(FAULT_MS * 1000);
	__asm__ volatile("");
}
KEEP void touch_pages(void)
{
	const size_t size = 1 << 20;
	long end = cpu_ns() + FAULT_MS * 1000000L;
	while (cpu_ns() < end) {
		char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(p, size, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < size; i += 4096)
			p[i] = 1;
		munmap(p, size);
	}
}
KEEP void handle_request(int i)
{
	compute(200);
	if (i % 20)
		;
	else if (!strcmp(fault, "lock"))
		write_row();
	else if (!strcmp(fault, "sleep"))
		back_off();
	else if (!strcmp(fault, "loop"))
		compute(FAULT_MS * 1000);
	else
		touch_pages();
	__asm__ volatile("");
}
static void *serve(void *arg)
{
	for (int i = 1; i <= 150; i++) {
		int locks = i % 20 == 0 && !strcmp(fault, "lock");
		if (locks) {
			pthread_mutex_lock(&turn);
			sem_post(&wanted);
			sem_wait(&held);
		}
		handle_request(i);
		if (locks)
			pthread_mutex_unlock(&turn);
		usleep(100);
	}
	return arg;
}
static void *flush(void *arg)
{
	pthread_setname_np(pthread_self(), "flusher");
	for (;;) {
		sem_wait(&wanted);
		flush_log();
	}
	return arg;
}
int main(int argc, char **argv)
{
	struct sched_param first = { .sched_priority = 1 };
	pthread_t t[3];
	fault = argv[argc - 1];
	sched_setscheduler(0, SCHED_RR, &first); /* others that want the CPU do not matter, where that is permitted */
	pthread_create(&t[2], NULL, flush, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, serve, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
END
cc -g -O2 -fno-omit-frame-pointer -pthread -o serve serve.c
need_wakings
cat >judge.py <<'END'
import json, os, sys
fault, names = sys.argv[1], sys.argv[2:] == ["named"]
d = json.load(open(fault + ".json"))
try:
    import jsonschema
    jsonschema.Draft7Validator(json.load(open(os.environ["PERF_SRC"] + "/Documentation/report-schema.json"))).validate(d)
except ImportError:
    pass
why = d["spans"][0]["why"]
assert why["verdict"] == "explained" and why["answer"].startswith("slow spans (30.0 ms and above: "), why["answer"]
# on a busy machine, the begins or ends of some spans are lost
known = why["slow"]["number"] + why["fast"]["number"]
least = 14 if known >= 295 else 0.7 * known / 20
assert known >= 100 and why["slow"]["number"] >= least and why["fast"]["longest"] < 20e6, why
assert abs(sum(r["more"] for r in why["reasons"]) - why["more"]) <= 0.05 * why["more"], why
want = {"sleep": ["wait", "back_off"], "lock": ["wait", "write_row"], "loop": ["on the CPU", "compute"], "faults": ["page faults", "touch_pages"]}
named = {(r["type"], r.get("kind") or r["type"]): r for r in why["reasons"] if r["named"]}
if not names and fault != "loop":
    sys.exit()
r = named[{"sleep": ("wait", "sleep"), "lock": ("wait", "lock"), "loop": ("on the CPU",) * 2, "faults": ("page faults",) * 2}[fault]]
assert r["function"] == want[fault][1], r
assert least <= r["have"] <= why["slow"]["number"], r
# other programs may have taken the CPU for a part of that, in addition
assert 20e6 <= r["low"] <= r["more"] <= r["high"] and r["more"] >= 30e6, r
if fault == "lock":
    assert r["lock"] == "mutex db_lock" and r["ended_by"] == "flush_log" and r["thread"] == "flusher", r
    assert r["meanwhile"]["kind"] in ("sleep", "runnable"), r
    assert r["words"].endswith(" longer for mutex db_lock, held by flush_log of thread flusher"), r
if fault != "faults":
    assert "handle_request" in r["callers"] or fault == "loop", r
END
named=named
hides_kernel && named=
for fault in sleep loop lock faults; do
	"$PERF" record --span handle_request -e cpu-clock -o $fault.data ./serve $fault >out 2>err ||
		skip "spans cannot be recorded here: $(head -n 1 err)"
	expect_status 0 "$PERF" report --span --why --slower 30ms --faster 20ms --json -i $fault.data
	mv out $fault.json
	python3 judge.py $fault $named || fail "--why does not find the fault: $fault"
done

# The text has the same: the answer is its first line
expect_status 0 "$PERF" report --span --why --slower 30ms --faster 20ms -i sleep.data
answer=$(python3 -c 'import json; print(json.load(open("sleep.json"))["spans"][0]["why"]["answer"])')
[ "$(head -n 1 out)" = "$answer" ] || fail "the text begins with '$(head -n 1 out)', JSON has '$answer'"
expect_text out '# more: ns of a slow span less those of a fast one, on average'
expect_text out '# Completeness: '
for option in "--threads 1" "--threads 3"; do
	# shellcheck disable=SC2086
	"$PERF" report --span --why --slower 30ms --faster 20ms $option -i sleep.data | cmp - out || fail "$option changes the answer"
done
"$PERF" report --why --slower 30ms --faster 20ms -i - <sleep.data | cmp - out || fail "the answer differs in a pipe"

# Limits
expect_status 0 "$PERF" report --span --why -i sleep.data
expect_text out 'cannot tell, there are too few: slow spans (p99 and above: '
expect_text out '# Hint: a reason is named if at least 5 slow spans'
expect_status 1 "$PERF" report --span --why --slower p50 --faster p90 -i sleep.data
expect_text err 'they overlap'
expect_status 1 "$PERF" report --span --why --slower 30 -i sleep.data
expect_text err "--slower: '30' is neither a quantile such as p99 nor a time such as 20ms"
expect_status 1 "$PERF" report --span=other --why -i sleep.data
expect_text err "the recording has no spans 'other'"
expect_status 0 "$PERF" report --span --why --slower 3000s -i sleep.data
expect_text out 'cannot tell, there are too few: slow spans (3000.0 s and above: 0 of 300)'
