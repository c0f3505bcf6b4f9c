/*
 * The spans that perf report --span --why compares: slow ones, fast ones, and those between. Of many spans, a
 * sample at random.
 */
#ifndef PROFILE_SPAN_GROUPS_H
#define PROFILE_SPAN_GROUPS_H

#include "profile/causes/span_verdicts.h"
#include "profile/spans/span_set.h"

struct grouped_span {
	u32 span;  /* index in span_set.v */
	u32 slot;  /* index in the arrays of its group */
	int group; /* SPANS_FAST, ... */
};

struct group_facts {
	u64 nr;                /* spans, with their steps */
	u64 shortest, longest; /* ns */
};

struct span_limits {
	struct span_limit slower, faster;
};

struct span_groups {
	ARRAY(struct grouped_span) v; /* in the order of span_set.v */
	struct group_facts facts[NR_SPAN_GROUPS];
	u64 slow_ns, fast_ns; /* the limits */
	struct span_case verdict;
	double *numbers; /* what verdict points to */
	u32 *clusters;
};

/*
 * Divide the spans of a set. Return 0, or -EINVAL with err: the limits overlap. Exit g in any case.
 */
int span_groups__divide(struct span_groups *g, const struct span_set *set, const struct span_limits *limits,
			struct err *err);
void span_groups__exit(struct span_groups *g);

#endif
