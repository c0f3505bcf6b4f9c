/*
 * A queue between the rings and the intake, for samples whose stacks must be unwound. One thread copies
 * records from the rings into the queue, to empty the rings soon; a second thread unwinds and writes them.
 * While the queue fills faster than that, helpers unwind what waits in it (base/system/parcel_queue.h).
 * The queue is limited. As it fills up, the first thread copies less of each stack, then none; only then do
 * records wait in the rings.
 */
#ifndef RECORD_RELAY_H
#define RECORD_RELAY_H

#include "record/flow/drain.h"

struct relay_opts {
	const struct evlist *kernel_events; /* the events as the kernel has them, with ids; not owned */
	u64 room;                           /* bytes that may wait */
	unsigned helpers;                   /* further threads that may unwind at once */
};

/*
 * Return a new drain. Copy all fields of *from except ops. Its intake must have stack_samples; the relay
 * takes the intake's watches, and the thread that calls round shows them the records.
 */
struct drain *relay__new(const struct drain *from, const struct relay_opts *opts);

#endif
