/*
 * --time: the parts of the recording to look at. Syntax, as in stock perf:
 *	START,STOP   seconds with up to nine decimals; either may be missing
 *	A,B C,D ...  several such, separated by blanks
 *	10%/2        the second tenth; several: 10%/1,10%/3
 *	10%          the first tenth
 *	0%-10%       from one percentage to another; several: 0%-10%,30%-40%
 */
#ifndef PROFILE_TIME_SPANS_H
#define PROFILE_TIME_SPANS_H

#include "base/memory/array.h"
#include "base/message/err.h"

struct time_span {
	u64 start, end; /* ns; both inclusive */
};

struct time_spans {
	ARRAY(struct time_span) v; /* in order, none touches another */
};

void time_spans__exit(struct time_spans *t);
/* Does the text contain percentages, so that first and last are needed? */
bool time_spans__need_range(const char *text);
/*
 * Parse text. first, last: times of the recording's first and last sample (ns). Return 0, or -EINVAL with
 * err.
 */
int time_spans__parse(struct time_spans *t, const char *text, u64 first, u64 last, struct err *err);

/* Add a span; an empty one, if end is before start, is left out. time_spans__arrange must follow. */
void time_spans__add(struct time_spans *t, u64 start, u64 end);
/* Put the spans in order, and join those that overlap. */
void time_spans__arrange(struct time_spans *t);
/* Keep only times that are in both. */
void time_spans__intersect(struct time_spans *t, const struct time_spans *other);

static inline bool time_spans__has(const struct time_spans *t, u64 time)
{
	size_t from = 0, to = t->v.nr;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (time < t->v.v[middle].start)
			to = middle;
		else if (time > t->v.v[middle].end)
			from = middle + 1;
		else
			return true;
	}
	return false;
}

#endif
