/*
 * The loads that stock's test scripts run as `perf test -w NAME [SECONDS|CALLS [THREADS]]`. Debian's perf is
 * stripped, so its own loads have no function names that a report could show. This program has the same
 * functions.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BRSTACK_CALLS = 999999, THREADS_MAX = 64 };

static volatile unsigned long sink;
static struct timespec end;

static void end_after(double seconds)
{
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (time_t)seconds;
	end.tv_nsec += (long)((seconds - floor(seconds)) * 1e9);
}

static int is_over(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - end.tv_sec) * 1e9 + (double)(now.tv_nsec - end.tv_nsec) > 0;
}

__attribute__((noipa)) static void noploop(void)
{
	while (!is_over())
		for (int i = 0; i < 100000; i++)
			sink++;
}

__attribute__((noipa)) static void test_loop(void)
{
	while (!is_over())
		for (int i = 0; i < 100000; i++)
			sink++;
}

__attribute__((noipa)) static void *thfunc(void *arg)
{
	test_loop();
	sink++;
	return arg;
}

static void thloop(int nr)
{
	pthread_t threads[THREADS_MAX];
	int started = 0;

	while (started < nr - 1 && started < THREADS_MAX &&
	       !pthread_create(&threads[started], NULL, thfunc, NULL))
		started++;
	test_loop();
	while (started)
		pthread_join(threads[--started], NULL);
}

__attribute__((noipa)) static void brstack_bar(void)
{
	sink++;
}

__attribute__((noipa)) static void brstack_foo(void)
{
	brstack_bar();
	sink++;
}

__attribute__((noipa)) static void brstack_bench(void)
{
	brstack_foo();
	brstack_bar();
	sink++;
}

__attribute__((noipa)) static void brstack(long calls)
{
	for (long i = 0; i < calls; i++)
		brstack_bench();
}

__attribute__((noipa)) static void sqrtloop(void)
{
	double x = 0;

	while (!is_over())
		for (int i = 0; i < 100000; i++)
			x += sqrt((double)i);
	sink += (unsigned long)x;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	end_after(argc > 2 ? atof(argv[2]) : 1);
	if (!strcmp(name, "noploop"))
		noploop();
	else if (!strcmp(name, "thloop"))
		thloop(argc > 3 ? atoi(argv[3]) : 2);
	else if (!strcmp(name, "brstack"))
		brstack(argc > 2 ? atol(argv[2]) : BRSTACK_CALLS);
	else if (!strcmp(name, "sqrtloop"))
		sqrtloop();
	else
		return fprintf(stderr, "%s: no such load\n", name), 2;
	return 0;
}
