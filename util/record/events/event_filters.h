/* --filter: the kernel drops events that do not match, before they become samples. */
#ifndef RECORD_EVENT_FILTERS_H
#define RECORD_EVENT_FILTERS_H

#include "record/events/counters.h"

/*
 * Add a filter to the evsels of l from first on, those of one -e, in addition to their existing filters. The
 * kernel parses text: a condition on a tracepoint such as "prev_pid > 100 && prev_comm ~ \"sh*\"", or an
 * address range of a hardware tracer. Return 0, or -EINVAL with err if one of these events cannot have a
 * filter, or there are no events.
 */
int event_filters__add(struct evlist *l, size_t first, const char *text, struct err *err);
/*
 * Set the filters of all events on their counters. Return 0, or a negative errno with err, which lists the
 * fields of a tracepoint.
 */
int event_filters__set(const struct evlist *l, const struct counters *c, struct err *err);
/* Say that the kernel refused e's filter with a negative errno, and which fields there are. Return error. */
int event_filter__explain(const struct evsel *e, int error, struct err *err);

#endif
