/* A worker that mostly waits for work, and a lock that two threads want; main waits for both to end. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int nr_jobs;
static atomic_bool holds_lock, wants_work, wants_lock; /* however late the threads get a processor */

static void pause_ms(int n)
{
	struct timespec t = { 0, n * 1000000L };

	nanosleep(&t, NULL);
}

static void *worker(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&queue);
		wants_work = true;
		while (!nr_jobs)
			pthread_cond_wait(&work, &queue);
		nr_jobs--;
		pthread_mutex_unlock(&queue);
	}
	wants_lock = true;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *holder(void *arg)
{
	pthread_mutex_lock(&lock);
	holds_lock = true;
	pause_ms(350);
	if (!wants_lock) { /* the worker is late: let it wait, too */
		while (!wants_lock)
			sched_yield();
		pause_ms(50);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, holder, NULL);
	pthread_create(&b, NULL, worker, NULL);
	while (!holds_lock || !wants_work)
		sched_yield();
	for (int i = 0; i < 5; i++) {
		pause_ms(i ? 20 : 200);
		pthread_mutex_lock(&queue);
		nr_jobs++;
		pthread_cond_signal(&work);
		pthread_mutex_unlock(&queue);
	}
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
