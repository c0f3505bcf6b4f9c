/*
 * When the recorder gets to run: what is recorded may keep all CPUs busy, and the rings are to be emptied
 * nevertheless. All of this is about the calling thread and as far as it is allowed: without the right
 * everything stays as it is.
 */
#ifndef RECORD_PRIORITY_H
#define RECORD_PRIORITY_H

#include "base/message/err.h"

struct priority {
	int nice_before;  /* set by __raise */
	int chosen;       /* priority of SCHED_FIFO that the user wants; 0: none */
	bool is_realtime; /* by us */
};

/* Nice -20, which stays; threads that are started later have it as well. */
void priority__raise(struct priority *p);
/* Notes the priority that the user wants. 0, or a negative errno with err: it is not allowed. */
int priority__choose(struct priority *p, int chosen, struct err *err);
/*
 * Before all ordinary threads (as chosen, or SCHED_RR, the lowest of its priorities): for the thread that
 * empties the rings, which waits most of the time. Nice -20 weighs as much as 86 ordinary threads, and there
 * may be thousands.
 */
void priority__come_first(struct priority *p);
/* Nice -20 again, and for threads that are started then. */
void priority__lower(struct priority *p);

#endif
