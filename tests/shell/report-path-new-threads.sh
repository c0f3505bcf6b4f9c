# report --critical-path: the time until a new thread or process first runs is not time on the CPU
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
need_wakings
cat >new.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void *work(void *name)
{
	struct timespec t;

	prctl(PR_SET_NAME, name);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_nsec < 1000000);
	return NULL;
}
int main(void)
{
	for (int i = 0; i < 10; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, work, "new thread");
		pthread_join(thread, NULL);
		if (!fork()) {
			work("new process");
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
END
cc -g -O1 -pthread -o new new.c
expect_status 0 "$PERF" record -g --off-cpu=locks -e cpu-clock -o n.data ./new
"$PERF" report --critical-path -g none -s tid,symbol --percent-limit 0 --json -i n.data >n.json 2>err || fail "--critical-path: $(cat err)"
python3 - <<'END' || fail "$(head -c 2000 n.json)"
import json
rows = next(t for t in json.load(open("n.json"))["tables"] if t["kind"] == "times")["rows"]
tids = {r["tid"]["id"] for r in rows if r["tid"]["comm"].startswith("new ")}
ready = {r["tid"]["id"] for r in rows if r["symbol"]["name"] == "[ready, not running]"}
assert not any(r["symbol"]["name"] == "[not recorded]" for r in rows)
# not all: one that had to wait for the parent does not lead to its own beginning
assert tids and len(tids & ready) >= len(tids) / 2, (tids, ready)
END
