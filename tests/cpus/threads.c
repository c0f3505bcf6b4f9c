/*
 * A process with many threads, which wait, and with many processes beside it.
 *	threads N [PROCESSES]
 * Prints "ready" when all of them run. Two of the threads use processor time, 1 ms of 10.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 64 << 10, BUSY_THREADS = 2, BUSY_US = 1000, PAUSE_US = 9000 };

static long us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void *work(void *is_busy)
{
	for (;;) {
		long end = us() + BUSY_US;

		if (!is_busy)
			pause();
		while (us() < end)
			;
		usleep(PAUSE_US);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 1, processes = argc > 2 ? atoi(argv[2]) : 0;
	static int busy;
	pthread_attr_t attr;
	pthread_t t;

	for (int i = 0; i < processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			perror("fork");
		while (!pid)
			pause();
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (int i = 1; i < nr; i++) {
		if (pthread_create(&t, &attr, work, i <= BUSY_THREADS ? &busy : NULL)) {
			perror("pthread_create");
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
