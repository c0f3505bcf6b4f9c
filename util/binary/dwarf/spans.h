/*
 * Ranges of addresses, each of something that has a number; looked up by address.
 */
#ifndef BINARY_SPANS_H
#define BINARY_SPANS_H

#include "base/memory/array.h"

struct span {
	u64 low, high; /* high is outside */
	u32 group;     /* looked up one group at a time */
	u32 id;
};

struct spans {
	ARRAY(struct span) v; /* all zero: empty */
};

void spans__exit(struct spans *s);
void spans__sort(struct spans *s); /* before anything is looked up */
/*
 * The id of the range that addr is in, UINT32_MAX: none. Where several overlap, one that starts last; of
 * those that start together the one with the lowest id. O(log n).
 */
u32 spans__find(const struct spans *s, u32 group, u64 addr);

#endif
