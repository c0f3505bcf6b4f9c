/*
 * Between the rings and the intake, for samples whose stacks are to be unwound: one thread copies what the
 * rings hold into a queue, so that they are empty again soon, and another one takes it from there, unwinds
 * and writes. What waits between them has a limit. Before it is reached less of each stack is copied, then
 * none; only when even that is too much the rings wait.
 */
#ifndef RECORD_RELAY_H
#define RECORD_RELAY_H

#include "live/ring.h"
#include "record/host/affinity.h"
#include "record/flow/intake.h"

struct relay;
struct relay_opts {
	const struct evlist *kernel_events; /* as the kernel has them, with ids; not owned */
	struct intake *intake;     /* the thread's, until __finish; its rounds are begun and ended there */
	struct affinity *affinity; /* of the thread that calls __round; NULL: none */
	struct watches *watches;   /* NULL: none. Shown the records by the thread that calls __round */
	u64 room;                  /* bytes that may wait */
};

/* Starts the thread. 0 or a negative errno with err. */
int relay__new(struct relay **r, const struct relay_opts *opts, struct err *err);
/*
 * One round over the rings: what ring__begin has shown of them all. 0, or the errno of a write that failed.
 */
int relay__round(struct relay *r, struct ring *rings, size_t nr);
/* Passes on records that perf itself has made: to the file, after the rounds so far. */
void relay__add(struct relay *r, const void *records, size_t size);
/* The file has the size that it may have. */
bool relay__is_full(const struct relay *r);
/* How much of the room is taken, in 64ths. */
unsigned relay__fill(struct relay *r);
/* Waits until all is written, and ends the thread. As __round; may be called again. */
int relay__finish(struct relay *r);
void relay__delete(struct relay *r);

#endif
