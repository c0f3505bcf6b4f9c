# the browser: B shows what holders of a lock did while others waited, then the critical path, then all time again
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_record
need_wakings
hides_kernel && skip "kernel addresses are hidden, and with them what tells locks from other waits"
need_command cc tmux
"$PERF" version --build-options | grep -q 'ncursesw: \[ on' || skip "perf was built without ncursesw"
own_tmux
cat >hold.c <<'END'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noipa)) void hold_computing(void)
{
	struct timespec t = { 0, 0 };
	while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < 300) {
		for (volatile int i = 0; i < 10000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	}
}
static void *want(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&lock);
	pthread_create(&t, NULL, want, NULL);
	hold_computing();
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return 0;
}
END
"$CC" -O1 -g -o hold hold.c -lpthread
"$PERF" record -q --off-cpu=locks -g -e cpu-clock -o hold.data ./hold
"$PERF" record -q --off-cpu -g -e cpu-clock -o plain.data ./hold 2>/dev/null

tm new-session -d -s s -x 80 -y 24 "LC_ALL=C.UTF-8 '$PERF' report -i hold.data 2>errors; sleep 60"
await_text ' functions'
tm send-keys -t s B
await_text 'what holders did while others waited '
await_text 'hold_computing'
tm send-keys -t s '!'
await_text ' --blocked-by'
tm send-keys -t s B
await_text 'the critical path '
await_text 'hold_computing'
tm send-keys -t s B
await_text 'This is all time'

# Other recordings say what they lack.
next_tmux
tm new-session -d -s s -x 80 -y 24 "LC_ALL=C.UTF-8 '$PERF' report -i plain.data 2>errors; sleep 60"
await_text ' functions'
tm send-keys -t s B
await_text 'record with --off-cpu=locks'
