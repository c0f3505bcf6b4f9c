/*
 * Calls with and without inlining, on two threads: main and other call middle, which calls hot, into which
 * inner is inlined. The argument is how often.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned long sum;

static inline __attribute__((always_inline)) void inner(int n)
{
	for (int i = 0; i < n; i++)
		sum += (unsigned long)i;
}

__attribute__((noinline)) void hot(int n)
{
	inner(n);
	sum++;
}

__attribute__((noinline)) void middle(int n)
{
	hot(n);
	sum++;
}

static void *other(void *arg)
{
	for (int i = *(int *)arg; i > 0; i--)
		middle(100000);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100;
	pthread_t thread;
	char *p;

	if (pthread_create(&thread, NULL, other, &n))
		return 1;
	for (int i = n; i > 0; i--) {
		middle(100000);
		if (i % 8 == 0 && (p = malloc(1 << 20))) { /* page faults */
			memset(p, i, 1 << 20);
			free(p);
		}
	}
	pthread_join(thread, NULL);
	return 0;
}
