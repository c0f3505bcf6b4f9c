/*
 * A pipeline of five threads, whose slowest part is known: pipeline compute|sleep [ITEMS]
 *
 * Each item goes through stage_1 to stage_5, each a function and a thread of this name, with a queue of four
 * items between two of them. stage_3 takes 5 ms for an item: it computes, or sleeps as if it waited for a
 * device. The others compute for 0.4 ms each, so the second processor does all of their work while stage_3
 * runs. So the time that the program takes is that of stage_3, except for 2 ms at the beginning and the end.
 * Prints "stage_1 NS", when this thread ended, and "all NS", when main did, since its beginning.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEEP __attribute__((noipa))

enum { NR_STAGES = 5, QUEUE_SIZE = 4, SLOW_US = 5000, QUICK_US = 400 };

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	int nr;
};

static struct queue queues[NR_STAGES - 1]; /* queues[i] is between stages i and i + 1, from 0 */
static int nr_items, sleeps;
static long ends[NR_STAGES];

static long ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* Compute for so long in the thread's own time: what it waits for a processor comes on top. */
static inline __attribute__((always_inline)) void compute(long us)
{
	static volatile unsigned long sink;
	long end = ns(CLOCK_THREAD_CPUTIME_ID) + us * 1000;

	do {
		for (unsigned long i = 0; i < 20000; i++)
			sink = sink * 31 + i;
	} while (ns(CLOCK_THREAD_CPUTIME_ID) < end);
}

KEEP static void stage_1(void)
{
	compute(QUICK_US);
}

KEEP static void stage_2(void)
{
	compute(QUICK_US);
}

KEEP static void stage_3(void)
{
	struct timespec t = { 0, SLOW_US * 1000 };

	if (sleeps)
		nanosleep(&t, NULL);
	else
		compute(SLOW_US);
	__asm__ volatile(""); /* no tail call */
}

KEEP static void stage_4(void)
{
	compute(QUICK_US);
}

KEEP static void stage_5(void)
{
	compute(QUICK_US);
}

static void (*const stages[NR_STAGES])(void) = { stage_1, stage_2, stage_3, stage_4, stage_5 };

static void queue__put(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (q->nr == QUEUE_SIZE)
		pthread_cond_wait(&q->not_full, &q->lock);
	q->nr++;
	pthread_mutex_unlock(&q->lock);
	pthread_cond_signal(&q->not_empty);
}

static void queue__get(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (!q->nr)
		pthread_cond_wait(&q->not_empty, &q->lock);
	q->nr--;
	pthread_mutex_unlock(&q->lock);
	pthread_cond_signal(&q->not_full);
}

static void *stage__run(void *arg)
{
	static const char *const names[NR_STAGES] = { "stage_1", "stage_2", "stage_3", "stage_4", "stage_5" };
	int stage = (int)(long)arg;

	pthread_setname_np(pthread_self(), names[stage]);
	for (int i = 0; i < nr_items; i++) {
		if (stage > 0)
			queue__get(&queues[stage - 1]);
		stages[stage]();
		if (stage < NR_STAGES - 1)
			queue__put(&queues[stage]);
	}
	ends[stage] = ns(CLOCK_MONOTONIC);
	return NULL;
}

int main(int argc, char **argv)
{
	long begin = ns(CLOCK_MONOTONIC);
	pthread_t threads[NR_STAGES];

	if (argc < 2)
		return 2;
	sleeps = !strcmp(argv[1], "sleep");
	nr_items = argc > 2 ? atoi(argv[2]) : 300;
	for (int i = 0; i < NR_STAGES - 1; i++) {
		pthread_mutex_init(&queues[i].lock, NULL);
		pthread_cond_init(&queues[i].not_empty, NULL);
		pthread_cond_init(&queues[i].not_full, NULL);
	}
	for (long i = 0; i < NR_STAGES; i++)
		if (pthread_create(&threads[i], NULL, stage__run, (void *)i))
			return 1;
	for (int i = 0; i < NR_STAGES; i++)
		pthread_join(threads[i], NULL);
	printf("stage_1 %ld\nall %ld\n", ends[0] - begin, ns(CLOCK_MONOTONIC) - begin);
	return 0;
}
