/*
 * Load that differs between CPUs: a thread on each CPU that this process may use, which works for a part of
 * each 20 ms. The first CPU's works for 1/N of it, the last one's all the time.
 *	uneven SECONDS
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUND_US = 20000 };

static cpu_set_t cpus;
static int nr;

static long us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

__attribute__((noinline)) static void works(long us_wanted)
{
	for (long end = us() + us_wanted; us() < end;)
		;
}

__attribute__((noinline)) static void rests(long us_wanted)
{
	if (us_wanted > 0)
		usleep((useconds_t)us_wanted);
}

static void *on_cpu(void *arg)
{
	long part = (long)arg;

	for (;;) {
		works(ROUND_US * part / nr);
		rests(ROUND_US - ROUND_US * part / nr);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long part = 0;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	nr = CPU_COUNT(&cpus);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		pthread_attr_t attr;
		cpu_set_t one;
		pthread_t t;

		if (!CPU_ISSET(cpu, &cpus))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		pthread_attr_init(&attr);
		pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
		pthread_create(&t, &attr, on_cpu, (void *)++part);
	}
	sleep(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
	return 0;
}
