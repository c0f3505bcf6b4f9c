/* Address ranges with ids, looked up by address. */
#ifndef BINARY_SPANS_H
#define BINARY_SPANS_H

#include "base/memory/array.h"

struct span {
	u64 low, high; /* high: first address after the range */
	u32 group;     /* a lookup searches one group */
	u32 id;
};

struct spans {
	ARRAY(struct span) v; /* all zero: empty */
};

void spans__exit(struct spans *s);
void spans__sort(struct spans *s); /* call it before any lookup */
/*
 * Return the id of the range that contains addr, or UINT32_MAX. If several do, the one that starts last
 * wins, and of those with the same start the one with the lowest id. O(log n).
 */
u32 spans__find(const struct spans *s, u32 group, u64 addr);

#endif
