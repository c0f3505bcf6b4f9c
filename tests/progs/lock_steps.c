/*
 * Two threads in known steps, for perf record --off-cpu=locks. The helper holds a mutex; the main thread
 * waits for it. When it does, the helper sleeps for 20 ms and lets go. The main thread then waits for the end
 * of the helper, which comes 20 ms later. Whether a thread waits, the helper reads from /proc, so the order
 * does not depend on the load.
 *
 * argv[1]: the file for what it says; argv[2], if there is one: a FIFO that is opened for reading before
 * anything else, so that somebody can attach. Says: "mutex ADDRESS", "threads MAIN HELPER", "lock BEGIN END"
 * and "join BEGIN END": CLOCK_MONOTONIC around the two calls, in ns.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int step; /* 1: the helper has the mutex; 2: main is about to lock; 3: to join */
static pid_t helper_tid;

static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000 + (unsigned long long)t.tv_nsec;
}

/* Return when the main thread is past this step and sleeps. */
static void wait_for_main(int n)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
	for (;;) {
		int fd = open(path, O_RDONLY);
		ssize_t len = read(fd, text, sizeof(text) - 1);
		const char *state;

		close(fd);
		text[len > 0 ? len : 0] = '\0';
		state = strrchr(text, ')');
		if (atomic_load(&step) >= n && state && state[2] == 'S')
			return;
		usleep(1000);
	}
}

static void *helper(void *arg)
{
	helper_tid = gettid();
	pthread_mutex_lock(&mutex);
	atomic_store(&step, 1);
	wait_for_main(2);
	usleep(20000);
	pthread_mutex_unlock(&mutex);
	wait_for_main(3);
	usleep(20000);
	return arg;
}

int main(int argc, char **argv)
{
	unsigned long long t[4];
	pthread_t thread;
	FILE *said;

	if (argc < 2)
		return 2;
	if (argc > 2)
		close(open(argv[2], O_RDONLY));
	pthread_create(&thread, NULL, helper, NULL);
	while (atomic_load(&step) < 1)
		usleep(1000);
	t[0] = now();
	atomic_store(&step, 2);
	pthread_mutex_lock(&mutex);
	t[1] = now();
	pthread_mutex_unlock(&mutex);
	t[2] = now();
	atomic_store(&step, 3);
	pthread_join(thread, NULL);
	t[3] = now();
	said = fopen(argv[1], "w");
	if (!said)
		return 1;
	fprintf(said, "mutex %lx\nthreads %d %d\nlock %llu %llu\njoin %llu %llu\n", (unsigned long)&mutex,
		getpid(), helper_tid, t[0], t[1], t[2], t[3]);
	return fclose(said) ? 1 : 0;
}
