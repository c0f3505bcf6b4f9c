/*
 * Waits whose truth is known, for locks of the C library:
 *
 *	locks CASE FILE [ROUNDS]         steps that hold locks for milliseconds
 *	locks rate-CASE FILE [TIMES US]  each of four threads takes a lock TIMES times and holds it for US
 *
 * CASE is in the table below. FILE gets the truth (see steps.h).
 */
#define _GNU_SOURCE
#include "library.h"
#include "steps.h"

#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noipa))

/* ---- mutexes: global, in a struct, on the heap, static in a library ---- */

struct pool {
	long size;
	char *names[3];
	pthread_mutex_t lock;
};

pthread_mutex_t big_lock = PTHREAD_MUTEX_INITIALIZER;
struct pool pool = { .lock = PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t pi_lock, quick_lock;

static int mutex__try(void *m)
{
	return !pthread_mutex_trylock(m);
}

KEEP static void mutex__take(void *m)
{
	pthread_mutex_lock(m);
}

static void mutex__let_go(void *m)
{
	pthread_mutex_unlock(m);
}

/* Wait for 1.73 ms at a time. Only the last wait ends since somebody let go. */
KEEP static void mutex__take_timed(void *m)
{
	struct timespec t;

	do {
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 1730000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
	} while (pthread_mutex_timedlock(m, &t));
}

/* Locks without a variable have the names of these. */
KEEP static void first_site(void *m)
{
	pthread_mutex_lock(m);
}

KEEP static void second_site(void *m)
{
	pthread_mutex_lock(m);
}

static pthread_mutex_t *mutex__new(int type, int protocol, int is_shared, pthread_mutex_t *m)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	pthread_mutexattr_setprotocol(&attr, protocol);
	pthread_mutexattr_setpshared(&attr, is_shared);
	if (!m || pthread_mutex_init(m, &attr)) {
		fprintf(stderr, "cannot make a mutex\n");
		exit(1);
	}
	return m;
}

/* ---- locks that processes share: a file without a name, which the second one maps elsewhere ---- */

enum { SHARED_SIZE = 65536, SHARED_OFFSET = 8192 }; /* the second lock is in another page */
static int shared_fd;

