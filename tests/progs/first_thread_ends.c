/*
 * A process whose first thread ends, as by pthread_exit in main, while another one runs: in "works", for
 * SECONDS. Now and then that starts a thread, which ends, so that the kernel writes records.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sum;
static int seconds;

__attribute__((noinline)) static void works(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		sum += i * sum;
}

__attribute__((noinline)) static void calls(int depth)
{
	volatile int left = depth;

	if (left)
		calls(left - 1);
	else
		works();
	sum += (unsigned long)left;
}

static void *ends(void *arg)
{
	return arg;
}

static void *runs(void *arg)
{
	time_t end = time(NULL) + seconds;

	(void)arg;
	for (int i = 0; time(NULL) < end; i++) {
		pthread_t thread;

		calls(10);
		if (i % 20 == 19 && !pthread_create(&thread, NULL, ends, NULL))
			pthread_join(thread, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	seconds = argc > 1 ? atoi(argv[1]) : 1;
	if (pthread_create(&thread, NULL, runs, NULL))
		return 1;
	pthread_exit(NULL);
}
