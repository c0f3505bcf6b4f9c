/*
 * Between the rings and the intake, for samples whose stacks are to be unwound: one thread copies what the
 * rings hold into a queue, so that they are empty again soon, and another one takes it from there, unwinds
 * and writes. What waits between them has a limit. Before it is reached less of each stack is copied, then
 * none; only when even that is too much the rings wait.
 */
#ifndef RECORD_RELAY_H
#define RECORD_RELAY_H

#include "record/flow/drain.h"

/*
 * from: as it begins, but ops. Its intake has stack_samples; if it has watches, the thread that calls round
 * shows them the records from now on. kernel_events: as the kernel has them, with ids; not owned. room: bytes
 * that may wait.
 */
struct drain *relay__new(const struct drain *from, const struct evlist *kernel_events, u64 room);

#endif
