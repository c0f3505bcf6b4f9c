/*
 * What does a call cost that a profiler watches? Calls a function CALLS times, with so much work after each
 * call, and prints ns for each round: processor time of the thread, that of the kernel's probes included.
 *
 *	calls CALLS WORK
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile long sum;

__attribute__((noipa)) long called(long n)
{
	sum += n;
	return sum;
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1000000, work = argc > 2 ? atol(argv[2]) : 0;
	double begin = cpu_ns();

	for (long i = 0; i < calls; i++) {
		called(i);
		for (volatile long k = 0; k < work; k++)
			;
	}
	printf("%.1f\n", (cpu_ns() - begin) / (double)calls);
	return 0;
}
