/* --filter: the kernel drops what does not match before it becomes a sample. */
#ifndef RECORD_EVENT_FILTERS_H
#define RECORD_EVENT_FILTERS_H

#include "record/events/counters.h"

/*
 * Gives filter to the evsels of l from first on, which one -e brought: on top of those they have already.
 * text is for the kernel: "prev_pid > 100 && prev_comm ~ \"sh*\"" of a tracepoint, an address range of a
 * tracer. 0, or -EINVAL with err when an event of them can have none, or there is none.
 */
int event_filters__add(struct evlist *l, size_t first, const char *text, struct err *err);
/* Hands the filters of all events to their counters. 0, or a negative errno with err saying what there is to
 * filter by. */
int event_filters__set(const struct evlist *l, const struct counters *c, struct err *err);

#endif
