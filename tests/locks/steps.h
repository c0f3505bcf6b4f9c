/*
 * Threads that take turns at locks, signals and barriers, as a table of steps says, and write down the truth:
 * who waited for what, from when to when, and who let go. Known without a profiler:
 *
 *	A thread first tries without waiting. If that fails it waits, and notes the times before and after.
 *	Who lets go notes the times before and after it does so. Whoever woke a waiter at time t did so
 *	between these two times.
 *	Who lets go also writes its number into a variable of the lock before it lets go, and the next one
 *	reads it after it got the lock: who let go last, without any clock.
 *
 * Steps hold a lock for milliseconds, and none comes in between: each call waits once, and who let go last
 * woke it. At high rates (run_rate) another thread may take the lock between a waking and the woken thread,
 * so one call may wait several times; the times before and after letting go are then what tells who woke it.
 *
 * The file has lines of words, times in ns of CLOCK_MONOTONIC:
 *
 *	lock NAME KIND                                 as the program knows it
 *	wait LOCK COMM TID BEGIN END LAST-TID          LAST-TID: let go last; 0: not known
 *	hold LOCK COMM TID GOT BEFORE AFTER FUNCTION   FUNCTION: ran while the lock was held; -: none was
 */
#ifndef LOCKS_STEPS_H
#define LOCKS_STEPS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_LOCKS = 4, MAX_THREADS = 8 };

struct lock {
	const char *name, *kind;
	void *object;
	int (*try_take)(void *object); /* take without waiting; 0: somebody else has it. NULL: always wait */
	void (*take)(void *object);
	void (*let_go)(void *object); /* also: signal, post */
	int (*try_share)(void *object);
	void (*share)(void *object);
};

enum step_kind {
	STEP_COMPUTE, /* take the lock, compute for hold_ms, let go */
	STEP_SLEEP,   /* ... sleep */
	STEP_NEST,    /* ... take lock 0 and compute for hold_ms */
	STEP_READ,    /* ... share the lock and sleep */
	STEP_WAIT,    /* wait until somebody signals */
	STEP_SIGNAL,
	STEP_MEET, /* at a barrier of all threads that have this step */
	STEP_JOIN, /* begin a thread that computes for hold_ms, and wait for its end */
};

struct step { /* of each round; those of a thread are in the order of their times */
	int thread;
	int at_ms; /* since the round began */
	enum step_kind kind;
	int lock;
	int hold_ms;
};

struct run {
	const char *file;   /* for the truth */
	struct lock *locks; /* MAX_LOCKS at most, which have names */
	int nr_threads;     /* alpha, bravo, carol, delta */
	int processes;      /* 2: threads 2 and 3 are in another process. 0 is 1 */
	/* in the other process, before its first step, or NULL */
	void (*other_process)(struct lock *locks);
};

/* Do each step of the table rounds times, a round in round_ms. Return 0, or 1 after a message. */
int run_steps(const struct run *r, const struct step *steps, int nr_steps, int rounds, int round_ms);
/*
 * Each thread takes the first or the second lock, in a random order, times times, and holds it for hold_us:
 * two of four threads compute, the others sleep. If locks can be shared, three of four holds are.
 */
int run_rate(const struct run *r, int times, int hold_us);

/*
 * Tables: four threads, two locks; one lock shared by readers, and a writer; signals of locks 0 and 1,
 * barrier 2
 */
int run_contended(const struct run *r, int rounds);
int run_readers(const struct run *r, int rounds);
int run_signals(const struct run *r, int rounds);

#ifdef __cplusplus
}
#endif
#endif
