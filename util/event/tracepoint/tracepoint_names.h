/* Names of tracepoints, from the formats that a recording may carry (the trace.dat header, without data). */
#ifndef EVENT_TRACEPOINT_NAMES_H
#define EVENT_TRACEPOINT_NAMES_H

#include "event/evsel/evsel.h"

/*
 * Name the unnamed tracepoints of l "system:name". Return 0, or -EBADMSG if the data is truncated; names
 * before that are set.
 */
int tracepoint_names__apply(struct evlist *l, const void *data, size_t size);

#endif
