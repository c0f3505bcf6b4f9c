/*
 * Waits in known places for known times, and prints "FUNCTION nanoseconds" of each. With an argument it ends
 * in a long sleep.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define KEEP __attribute__((noipa))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int futex, fds[2];

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

KEEP static void sleep_ms(int n)
{
	struct timespec t = { n / 1000, n % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

KEEP static void sleeps(void)
{
	sleep_ms(300);
}

KEEP static void locks(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

KEEP static void reads(void)
{
	char c;

	if (read(fds[0], &c, 1) != 1)
		abort();
}

KEEP static void waits(void)
{
	while (!__atomic_load_n(&futex, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &futex, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void *helper(void *arg)
{
	sleep_ms(200);
	pthread_mutex_unlock(&lock);
	sleep_ms(250);
	if (write(fds[1], "x", 1) != 1)
		abort();
	sleep_ms(150);
	__atomic_store_n(&futex, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &futex, FUTEX_WAKE, 1, NULL, NULL, 0);
	return arg;
}

#define TIMED(f)                                       \
	do {                                           \
		long start = now();                    \
		f();                                   \
		printf("%s %ld\n", #f, now() - start); \
	} while (0)

int main(int argc, char **argv)
{
	pthread_t t;

	(void)argv;
	if (pipe(fds))
		return 1;
	TIMED(sleeps);
	pthread_mutex_lock(&lock);
	pthread_create(&t, NULL, helper, NULL);
	TIMED(locks);
	TIMED(reads);
	TIMED(waits);
	pthread_join(t, NULL);
	fflush(stdout);
	if (argc > 1)
		sleep_ms(60000);
	return 0;
}
