/*
 * How much too late a thread's switch records are. When a thread runs again, the kernel starts its
 * counters and then writes the record: with cpu-clock in a virtual machine 7 us later. A wait of 60 us
 * would seem 10% longer.
 */
#ifndef RECORD_SWITCH_COST_H
#define RECORD_SWITCH_COST_H

#include "event/evsel/evsel.h"

struct switch_cost;

/* Prepare to measure. l: the events, as the kernel accepts them; not owned. */
struct switch_cost *switch_cost__new(const struct evlist *l);
void switch_cost__delete(struct switch_cost *c);
/*
 * Let the calling thread, always the same one, sleep some times with these events, for a millisecond in
 * all. Return by how many ns its waits by switch records are longer than by its clocks, now and a moment
 * ago; 0: unknown.
 */
u64 switch_cost__measure(struct switch_cost *c);

#endif
