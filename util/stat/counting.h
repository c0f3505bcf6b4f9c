/*
 * Counting without samples: the counters of all events, on each CPU or thread of a target, and what they
 * read. A counter that this machine does not have is no failure: its event has no numbers, and a reason.
 */
#ifndef STAT_COUNTING_H
#define STAT_COUNTING_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "event/evsel/evsel.h"
#include "live/counter.h"
#include "record/target/target.h"

/* Sums of a counter. enabled and running are ns: the kernel counted for running of the enabled time. */
struct count {
	u64 value, enabled, running;
};

struct stat_place { /* what one counter of an event counts; -1: any */
	int cpu, tid;
};

struct stat_counter {  /* the counter of one event at one place */
	int fd;        /* -1: none, or closed */
	u64 id;        /* the kernel's; 0: not asked for */
	bool is_there; /* it was opened, or a recording has its counts */
	bool is_read_by_leader;
	struct count start, now; /* at the beginning of the period, and at the last reading */
};

struct counting_opts {
	bool no_inherit;
	bool on_exec; /* begin to count when the thread executes a program */
	bool all_user, all_kernel;
	bool wants_ids; /* of all counters */
};

struct counting {
	struct evlist *l; /* not owned */
	const struct counting_opts *opts;
	ARRAY(struct stat_place) places;
	struct stat_counter *counters; /* of event e at place p: counters[e * places.nr + p] */
	int *refusals;                 /* by event: 0, or the negative errno of opening it */
	ARRAY(u64) words;              /* what a group reads */
	struct counter_missing missing;
};

/* Choose the places: the threads, or the CPUs, of a target. */
void counting__init(struct counting *c, struct evlist *l, const struct counting_opts *opts,
		    const struct target *t);
/*
 * Open the counters, disabled. Return 0; or a negative errno with err if none may be opened, or for another
 * reason than that the machine lacks an event.
 */
int counting__open(struct counting *c, struct err *err);
/* Enable or disable all counters. */
void counting__enable(const struct counting *c, bool on);
/* Read all counters: one call of read(2) for each group. */
void counting__read(struct counting *c);
/* Begin a period: what __since returns counts from the last reading. */
void counting__begin(struct counting *c);
/* Close the counters, which keep what they read. */
void counting__close(struct counting *c);
/* Forget what was read, before the counters are opened again. */
void counting__forget(struct counting *c);
void counting__exit(struct counting *c);

static inline struct stat_counter *counting__counter(const struct counting *c, size_t evsel, size_t place)
{
	return &c->counters[evsel * c->places.nr + place];
}

static inline struct count stat_counter__since(const struct stat_counter *counter)
{
	return (struct count){ counter->now.value - counter->start.value,
			       counter->now.enabled - counter->start.enabled,
			       counter->now.running - counter->start.running };
}

/* Return the value that the counter would have if it had counted all the time that it was enabled. */
static inline double count__scaled(const struct count *c)
{
	return c->running && c->running < c->enabled
		       ? (double)c->value * ((double)c->enabled / (double)c->running)
		       : (double)c->value;
}

#endif
