/*
 * The TRACING_DATA of a recording: what tracefs says about the tracepoints that are recorded, so that their
 * samples can be read anywhere. The layout is that of event/tracepoint/trace_header.h.
 */
#ifndef RECORD_TRACING_DATA_H
#define RECORD_TRACING_DATA_H

#include "event/evsel/evsel.h"
#include "format/write/writer.h"

/*
 * Appends the header with the formats of l's tracepoints, in the order of l, a system's together. tracefs:
 * its folder. Each tracepoint is found by its id (attr.config), whatever the event is called. 0, or a
 * negative errno with err: there is no such tracepoint (-ESRCH), or its format cannot be read.
 */
int tracing_data__build(const char *tracefs, const struct evlist *l, struct strbuf *out, struct err *err);

/*
 * Writes it, if there are tracepoints: before writer__begin. Formats that cannot be read
 * are left out with a warning: the recording is then one of plain addresses. 0, or the error of writing.
 */
int tracing_data__write(struct writer *w, const struct evlist *l);

#endif
