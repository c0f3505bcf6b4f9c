/*
 * TRACING_DATA: the formats of the recorded tracepoints from tracefs, so that their samples can be decoded
 * on any machine. The layout is in event/tracepoint/trace_header.h.
 */
#ifndef RECORD_TRACING_DATA_H
#define RECORD_TRACING_DATA_H

#include "event/evsel/evsel.h"
#include "format/write/writer.h"

/*
 * Append the header and the formats of l's tracepoints, in the order of l, grouped by system. tracefs: its
 * directory. Each tracepoint is found by its id (attr.config), whatever the event's name. Return 0, or a
 * negative errno with err: -ESRCH: no such tracepoint; or its format cannot be read.
 */
int tracing_data__build(const char *tracefs, const struct evlist *l, struct strbuf *out, struct err *err);

/*
 * Write TRACING_DATA if there are tracepoints; call before writer__begin. A format that cannot be read is
 * left out with a warning: its samples then have plain addresses only. Return 0 or the error of writing.
 */
int tracing_data__write(struct writer *w, const struct evlist *l);

#endif
