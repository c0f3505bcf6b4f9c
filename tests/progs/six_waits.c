/*
 * Waits in six ways, many times each, and prints "FUNCTION nanoseconds nanoseconds": how long the thread did
 * not run there, by its clocks, and for how much of that it was ready to run. Argument: a file to page in, of
 * at least PAGES pages.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#define KEEP __attribute__((noipa))

enum { TIMES = 100, PAGES = 4096, PAGE = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, locks[TIMES];
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turns, fds[2], event;
static const char *path;

static long ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* Return for how many ns this thread was ready to run so far, but did not. */
static long ready(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "r");
	long ran, ns = 0;

	if (f) {
		if (fscanf(f, "%ld %ld", &ran, &ns) != 2)
			ns = 0;
		fclose(f);
	}
	return ns;
}

static void pause_us(long us)
{
	nanosleep(&(struct timespec){ 0, us * 1000 }, NULL);
}

KEEP static void sleeps(void)
{
	for (int i = 0; i < TIMES; i++)
		pause_us(i % 10 ? 500 : 10000);
}

/* Each lock has been taken by the helper, which gives them back one after the other. */
KEEP static void mutexes(void)
{
	for (int i = 0; i < TIMES; i++)
		pthread_mutex_lock(&locks[i]);
}

static void help_mutexes(void)
{
	for (int i = 0; i < TIMES; i++) {
		pause_us(2000);
		pthread_mutex_unlock(&locks[i]);
	}
}

KEEP static void conditions(void)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < TIMES; i++) {
		while (!turns)
			pthread_cond_wait(&cond, &lock);
		turns--;
	}
	pthread_mutex_unlock(&lock);
}

static void help_conditions(void)
{
	for (int i = 0; i < TIMES; i++) {
		pause_us(2000);
		pthread_mutex_lock(&lock);
		turns++;
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&lock);
	}
}

KEEP static void reads(void)
{
	char c;

	for (int i = 0; i < TIMES; i++)
		if (read(fds[0], &c, 1) != 1)
			abort();
}

static void help_reads(void)
{
	for (int i = 0; i < TIMES; i++) {
		pause_us(2000);
		if (write(fds[1], "x", 1) != 1)
			abort();
	}
}

KEEP static void polls(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int epoll = epoll_create1(0);
	eventfd_t n;

	epoll_ctl(epoll, EPOLL_CTL_ADD, event, &e);
	for (int i = 0; i < TIMES; i++)
		if (epoll_wait(epoll, &e, 1, -1) != 1 || eventfd_read(event, &n))
			abort();
	close(epoll);
}

static void help_polls(void)
{
	for (int i = 0; i < TIMES; i++) {
		pause_us(2000);
		eventfd_write(event, 1);
	}
}

KEEP static void pages(void)
{
	int fd = open(path, O_RDONLY);
	volatile char *p;

	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	p = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		abort();
	madvise((void *)p, (size_t)PAGES * PAGE, MADV_RANDOM);
	for (int i = 0; i < PAGES; i++)
		(void)p[(size_t)(i * 997 % PAGES) * PAGE];
	close(fd);
}

static void *helper(void *arg)
{
	((void (*)(void))arg)();
	return NULL;
}

static void timed(const char *name, void (*f)(void), void (*help)(void))
{
	long waited, was_ready;
	pthread_t t;

	if (help && pthread_create(&t, NULL, helper, (void *)help))
		abort();
	was_ready = ready();
	waited = ns(CLOCK_MONOTONIC) - ns(CLOCK_THREAD_CPUTIME_ID);
	f();
	waited = ns(CLOCK_MONOTONIC) - ns(CLOCK_THREAD_CPUTIME_ID) - waited;
	printf("%s %ld %ld\n", name, waited, ready() - was_ready);
	if (help)
		pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	if (argc < 2 || pipe(fds))
		return 1;
	path = argv[1];
	event = eventfd(0, EFD_SEMAPHORE);
	timed("sleeps", sleeps, NULL);
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_init(&locks[i], NULL);
		pthread_mutex_lock(&locks[i]);
	}
	timed("mutexes", mutexes, help_mutexes);
	timed("conditions", conditions, help_conditions);
	timed("reads", reads, help_reads);
	timed("polls", polls, help_polls);
	timed("pages", pages, NULL);
	return 0;
}
