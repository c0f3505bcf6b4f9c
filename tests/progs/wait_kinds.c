/*
 * Waits in one way after the other, each in a function named after it, and prints "FUNCTION NS BUSY" of each:
 * how long the call took, and how much of that the thread ran or was ready to run (0 if the kernel does not
 * count it). Arguments: only these.
 *
 * Nothing else waits: what one thread needs of the other before and after a wait, it polls for. So the wait
 * is there however late a thread gets a processor.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define KEEP __attribute__((noipa))

enum { WAIT_MS = 60 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int fds[2], sockets[2], event;
static char file[] = "locked_XXXXXX";

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* Return for how many ns this thread ran, or was ready to run, so far. */
static long busy(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "r");
	long ran = 0, ready = 0;

	if (f) {
		if (fscanf(f, "%ld %ld", &ran, &ready) != 2)
			ran = ready = 0;
		fclose(f);
	}
	return ran + ready;
}

static void pause_ms(int n)
{
	struct timespec t = { n / 1000, n % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

static atomic_bool main_waits, holds_mutex;

/* Pause from when the main thread begins to wait. */
static void pause_main(void)
{
	while (!main_waits)
		sched_yield();
	pause_ms(WAIT_MS);
}

KEEP static void in_sleep(void)
{
	pause_ms(WAIT_MS);
}

static void *hold_mutex(void *arg)
{
	pthread_mutex_lock(&mutex);
	holds_mutex = true;
	pause_main();
	pthread_mutex_unlock(&mutex);
	return arg;
}

KEEP static void in_mutex(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void *wake_later(void *arg)
{
	pause_main();
	pthread_mutex_lock(&other);
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&other);
	return arg;
}

KEEP static void in_condition(void)
{
	pthread_cond_wait(&condition, &other);
	pthread_mutex_unlock(&other);
}

static void *post_later(void *arg)
{
	pause_main();
	sem_post(&semaphore);
	return arg;
}

KEEP static void in_semaphore(void)
{
	sem_wait(&semaphore);
}

static void *sleep_and_end(void *arg)
{
	pause_main();
	return arg;
}

static pthread_t thread;

KEEP static void in_join(void)
{
	pthread_join(thread, NULL);
}

static void *write_later(void *arg)
{
	pause_main();
	if (write(*(int *)arg, "12345678", 8) != 8)
		abort();
	return NULL;
}

KEEP static void in_pipe(void)
{
	char c[8];

	if (read(fds[0], c, 8) != 8)
		abort();
}

KEEP static void in_socket(void)
{
	char c[8];

	if (recv(sockets[0], c, 8, 0) != 8)
		abort();
}

KEEP static void in_eventfd(void)
{
	char c[8];

	if (read(event, c, 8) != 8)
		abort();
}

KEEP static void in_poll(void)
{
	struct pollfd p = { fds[0], POLLIN, 0 };

	poll(&p, 1, WAIT_MS);
}

KEEP static void in_select(void)
{
	struct timeval t = { 0, WAIT_MS * 1000 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fds[0], &set);
	select(fds[0] + 1, &set, NULL, NULL, &t);
}

KEEP static void in_epoll(void)
{
	struct epoll_event e = { EPOLLIN, { 0 } };
	int fd = epoll_create1(0);

	epoll_ctl(fd, EPOLL_CTL_ADD, fds[0], &e);
	epoll_wait(fd, &e, 1, WAIT_MS);
	close(fd);
}

KEEP static void in_signal(void)
{
	struct timespec t = { 0, WAIT_MS * 1000000L };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigtimedwait(&set, NULL, &t);
}

KEEP static void in_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		pause_ms(WAIT_MS);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

KEEP static void in_file_lock(void)
{
	int fd = open(file, O_RDWR);

	flock(fd, LOCK_EX);
	close(fd);
}

static void *unlock_later(void *arg)
{
	pause_main();
	flock(*(int *)arg, LOCK_UN);
	return NULL;
}

struct kind {
	const char *name;
	void (*wait)(void);
	void *(*helper)(void *);
	void *arg;
};

static void run(const struct kind *k)
{
	long start, end, before;

	main_waits = holds_mutex = false;
	if (k->helper == wake_later)
		pthread_mutex_lock(&other); /* until in_condition waits */
	if (k->helper)
		pthread_create(&thread, NULL, k->helper, k->arg);
	while (k->helper == hold_mutex && !holds_mutex)
		sched_yield();
	before = busy();
	start = now();
	main_waits = true;
	k->wait();
	end = now();
	printf("%s %ld %ld\n", k->name, end - start, busy() - before);
	fflush(stdout);
	while (k->helper && k->wait != in_join && pthread_tryjoin_np(thread, NULL) == EBUSY)
		sched_yield();
}

int main(int argc, char **argv)
{
	int locked = mkstemp(file);
	const struct kind kinds[] = {
		{ "in_sleep", in_sleep, NULL, NULL },
		{ "in_mutex", in_mutex, hold_mutex, NULL },
		{ "in_condition", in_condition, wake_later, NULL },
		{ "in_semaphore", in_semaphore, post_later, NULL },
		{ "in_join", in_join, sleep_and_end, NULL },
		{ "in_pipe", in_pipe, write_later, &fds[1] },
		{ "in_socket", in_socket, write_later, &sockets[1] },
		{ "in_eventfd", in_eventfd, write_later, &event },
		{ "in_poll", in_poll, NULL, NULL },
		{ "in_select", in_select, NULL, NULL },
		{ "in_epoll", in_epoll, NULL, NULL },
		{ "in_signal", in_signal, NULL, NULL },
		{ "in_child", in_child, NULL, NULL },
		{ "in_file_lock", in_file_lock, unlock_later, &locked },
	};

	sem_init(&semaphore, 0, 0);
	event = eventfd(0, 0);
	if (locked < 0 || event < 0 || flock(locked, LOCK_EX) || pipe(fds) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 1;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		int wanted = argc == 1;

		for (int k = 1; k < argc; k++)
			wanted |= !strcmp(argv[k], kinds[i].name);
		if (wanted)
			run(&kinds[i]);
	}
	unlink(file);
	return 0;
}
