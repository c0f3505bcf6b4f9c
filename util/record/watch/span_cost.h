/*
 * What it costs to record a span (perf record --span): measured on a function of perf's own, with probes or
 * breakpoints as the target's functions have them. Placing a probe takes the kernel a tenth of a second, so a
 * thread does it while the recording runs.
 */
#ifndef RECORD_SPAN_COST_H
#define RECORD_SPAN_COST_H

#include "base/memory/types.h"

struct span_cost;

/*
 * Begin to measure. type: of the attr of probes, or PERF_TYPE_BREAKPOINT. Return NULL if it cannot be
 * measured.
 */
struct span_cost *span_cost__new(u32 type);
/* Return by how many ns a call takes longer; 0: not known, or not yet. Any thread may ask. */
u32 span_cost__ns(const struct span_cost *c);
void span_cost__delete(struct span_cost *c); /* waits for the thread; accepts NULL */

#endif
