/* A program of three threads, for screens of the browser: one draws, one sorts, the main thread waits. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void burn(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

__attribute__((noinline)) static void circle(unsigned long n)
{
	burn(n);
	sink++;
}

__attribute__((noinline)) static void square(unsigned long n)
{
	burn(n / 2);
	sink++;
}

__attribute__((noinline)) static void spiral(int turns, unsigned long n)
{
	if (turns)
		spiral(turns - 1, n);
	else
		circle(n);
	sink++;
}

static int compare(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

static void *draw(void *arg)
{
	pthread_setname_np(pthread_self(), "draw");
	for (int i = 0; i < 70; i++) {
		circle(1000000);
		square(1000000);
		spiral(5, 500000);
	}
	return arg;
}

static void *sort(void *arg)
{
	static unsigned numbers[1000000];

	pthread_setname_np(pthread_self(), "sort");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		numbers[i] = (unsigned)rand();
	qsort(numbers, sizeof(numbers) / sizeof(numbers[0]), sizeof(numbers[0]), compare);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, draw, NULL);
	pthread_create(&threads[1], NULL, sort, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
