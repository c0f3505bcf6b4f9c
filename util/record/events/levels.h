/*
 * Levels of stack copies: how much of each stack the counters copy, and how often they sample. Moves counters
 * that record from one level to another (record/stacks/stack_load.h), and reports in the end which ones were
 * used.
 */
#ifndef RECORD_LEVELS_H
#define RECORD_LEVELS_H

#include "record/events/counters.h"

/*
 * Choose the level for the next samples, before the rings are drained. fill: fill level of the queue after
 * the rings, in 64ths; it counts as that of a ring. Nothing is lost in between; an event that happens while
 * both levels are enabled is sampled twice.
 */
void levels__choose(struct counters *c, const struct stack_depths *depths, unsigned fill);

struct levels_used {
	u32 asked, copy; /* bytes; copy: used for most of the time */
	u32 wanted; /* bytes; the stacks need copies of this size, for which rings have no room; 0: none */
	u64 ring;   /* bytes */
	/* Hz, of each event, on the average */
	u64 rate, wanted_rate; /* wanted_rate: with it, there is room; 0: with none */
	u64 slow_rate;         /* used for slow_ms of ms, because of load */
	u64 slow_ms, ms;
	bool was_queue; /* the load was more often in the queue after the rings than in the rings */
};
/* Count anew how long each level is used: another file begins. */
void levels__begin_file(struct counters *c);
/* Return the levels that were used; zeroes if there was no choice. */
struct levels_used levels__used(const struct counters *c);
/* Append what is worth telling, a line each: "copied ...", what prevented more, and what to type. */
void levels_used__tell(const struct levels_used *u, struct strbuf *out);

#endif