static char *map_shared(void)
{
	char *p = mmap(NULL, SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, shared_fd, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return p;
}

static void map_again(struct lock *locks)
{
	char *p = map_shared();

	locks[0].object = p;
	locks[1].object = p + SHARED_OFFSET;
}

/* ---- other things to wait for ---- */

struct board {
	int nr;
	pthread_rwlock_t lock;
};

struct mailbox {
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	int is_full;
};

struct board board = { .lock = PTHREAD_RWLOCK_INITIALIZER };
struct mailbox mailbox = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
sem_t slots;
pthread_barrier_t gate;

static int board__try(void *l)
{
	return !pthread_rwlock_trywrlock(l);
}

KEEP static void board__write(void *l)
{
	pthread_rwlock_wrlock(l);
}

static int board__try_read(void *l)
{
	return !pthread_rwlock_tryrdlock(l);
}

KEEP static void board__read(void *l)
{
	pthread_rwlock_rdlock(l);
}

static void board__let_go(void *l)
{
	pthread_rwlock_unlock(l);
}

static int mailbox__try(void *m)
{
	struct mailbox *box = m;
	int was_full;

	pthread_mutex_lock(&box->lock);
	was_full = box->is_full;
	box->is_full = 0;
	pthread_mutex_unlock(&box->lock);
	return was_full;
}

KEEP static void mailbox__wait(void *m)
{
	struct mailbox *box = m;

	pthread_mutex_lock(&box->lock);
	while (!box->is_full)
		pthread_cond_wait(&box->arrived, &box->lock);
	box->is_full = 0;
	pthread_mutex_unlock(&box->lock);
}

/* The mutex is free again before the signal: the waiter waits once. */
static void mailbox__send(void *m)
{
	struct mailbox *box = m;

	pthread_mutex_lock(&box->lock);
	box->is_full = 1;
	pthread_mutex_unlock(&box->lock);
	pthread_cond_signal(&box->arrived);
}

static int slots__try(void *s)
{
	return !sem_trywait(s);
}

KEEP static void slots__wait(void *s)
{
	sem_wait(s);
}

static void slots__post(void *s)
{
	sem_post(s);
}

KEEP static void gate__pass(void *b)
{
	pthread_barrier_wait(b);
}

/* ---- cases: each fills in its locks ---- */

#define NORMAL PTHREAD_MUTEX_TIMED_NP, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE

static void set_mutex(struct lock *l, const char *name, pthread_mutex_t *m, void (*take)(void *))
{
	*l = (struct lock){ name, "mutex", m, mutex__try, take, mutex__let_go, NULL, NULL };
}

static void set_mutexes(struct run *r)
{
	set_mutex(&r->locks[0], "big_lock", &big_lock, mutex__take);
	set_mutex(&r->locks[1], "pool.lock", &pool.lock, mutex__take);
}

static void set_heap(struct run *r)
{
	set_mutex(&r->locks[0], "first_site", mutex__new(NORMAL, malloc(sizeof(pthread_mutex_t))),
		  first_site);
	set_mutex(&r->locks[1], "second_site", mutex__new(NORMAL, malloc(sizeof(pthread_mutex_t))),
		  second_site);
}

static void set_library(struct run *r)
{
	set_mutex(&r->locks[0], "cache.lock", library__cache_lock(), mutex__take);
	set_mutex(&r->locks[1], "library_lock", library__lock(), mutex__take);
}

static void set_pi(struct run *r)
{
	mutex__new(PTHREAD_MUTEX_TIMED_NP, PTHREAD_PRIO_INHERIT, PTHREAD_PROCESS_PRIVATE, &pi_lock);
	mutex__new(PTHREAD_MUTEX_TIMED_NP, PTHREAD_PRIO_INHERIT, PTHREAD_PROCESS_PRIVATE, &pool.lock);
	set_mutex(&r->locks[0], "pi_lock", &pi_lock, mutex__take);
	set_mutex(&r->locks[1], "pool.lock", &pool.lock, mutex__take);
}

static void set_adaptive(struct run *r)
{
	mutex__new(PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE, &quick_lock);
	mutex__new(PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE, &pool.lock);
	set_mutex(&r->locks[0], "quick_lock", &quick_lock, mutex__take);
	set_mutex(&r->locks[1], "pool.lock", &pool.lock, mutex__take);
}

static void set_timed(struct run *r)
{
	set_mutex(&r->locks[0], "big_lock", &big_lock, mutex__take_timed);
	set_mutex(&r->locks[1], "pool.lock", &pool.lock, mutex__take_timed);
}

static void handle(int signal)
{
	(void)signal;
}

/*
 * Send a signal to all other threads, every 3 ms. It ends waits for a lock, which the C library begins again.
 */
static void *send_signals(void *arg)
{
	struct timespec t = { 0, 3000000 };
	int own = (int)syscall(SYS_gettid);

	pthread_setname_np(pthread_self(), "signaller");
	for (;;) {
		DIR *tasks = opendir("/proc/self/task");

		for (struct dirent *e; tasks && (e = readdir(tasks));)
			if (atoi(e->d_name) > 0 && atoi(e->d_name) != own)
				syscall(SYS_tgkill, getpid(), atoi(e->d_name), SIGUSR1);
		if (tasks)
			closedir(tasks);
		nanosleep(&t, NULL);
	}
	return arg;
}

static void set_interrupted(struct run *r)
{
	struct sigaction action = { .sa_handler = handle };
	pthread_t t;

	set_mutexes(r);
	if (sigaction(SIGUSR1, &action, NULL) || pthread_create(&t, NULL, send_signals, NULL))
		exit(1);
}

static void set_shared(struct run *r)
{
	shared_fd = memfd_create("locks", 0);
	if (shared_fd < 0 || ftruncate(shared_fd, SHARED_SIZE)) {
		perror("memfd_create");
		exit(1);
	}
	set_mutex(&r->locks[0], "first_site", NULL, first_site);
	set_mutex(&r->locks[1], "second_site", NULL, second_site);
	map_again(r->locks);
	for (int i = 0; i < 2; i++)
		mutex__new(PTHREAD_MUTEX_TIMED_NP, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_SHARED,
			   r->locks[i].object);
	r->processes = 2;
	r->other_process = map_again;
}

static void set_board(struct run *r)
{
	r->locks[0] = (struct lock){ "board.lock", "rwlock",      &board.lock,     board__try,
				     board__write, board__let_go, board__try_read, board__read };
}

static void set_signals(struct run *r)
{
	pthread_barrier_init(&gate, NULL, 3);
	r->locks[0] = (struct lock){ "mailbox.arrived", "condition",   &mailbox, mailbox__try,
				     mailbox__wait,     mailbox__send, NULL,     NULL };
	r->locks[1] = (struct lock){ "slots",     "semaphore", &slots, slots__try,
				     slots__wait, slots__post, NULL,   NULL };
	r->locks[2] = (struct lock){ "gate", "barrier", &gate, NULL, gate__pass, gate__pass, NULL, NULL };
	r->locks[3] = (struct lock){ "join", "join", NULL, NULL, NULL, NULL, NULL, NULL };
}

static const struct {
	const char *name;
	void (*set)(struct run *r);
	int (*run)(const struct run *r, int rounds);
} cases[] = {
	{ "mutex", set_mutexes, run_contended },     { "heap", set_heap, run_contended },
	{ "library", set_library, run_contended },   { "pi", set_pi, run_contended },
	{ "adaptive", set_adaptive, run_contended }, { "shared", set_shared, run_contended },
	{ "timed", set_timed, run_contended },       { "interrupted", set_interrupted, run_contended },
	{ "rwlock", set_board, run_readers },        { "signals", set_signals, run_signals },
};

int main(int argc, char **argv)
{
	static struct lock locks[MAX_LOCKS];
	struct run r = { argc > 2 ? argv[2] : NULL, locks, 4, 1, NULL };
	int is_rate = argc > 2 && !strncmp(argv[1], "rate-", 5);

	for (unsigned int i = 0; argc > 2 && i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(cases[i].name, argv[1] + (is_rate ? 5 : 0)))
			continue;
		cases[i].set(&r);
		if (is_rate)
			return run_rate(&r, argc > 3 ? atoi(argv[3]) : 20000, argc > 4 ? atoi(argv[4]) : 50);
		return cases[i].run(&r, argc > 3 ? atoi(argv[3]) : 25);
	}
	fprintf(stderr, "usage: locks [rate-]CASE FILE [ROUNDS]; see the head of locks.c\n");
	return 2;
}
