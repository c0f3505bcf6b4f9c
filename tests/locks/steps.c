/* See steps.h. */
#define _GNU_SOURCE
#include "steps.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noipa))

typedef uint64_t u64;

struct entry {
	u64 times[3];         /* of a wait: begin, end; of a hold: got, before, after */
	const char *function; /* of a hold */
	int lock;
	int is_wait;
	int tid, last; /* last: tid */
};

struct log {
	char name[16];
	int tid;
	int nr, max;
	struct entry *entries;
};

/* Shared by the processes; the tids before each lock are as exact as the lock itself. */
static struct shared {
	struct log logs[2 * MAX_THREADS]; /* the second half: of threads that others join */
	int last[MAX_LOCKS];
	int arrived[MAX_LOCKS];
	u64 begin;
} * shared;

static const struct run *run;
static const struct step *steps;
static int nr_steps, nr_rounds, ms_of_round, nr_times, us_of_hold;
static __thread struct log *own;

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static void sleep_until(u64 ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) /* a signal */
		;
}

/* ---- what is done while a lock is held ---- */

KEEP static void hold_computing(int us)
{
	static volatile unsigned long sink;
	u64 end = now() + (u64)us * 1000;

	do {
		for (unsigned long i = 0; i < 3000; i++)
			sink = sink * 31 + i;
	} while (now() < end);
}

KEEP static void hold_sleeping(int us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000L };

	while (nanosleep(&t, &t)) /* a signal */
		;
}

/* ---- waiting and letting go, with notes ---- */

static struct entry *entry__add(int lock, int is_wait)
{
	static __thread struct entry none;
	struct entry *e = own->nr < own->max ? &own->entries[own->nr++] : &none;

	e->lock = lock;
	e->is_wait = is_wait;
	e->tid = own->tid;
	e->last = 0;
	return e;
}

/* Take a lock, waiting with a note if somebody has it. Return when it was got. */
static u64 take(int i, int is_shared)
{
	struct lock *l = &run->locks[i];
	int (*try_it)(void *) = is_shared ? l->try_share : l->try_take;
	struct entry *e;

	if (try_it && try_it(l->object))
		return now();
	e = entry__add(i, 1);
	e->times[0] = now();
	(is_shared ? l->share : l->take)(l->object);
	e->times[1] = now();
	e->last = __atomic_load_n(&shared->last[i], __ATOMIC_RELAXED);
	return e->times[1];
}

static void let_go(int i, u64 got, const char *function)
{
	struct lock *l = &run->locks[i];
	struct entry *e = entry__add(i, 0);

	e->function = function;
	e->times[0] = got;
	__atomic_store_n(&shared->last[i], own->tid, __ATOMIC_RELAXED);
	e->times[1] = now();
	l->let_go(l->object);
	e->times[2] = now();
}

KEEP static void hold_nested(int us)
{
	u64 got = take(0, 0);

	hold_computing(us);
	let_go(0, got, "hold_computing");
}

/* The last one to arrive lets the others go on. */
static void meet(int i)
{
	struct lock *l = &run->locks[i];
	int others = 0;
	struct entry *e;

	for (int s = 0; s < nr_steps; s++)
		others += steps[s].kind == STEP_MEET && steps[s].lock == i;
	others--;
	if (__atomic_fetch_add(&shared->arrived[i], 1, __ATOMIC_RELAXED) % (others + 1) == others) {
		let_go(i, now(), "-");
		return;
	}
	e = entry__add(i, 1);
	e->times[0] = now();
	l->take(l->object);
	e->times[1] = now();
	e->last = __atomic_load_n(&shared->last[i], __ATOMIC_RELAXED);
}

struct child {
	struct log *log;
	int us, lock;
};

static void *child__run(void *arg)
{
	struct child *c = arg;
	struct entry *e;

	own = c->log;
	own->tid = (int)syscall(SYS_gettid);
	pthread_setname_np(pthread_self(), own->name);
	hold_computing(c->us);
	e = entry__add(c->lock, 0);
	e->function = "-";
	__atomic_store_n(&shared->last[c->lock], own->tid, __ATOMIC_RELAXED);
	e->times[0] = e->times[1] = now();
	e->times[2] = 0; /* the end of the wait, see join */
	return e;
}

