/*
 * A program whose critical path is known, part by part. Prints "COMM NS" for each part, "unsure NS" for what
 * may be of either of two parts, and "all NS".
 *
 *	phases		computes for 40 ms, begins left and right, and waits for both
 *	left		computes for 20 ms, and ends
 *	right		sleeps for 90 ms, as if it waited for a device, and signals: the path goes through it
 *	phases		computes for 30 ms, and forks a child
 *	child		waits for a byte of writer, a grandchild, computes for 20 ms, and ends
 *	writer		computes for 50 ms, and writes the byte: the path goes through it, then through
 *			child
 *	phases		has waited for the child, and ends
 *
 * The times are measured. On a busy machine, left may end after right: the path goes through left then. And
 * a thread may be preempted after it noted that it lets another one go on: from then until the other one does
 * is unsure.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noipa))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int is_done;

/* Times: of the thread that the path leaves, before it does so; of the one that it goes to, when it runs */
enum {
	BEGIN,
	TO_RIGHT,
	IN_RIGHT,
	FROM_LEFT,
	LEFT_JOINED,
	FROM_RIGHT,
	RIGHT_JOINED,
	TO_FORK,
	IN_FORK,
	TO_WRITER,
	IN_WRITER,
	TO_CHILD,
	IN_CHILD,
	FROM_CHILD,
	END,
};
static volatile long *turns;

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

KEEP static void compute(long ms)
{
	static volatile unsigned long sink;
	long end = now() + ms * 1000000;

	do {
		for (unsigned long i = 0; i < 20000; i++)
			sink = sink * 31 + i;
	} while (now() < end);
}

static void *left(void *arg)
{
	pthread_setname_np(pthread_self(), "left");
	compute(20);
	turns[FROM_LEFT] = now();
	return arg;
}

static void *right(void *arg)
{
	struct timespec t = { 0, 90000000 };

	turns[IN_RIGHT] = now();
	pthread_setname_np(pthread_self(), "right");
	nanosleep(&t, NULL);
	pthread_mutex_lock(&lock);
	is_done = 1;
	pthread_mutex_unlock(&lock);
	turns[FROM_RIGHT] = now();
	pthread_cond_signal(&done);
	return arg;
}

static void run_threads(void)
{
	pthread_t a, b;

	turns[TO_RIGHT] = now();
	if (pthread_create(&b, NULL, right, NULL) || pthread_create(&a, NULL, left, NULL))
		exit(1);
	pthread_join(a, NULL);
	turns[LEFT_JOINED] = now();
	pthread_mutex_lock(&lock);
	while (!is_done)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
	turns[RIGHT_JOINED] = now();
	pthread_join(b, NULL);
}

static void run_child(void)
{
	int fds[2];
	char byte = 0;

	turns[IN_FORK] = now();
	prctl(PR_SET_NAME, "child");
	if (pipe(fds))
		_exit(1);
	turns[TO_WRITER] = now();
	if (!fork()) {
		turns[IN_WRITER] = now();
		prctl(PR_SET_NAME, "writer");
		compute(50);
		turns[TO_CHILD] = now();
		_exit(write(fds[1], &byte, 1) != 1);
	}
	if (read(fds[0], &byte, 1) != 1)
		_exit(1);
	turns[IN_CHILD] = now();
	compute(20);
	turns[FROM_CHILD] = now();
	_exit(0);
}

static long between(int from, int to)
{
	return turns[to] - turns[from];
}

static void print_parts(void)
{
	int is_left = turns[LEFT_JOINED] > turns[FROM_RIGHT];
	int from = is_left ? FROM_LEFT : FROM_RIGHT, joined = is_left ? LEFT_JOINED : RIGHT_JOINED;

	printf("phases %ld\n", between(BEGIN, TO_RIGHT) + between(from, TO_FORK) + between(FROM_CHILD, END));
	printf("%s %ld\n", is_left ? "left" : "right", between(TO_RIGHT, from));
	printf("writer %ld\n", between(TO_WRITER, TO_CHILD));
	printf("child %ld\n", between(TO_FORK, TO_WRITER) + between(TO_CHILD, FROM_CHILD));
	printf("unsure %ld\n", between(TO_RIGHT, IN_RIGHT) + between(from, joined) +
				       between(TO_FORK, IN_FORK) + between(TO_WRITER, IN_WRITER) +
				       between(TO_CHILD, IN_CHILD) + between(FROM_CHILD, END));
	printf("all %ld\n", between(BEGIN, END));
}

int main(void)
{
	pid_t pid;

	turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (turns == MAP_FAILED)
		return 1;
	turns[BEGIN] = now();
	compute(40);
	run_threads();
	compute(30);
	turns[TO_FORK] = now();
	pid = fork();
	if (!pid)
		run_child();
	if (waitpid(pid, NULL, 0) != pid)
		return 1;
	turns[END] = now();
	print_parts();
	return 0;
}
