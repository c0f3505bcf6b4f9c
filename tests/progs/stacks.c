/*
 * Stacks of many kinds, in code without frame pointers: what stack tests record. Each of the three parts uses
 * the CPU for as many ms as the argument says, or a quarter second. With a second argument, the first part
 * rests so many ms after each ms on the CPU: for a program that only has to run as long as it is looked at.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#define KEEP __attribute__((noipa))

static volatile unsigned long sink;
static volatile int handled;
static clock_t until, part = CLOCKS_PER_SEC / 4;

KEEP int leaf(void)
{
	for (int i = 0; i < 20000; i++)
		sink = sink * 7 + (unsigned long)i;
	return clock() < until;
}

KEEP int saves_registers(int a, int b, int c)
{
	int r = leaf();
	sink += (unsigned long)(a * b + c);
	return r;
}

KEEP int allocates(int n)
{
	char *p = alloca((size_t)n);
	int r;
	memset(p, n, (size_t)n);
	r = saves_registers(n, p[1], p[0]);
	sink += (unsigned long)p[n - 1];
	return r;
}

KEEP int aligns(int n)
{
	char room[256] __attribute__((aligned(128)));
	int r;
	memset(room, n, sizeof(room));
	r = allocates(n);
	sink += (unsigned long)room[n % 256];
	return r;
}

KEEP int recurses(int depth)
{
	int r = depth ? recurses(depth - 1) : aligns(300);
	sink++;
	return r;
}

KEEP int compares(const void *a, const void *b)
{
	recurses(3);
	return a < b ? -1 : 1;
}

KEEP void handler(int sig)
{
	while (leaf())
		;
	handled = sig;
}

KEEP void interrupted(void)
{
	while (!handled)
		sink++;
}

KEEP void *thread(void *arg)
{
	until = clock() + part;
	while (recurses(5))
		;
	return arg;
}

int main(int argc, char **argv)
{
	struct itimerval timer = { { 0, 0 }, { 0, 1000 } };
	struct timespec rest = { 0, argc > 2 ? 1000000L * atoi(argv[2]) : 0 };
	clock_t run;
	int v[2] = { 1, 2 };
	pthread_t t;

	if (argc > 1)
		part = CLOCKS_PER_SEC / 1000 * atoi(argv[1]);
	until = clock() + part;
	while (clock() < until) {
		run = clock() + CLOCKS_PER_SEC / 1000;
		do
			qsort(v, 2, sizeof(*v), compares);
		while (clock() < run);
		if (rest.tv_nsec)
			nanosleep(&rest, NULL);
	}
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	until = clock() + part;
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &timer, NULL);
	interrupted();
	return 0;
}