static void join(const struct step *s)
{
	struct child c = { &shared->logs[MAX_THREADS + s->thread], s->hold_ms * 1000, s->lock };
	struct entry *e, *end;
	void *result;
	pthread_t t;

	if (pthread_create(&t, NULL, child__run, &c))
		abort();
	e = entry__add(s->lock, 1);
	e->times[0] = now();
	pthread_join(t, &result);
	e->times[1] = now();
	e->last = shared->last[s->lock];
	end = result;
	end->times[2] = e->times[1];
}

static void step__do(const struct step *s)
{
	u64 got;

	switch (s->kind) {
	case STEP_COMPUTE:
	case STEP_SLEEP:
	case STEP_READ:
		got = take(s->lock, s->kind == STEP_READ);
		(s->kind == STEP_COMPUTE ? hold_computing : hold_sleeping)(s->hold_ms * 1000);
		let_go(s->lock, got, s->kind == STEP_COMPUTE ? "hold_computing" : "hold_sleeping");
		break;
	case STEP_NEST:
		got = take(s->lock, 0);
		hold_nested(s->hold_ms * 1000);
		let_go(s->lock, got, "hold_nested");
		break;
	case STEP_WAIT:
		take(s->lock, 0);
		break;
	case STEP_SIGNAL:
		let_go(s->lock, now(), "-");
		break;
	case STEP_MEET:
		meet(s->lock);
		break;
	case STEP_JOIN:
		join(s);
		break;
	}
}

/* ---- threads ---- */

static void thread__steps(int thread)
{
	for (int round = 0; round < nr_rounds; round++)
		for (int i = 0; i < nr_steps; i++) {
			if (steps[i].thread != thread)
				continue;
			sleep_until(shared->begin + (u64)(round * ms_of_round + steps[i].at_ms) * 1000000);
			step__do(&steps[i]);
		}
}

static void thread__rate(int thread)
{
	unsigned int random = 2463534242u * (unsigned int)(thread + 1);
	int computes = thread % 2 == 0;

	sleep_until(shared->begin);
	for (int i = 0; i < nr_times; i++) {
		int lock, shares;
		u64 got;

		random ^= random << 13;
		random ^= random >> 17;
		random ^= random << 5;
		lock = run->locks[1].name ? random / 65536 % 2 : 0;
		shares = run->locks[lock].share && random / 131072 % 4;
		got = take(lock, shares);
		(computes ? hold_computing : hold_sleeping)(us_of_hold);
		let_go(lock, got, computes ? "hold_computing" : "hold_sleeping");
	}
}

static void *thread__run(void *arg)
{
	int thread = (int)(intptr_t)arg;

	own = &shared->logs[thread];
	own->tid = (int)syscall(SYS_gettid);
	pthread_setname_np(pthread_self(), own->name);
	(steps ? thread__steps : thread__rate)(thread);
	return NULL;
}

static int run_threads(int from, int to)
{
	pthread_t threads[MAX_THREADS];
	int failed = 0, i;

	for (i = from; i < to && !failed; i++)
		failed = pthread_create(&threads[i], NULL, thread__run, (void *)(intptr_t)i);
	for (int k = from; k < i - failed; k++)
		pthread_join(threads[k], NULL);
	return failed;
}

static int run_processes(void)
{
	int first = run->processes == 2 ? run->nr_threads / 2 : run->nr_threads, failed, status;
	pid_t pid = 0;

	if (first < run->nr_threads) {
		pid = fork();
		if (pid < 0)
			return 1;
		if (!pid) {
			if (run->other_process)
				run->other_process(run->locks);
			_exit(run_threads(first, run->nr_threads));
		}
	}
	failed = run_threads(0, first);
	if (pid && (waitpid(pid, &status, 0) != pid || status))
		failed = 1;
	return failed;
}

/* ---- the file ---- */

static void log__write(const struct log *l, FILE *f)
{
	for (int i = 0; i < l->nr; i++) {
		const struct entry *e = &l->entries[i];
		const char *lock = run->locks[e->lock].name;

		if (e->is_wait)
			fprintf(f, "wait %s %s %d %lu %lu %d\n", lock, l->name, e->tid, e->times[0],
				e->times[1], e->last);
		else
			fprintf(f, "hold %s %s %d %lu %lu %lu %s\n", lock, l->name, e->tid, e->times[0],
				e->times[1], e->times[2], e->function);
	}
}

