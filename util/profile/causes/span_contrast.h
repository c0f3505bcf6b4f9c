/*
 * The statistics of perf report --span --why, without recordings: do slow spans have more of something than
 * fast ones, and how much? The spans are the replicates. Slow spans that overlap in time may be slow for one
 * reason, so they are one replicate: a cluster. Documentation/comparison.md derives the method.
 */
#ifndef PROFILE_SPAN_CONTRAST_H
#define PROFILE_SPAN_CONTRAST_H

#include "base/memory/types.h"

#include <stdbool.h>

enum { SPANS_FAST, SPANS_SLOW, SPANS_BETWEEN, NR_SPAN_GROUPS };

struct span_group {
	u32 nr;
	const double *ns;      /* durations */
	const double *weights; /* how many spans each stands for */
	/* of each span: number of its cluster, from 0 on, in ascending order; NULL: each span is one */
	const u32 *clusters;
	/* part of all spans that the group is chosen as, such as 0.01 of p99 and above; 0: by a duration */
	double share;
};

enum { SPANS_COMPARED = 2 /* the first groups; those between only tell what spans near their limits have */ };

struct span_contrast { /* of an amount that each span has, such as ns that it waited for a lock */
	double mean[SPANS_COMPARED]; /* for a span */
	double more;                 /* difference of the means, slow - fast */
	double low, high;            /* its 95% interval */
	double p;                    /* p-value of "slow spans have no more of it", one-sided */
	/* slow spans that have at least half of more above the fast ones' mean, and clusters of these */
	u32 nr_have, nr_clusters;
	double have_mean; /* mean amount of those spans */
};

/*
 * Number the clusters of spans, which are in the order of their begin (ns). The next cluster begins with
 * the first span that does not overlap the first one of the cluster, and is not in one burst with the span
 * before.
 */
void span_clusters__number(u32 *clusters, const u64 *begins, const u64 *ends, u32 nr);

/* Return the number of clusters of a group, and how many spans a cluster has on average. */
u32 span_group__nr_clusters(const struct span_group *g);
double span_group__together(const struct span_group *g);

/* Compare the amounts of the slow spans and of the fast ones. */
void span_contrast__make(struct span_contrast *c, const struct span_group groups[NR_SPAN_GROUPS],
			 const double *const amounts[NR_SPAN_GROUPS]);

#endif
