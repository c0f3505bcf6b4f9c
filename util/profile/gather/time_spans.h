/*
 * --time: the parts of the recording to look at. Syntax, as in stock perf:
 *	START,STOP   seconds with up to nine decimals; either may be missing
 *	A,B C,D ...  several such, separated by blanks
 *	10%/2        the second tenth; several: 10%/1,10%/3
 *	0%-10%       from one percentage to another; several: 0%-10%,30%-40%
 */
#ifndef PROFILE_TIME_SPANS_H
#define PROFILE_TIME_SPANS_H

#include "base/memory/array.h"
#include "base/message/err.h"

struct time_span {
	u64 start, end; /* ns; both inclusive; 0: no limit */
};

struct time_spans {
	ARRAY(struct time_span) v; /* empty: the whole recording */
};

void time_spans__exit(struct time_spans *t);
/* Does the text contain percentages, so that first and last are needed? */
bool time_spans__need_range(const char *text);
/*
 * Parse text. first, last: times of the recording's first and last sample (ns). Return 0, or -EINVAL with
 * err.
 */
int time_spans__parse(struct time_spans *t, const char *text, u64 first, u64 last, struct err *err);

static inline bool time_spans__has(const struct time_spans *t, u64 time)
{
	if (likely(!t->v.nr))
		return true;
	for (size_t i = 0; i < t->v.nr; i++)
		if (time >= t->v.v[i].start && (!t->v.v[i].end || time <= t->v.v[i].end))
			return true;
	return false;
}

#endif
