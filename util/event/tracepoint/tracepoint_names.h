/* Names of tracepoints, from the copy of their formats that a recording may carry (the trace.dat header,
 * without data). */
#ifndef EVENT_TRACEPOINT_NAMES_H
#define EVENT_TRACEPOINT_NAMES_H

#include "event/evsel/evsel.h"

/* Names the nameless tracepoints of l "system:name". 0, or -EBADMSG when the data ends too early; names
 * before that are given. */
int tracepoint_names__apply(struct evlist *l, const void *data, size_t size);

#endif