static int write_truth(void)
{
	FILE *f = fopen(run->file, "w");
	int failed = 0;

	if (!f) {
		perror(run->file);
		return 1;
	}
	for (int i = 0; i < MAX_LOCKS && run->locks[i].name; i++)
		fprintf(f, "lock %s %s\n", run->locks[i].name, run->locks[i].kind);
	for (int i = 0; i < 2 * MAX_THREADS; i++) {
		log__write(&shared->logs[i], f);
		if (shared->logs[i].nr && shared->logs[i].nr == shared->logs[i].max)
			failed = 1;
	}
	if (failed)
		fprintf(stderr, "more waits than there is room for\n");
	if (ferror(f) | fclose(f))
		failed = 1;
	return failed;
}

static void *shared_memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return p;
}

static int run_all(const struct run *r, int max)
{
	static const char *const names[] = { "alpha", "bravo", "carol", "delta" };

	run = r;
	shared = shared_memory(sizeof(*shared));
	for (int i = 0; i < 2 * MAX_THREADS; i++) {
		struct log *l = &shared->logs[i];

		snprintf(l->name, sizeof(l->name), i < MAX_THREADS ? "%s" : "%s-child", names[i % 4]);
		l->max = i % MAX_THREADS < r->nr_threads ? max : 0;
		if (l->max)
			l->entries = shared_memory((size_t)max * sizeof(*l->entries));
	}
	shared->begin = now() + 30000000;
	if (run_processes()) {
		fprintf(stderr, "cannot run the threads\n");
		return 1;
	}
	return write_truth();
}

int run_steps(const struct run *r, const struct step *table, int nr, int rounds, int round_ms)
{
	steps = table;
	nr_steps = nr;
	nr_rounds = rounds;
	ms_of_round = round_ms;
	return run_all(r, rounds * nr * 4 + 1);
}

int run_rate(const struct run *r, int times, int hold_us)
{
	nr_times = times;
	us_of_hold = hold_us;
	return run_all(r, times * 2 + 1);
}

/* ---- tables ---- */

#define RUN(r, table, rounds, ms) run_steps(r, table, (int)(sizeof(table) / sizeof(*(table))), rounds, ms)

int run_contended(const struct run *r, int rounds)
{
	static const struct step table[] = {
		/*
		 * lock 0: alpha 0 to 6, bravo 6 to 11, carol 11 to 15; lock 1: delta 1 to 13, alpha 13 to 16
		 */
		{ 0, 0, STEP_COMPUTE, 0, 6 },
		{ 3, 1, STEP_SLEEP, 1, 12 },
		{ 1, 2, STEP_SLEEP, 0, 5 },
		{ 2, 4, STEP_COMPUTE, 0, 4 },
		{ 0, 8, STEP_COMPUTE, 1, 3 },
		/* lock 0: carol 20 to 28, bravo 28 to 30, who has lock 1 from 21 on; alpha waits for bravo */
		{ 2, 20, STEP_SLEEP, 0, 8 },
		{ 1, 21, STEP_NEST, 1, 2 },
		{ 0, 23, STEP_SLEEP, 1, 2 },
	};

	return RUN(r, table, rounds, 40);
}

int run_readers(const struct run *r, int rounds)
{
	static const struct step table[] = {
		/*
		 * alpha, bravo and carol read up to 5, 9 and 7; delta writes 9 to 15, alpha and carol read
		 * then
		 */
		{ 0, 0, STEP_READ, 0, 5 },     { 1, 0, STEP_READ, 0, 9 },     { 2, 1, STEP_READ, 0, 6 },
		{ 3, 3, STEP_SLEEP, 0, 6 },    { 0, 11, STEP_READ, 0, 4 },    { 2, 12, STEP_READ, 0, 7 },
		{ 3, 25, STEP_COMPUTE, 0, 5 }, { 1, 27, STEP_COMPUTE, 0, 3 },
	};

	return RUN(r, table, rounds, 40);
}

int run_signals(const struct run *r, int rounds)
{
	static const struct step table[] = {
		{ 0, 0, STEP_WAIT, 0, 0 },   { 1, 0, STEP_WAIT, 1, 0 },  { 2, 5, STEP_SIGNAL, 0, 0 },
		{ 3, 8, STEP_SIGNAL, 1, 0 }, { 0, 12, STEP_MEET, 2, 0 }, { 1, 14, STEP_MEET, 2, 0 },
		{ 2, 18, STEP_MEET, 2, 0 },  { 3, 22, STEP_JOIN, 3, 5 },
	};

	return RUN(r, table, rounds, 35);
}
