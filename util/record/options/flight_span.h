/*
 * How much a flight recorder (--overwrite) keeps: the size of its rings, the size of samples, their rate.
 */
#ifndef RECORD_FLIGHT_SPAN_H
#define RECORD_FLIGHT_SPAN_H

#include "base/command/options.h"
#include "event/evsel/evsel.h"

/* --overwrite[=SPAN]: SPAN such as 30s or 5m, into overwrite and span_ms of a struct attr_opts. */
option_callback flight_span__parse;
/*
 * Set *pages of each ring so that it keeps the samples of so many ms at the full rate of its events. Make
 * the stack copies in the attrs of l smaller, unless keep_copies, where the rings would be larger than what
 * may be locked, or than a small part of the memory. Return 0, or a negative errno with err: -EINVAL: the
 * rate is unknown; -ENOMEM: the rings would be too large.
 */
int flight_span__choose_pages(u32 *pages, const struct evlist *l, u64 span_ms, bool keep_copies,
			      struct err *err);
/*
 * Append what a ring keeps, such as "0.2 s or more, at 4000 samples a second"; nothing if none of the
 * events is overwritten. l: with complete attrs.
 */
void flight_span__describe(const struct evlist *l, u32 pages, struct strbuf *out);

#endif
