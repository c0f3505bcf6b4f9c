/*
 * Makes spans (perf record --span) of the samples of their begins and ends, and writes them as samples
 * (format/records/span_detail.h). They are kept for a round, as an end may be in a ring that is read before
 * that of its begin.
 *
 * Calls of a function belong together by the stack pointer, which is the same at its entry and at its return.
 * So of nested calls the outermost one is the span; and a call that an exception or a longjmp left is known
 * by the next one at or above its stack pointer. Other begins and ends belong together by their thread
 * alone.
 */
#ifndef RECORD_SPAN_PAIRS_H
#define RECORD_SPAN_PAIRS_H

#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"
#include "format/records/lazy_record.h"
#include "record/events/counters.h"
#include "record/target/task_filter.h"
#include "record/watch/span_cost.h"
#include "record/watch/probed_stacks.h"

struct span_pairs;

struct span_pairs_opts {
	const struct evlist *l;           /* in the file */
	const struct counters *counters;  /* opened; their ids tell the places */
	const struct task_filter *filter; /* spans of other tasks are dropped; NULL: none are */
	struct probed_stacks *stacks;     /* learns of the probes; not owned; NULL: none */
	struct span_cost *cost;           /* owned from now on; NULL: not measured */
};

/* Nothing in opts but the cost is owned. */
struct span_pairs *span_pairs__new(const struct span_pairs_opts *opts);
void span_pairs__delete(struct span_pairs *p);
/* Look at a SAMPLE, EXIT, LOST or map record. Return true if it is of a span, and must not go to the file. */
bool span_pairs__take(struct span_pairs *p, struct lazy_record *r);
/*
 * Append the samples of spans that have ended to out, at the end of a round. newest: as in off_cpu__flush.
 * at_end: it is the last round.
 */
void span_pairs__flush(struct span_pairs *p, u64 newest, bool at_end, struct strbuf *out);
/*
 * Append lines for the user, after the last round: which spans there are none of, or that they cost much.
 */
void span_pairs__tell(const struct span_pairs *p, struct strbuf *text);

#endif
