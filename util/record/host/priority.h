/*
 * The priority of the recorder's threads: the recorded program may keep all CPUs busy, and the ring buffers
 * must still be emptied. All functions apply to the calling thread. If the user lacks the permission, they
 * change nothing.
 */
#ifndef RECORD_PRIORITY_H
#define RECORD_PRIORITY_H

#include "base/message/err.h"

struct priority {
	int nice_before;  /* set by __raise */
	int chosen;       /* the user's SCHED_FIFO priority; 0: none */
	bool is_realtime; /* perf made the thread a real-time one */
};

/* Set nice -20 for good; threads started later inherit it. */
void priority__raise(struct priority *p);
/*
 * Store the priority that the user chose. Return 0, or a negative errno with err if the kernel refuses it.
 */
int priority__choose(struct priority *p, int chosen, struct err *err);
/*
 * Run before all ordinary threads: with the chosen SCHED_FIFO priority, or else with SCHED_RR at its lowest.
 * The thread that empties the rings calls it, and sleeps most of the time. Nice -20 is not enough: it weighs
 * as much as 86 ordinary threads, and there may be thousands.
 */
void priority__come_first(struct priority *p);
/* Return to nice -20, also for threads started from now on. */
void priority__lower(struct priority *p);

#endif
