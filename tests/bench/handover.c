/*
 * Two threads hand a turn over by a mutex and a condition variable, ROUNDS times each, with some work in
 * between. Prints the seconds that it took, and the waits a minute if each hand-over is one.
 *
 *	handover ROUNDS WORK
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int turn;
} state = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };

static long rounds;
static int work;

static void *take_turns(void *arg)
{
	int me = *(int *)arg;

	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&state.lock);
		while (state.turn != me)
			pthread_cond_wait(&state.changed, &state.lock);
		for (volatile int k = 0; k < work; k++)
			;
		state.turn = !me;
		pthread_cond_signal(&state.changed);
		pthread_mutex_unlock(&state.lock);
	}
	return NULL;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	int numbers[] = { 0, 1 };
	pthread_t threads[2];
	double start = now(), seconds;

	if (argc < 3)
		return 2;
	rounds = atol(argv[1]);
	work = atoi(argv[2]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take_turns, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	seconds = now() - start;
	printf("%.3f s, %.0f waits a minute\n", seconds, 2.0 * (double)rounds / seconds * 60);
	return 0;
}
