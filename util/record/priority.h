/*
 * When the recorder gets to run: what is recorded may keep all CPUs busy, and the rings are to be emptied nevertheless. All
 * of this is about the calling thread and as far as it is allowed: without the right everything stays as it is.
 */
#ifndef RECORD_PRIORITY_H
#define RECORD_PRIORITY_H

#include "base/types.h"

struct priority {
	int nice_before;  /* set by __raise */
	bool is_realtime; /* by us */
};

/* Nice -20, which stays; threads that are started later have it as well. */
void priority__raise(struct priority *p);
/*
 * Before all ordinary threads (SCHED_RR, the lowest of its priorities): for the thread that empties the rings, which
 * waits most of the time. Nice -20 weighs as much as 86 ordinary threads, and there may be thousands.
 */
void priority__come_first(struct priority *p);
/* Nice -20 again, and for threads that are started then. */
void priority__lower(struct priority *p);

#endif
