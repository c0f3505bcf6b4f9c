/*
 * Requests of a server whose durations and faults are known, for programs that have a function
 * handle_request. Each of four threads (alpha, bravo, carol, delta) thinks for a random time, and serves a
 * request of about 1 ms. One of 200, chosen by a seed, has a fault that is planted; the program knows what it
 * took.
 *
 * The file that it writes at its end has lines of words, times in ns of CLOCK_MONOTONIC:
 *
 *	request TID COMM BEGIN END OUTCOME CAUSE NS PART...
 *
 * OUTCOME: returned, thrown, jumped or exited (the thread ended in it). CAUSE: what was planted, or "-". NS:
 * how long that took. PART: NAME=NS, time of the other parts of the request.
 */
#ifndef SPANS_REQUESTS_H
#define SPANS_REQUESTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KEEP __attribute__((noipa))

enum cause {
	CAUSE_NONE,
	CAUSE_LOCK,   /* write_row waits for db_lock, which flush_log holds while it writes to the disk */
	CAUSE_FAULTS, /* touch_pages touches new memory */
	CAUSE_CPU,    /* another process, of a higher priority, takes the CPU */
	CAUSE_LOOP,   /* compute_hash computes longer */
	CAUSE_SLEEP,  /* retry_backoff sleeps */
	NR_CAUSES,
};

enum outcome { RETURNED, THROWN, JUMPED, EXITED };

enum { NR_WORKERS = 4 };

struct request {
	uint64_t begin, end; /* ns; whoever serves it sets them */
	enum cause cause;
	enum outcome outcome;
	uint64_t planted_ns;               /* what the fault took */
	uint64_t hash_ns, wait_ns, cpu_ns; /* cpu_ns: processor time of all that do_request does */
	uint64_t random;                   /* bits that decide what else happens to it */
	int depth;                         /* free for whoever serves it */
	int hash_rounds;                   /* of compute_hash */
};

struct worker;

/* What the servers of all languages are told: SHAPE CAUSE[,CAUSE...] FILE [SECONDS [SEED [RATE]]] */
struct requests_opts {
	const char *shape; /* of the function, see the programs */
	uint32_t causes;   /* a bit for each cause that is planted */
	const char *file;
	double seconds;
	uint64_t seed;
	double rate;    /* requests a second of each thread */
	int is_short;   /* requests that do next to nothing, at 100,000 a second if nothing is said */
	int is_clocked; /* requests come each 4 ms, to each thread in turn */
	int is_varied;  /* work differs from request to request: without, by 10% at most */
};

/*
 * Read the arguments. Return 0, or 2 after a message. If URGENT is in the environment, it is the program's
 * real-time priority, such as 1, so that programs without one do not delay it.
 */
int requests__init(struct requests_opts *o, int argc, char **argv);
/* Run serve in NR_WORKERS threads, until the seconds are over, and write the file. Return the exit status. */
int requests__run(const struct requests_opts *o, void (*serve)(struct worker *w));

/*
 * Think, choose what happens to the next request, and see to it that this can happen (such as that flush_log
 * holds the lock). Return 0 when it is time to end.
 */
int worker__next(struct worker *w, struct request *r);
/* The request was served: note it. Call it on the thread that served it. */
void worker__done(struct worker *w, const struct request *r);
/* A thread that ends in a request calls this right before; another one continues its work. */
void worker__exits(struct worker *w, const struct request *r);

uint64_t now_ns(void);
/* The work of a request, with its fault. */
void do_request(struct request *r);

#ifdef __cplusplus
}
#endif
#endif
