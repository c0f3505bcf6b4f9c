/*
 * Spans: calls of a function, or times from one event of a thread to another (perf record --span). The
 * recorder writes them as samples of an event of its own, with this detail in the RAW data. Programs that do
 * not know it show bytes.
 *
 *	span:NAME	ip: where it begins; tid: whose spans; time: when the last one of the sample ended;
 *			period: ns of its spans, times step; weight: their number, times step
 *
 * A long span is a sample of its own; short ones of a thread share one. Layout, in the byte order of the
 * recording: u32 magic, step, nr_spans, cost; u32 unfinished, left, lost, strays; then for each span two
 * numbers (var_number.h): ns from its end to the sample's time, and from its begin to its end; then zeros up
 * to a multiple of 8 with the word of the size before it.
 */
#ifndef FORMAT_SPAN_DETAIL_H
#define FORMAT_SPAN_DETAIL_H

#include "base/memory/cursor.h"
#include "base/text/strbuf.h"

#include <stdbool.h>

struct evsel;

#define SPAN_DETAIL_MAGIC 0x4e415053u /* "SPAN" read as a little-endian word */
#define SPAN_EVENT_PREFIX "span:"

struct span_time { /* ns, of the recording's clock */
	u64 begin, end;
};

/* Spans that are not in the recording, since the sample of the event before this one. */
struct span_losses {
	u32 unfinished; /* the recording, or the thread, ended first */
	u32 left;       /* an exception, a longjmp or another begin left it */
	u32 lost;       /* the kernel dropped its begin or its end */
	u32 strays;     /* ends without a begin: they began before the recording */
};

struct span_detail {
	u32 step; /* each span stands for as many spans; at least 1 */
	u32 nr_spans;
	u32 cost; /* ns that a call takes longer since its begin and its end are recorded; 0: not known */
	struct span_losses losses;
	/* the spans, encoded; in the record */
	struct cursor spans;
	u64 time; /* of the sample */
};

/* Are the samples of the event spans? By its name. */
bool evsel__has_spans(const struct evsel *e);
/* Return the name of the spans of such an event: what --span was given. */
const char *evsel__span_name(const struct evsel *e);

/*
 * Decode the RAW data of a sample with this time (ns). swap: the recording has the other byte order. Return
 * false if it is no such detail. d points into data.
 */
bool span_detail__decode(struct span_detail *d, const void *data, size_t size, u64 time, bool swap);
/* Decode the next span. Return false after the last one, or if it is not in the data. */
bool span_detail__next(struct span_detail *d, struct span_time *span);
/*
 * Append the RAW field of a sample with this time (ns): its size in a word, and d with these spans, which end
 * at time at the latest.
 */
void span_detail__encode(const struct span_detail *d, const struct span_time *spans, u32 nr, u64 time,
			 struct strbuf *out);

#endif
