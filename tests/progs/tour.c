/*
 * A program for the examples of the manual: functions that compute, sort and wait, a variable that one of
 * them writes, and a second thread. Takes half a second, or with fewer ROUNDS 0.15 s; ignores its arguments.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#ifndef ROUNDS
#define ROUNDS 30
#endif

volatile long counter;

static int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static __attribute__((noinline)) void compute(void)
{
	for (volatile int i = 0; i < 3000000; i++)
		;
	counter++;
}

static __attribute__((noinline)) void sort_numbers(void)
{
	int *numbers = malloc(20000 * sizeof(*numbers));

	for (int i = 0; numbers && i < 20000; i++)
		numbers[i] = rand();
	if (numbers)
		qsort(numbers, 20000, sizeof(*numbers), compare);
	free(numbers);
}

static void *helper(void *arg)
{
	const struct timespec pause = { .tv_nsec = 10000000 };

	for (int i = 0; i < 10; i++) {
		nanosleep(&pause, NULL);
		sort_numbers();
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, helper, NULL))
		return 1;
	for (int i = 0; i < ROUNDS; i++)
		compute();
	pthread_join(thread, NULL);
	return 0;
}
