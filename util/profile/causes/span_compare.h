/*
 * Two programs compared by the durations of their spans (diff --span): how quantiles and the mean changed,
 * with intervals and verdicts, and with what more or less time passes. Documentation/comparison.md derives
 * the method.
 *
 *	span_compare__init(&c);
 *	span_side__add(&c.sides[COMPARE_OLD], set, times) for each recording
 *	span_compare__finish(&c);
 */
#ifndef PROFILE_SPAN_COMPARE_H
#define PROFILE_SPAN_COMPARE_H

#include "profile/causes/durations.h"
#include "profile/causes/span_table.h"
#include "profile/compare/evidence.h"

/* The changes that have verdicts: those of the quantiles, and that of the mean. */
enum { SPAN_MEAN = NR_SPAN_QUANTILES, NR_SPAN_CHANGES };

struct side_reason {      /* what time of spans passes with */
	u32 name;         /* in span_compare.names: "mutex db_lock" */
	ARRAY(double) ns; /* by block, as durations.in_blocks */
};

struct span_side {
	struct span_compare *all;
	struct durations durations;
	ARRAY(struct side_reason) reasons;
	bool lacks_times; /* a recording does not know when threads waited */
	double seconds;   /* of all recordings */
	struct span_losses losses;
	u32 cost; /* ns that a span takes longer since it is recorded; 0: not known */
};

struct span_change {
	double value[2], low[2], high[2];       /* ns, and 95% intervals, by side */
	double change, change_low, change_high; /* new / old, and its 95% interval */
	double p;                               /* p-value of "no change" */
	enum verdict verdict;                   /* FEW, UNKNOWN, SAME, FASTER or SLOWER */
};

struct reason_change { /* of the mean time for a span that passes with something */
	u32 name;
	double value[2];                        /* ns, by side */
	double change, change_low, change_high; /* new - old, ns, and its 95% interval */
	double p;
	enum verdict verdict; /* FASTER: less, SLOWER: more, SAME, UNKNOWN */
};

struct span_compare {
	struct span_side sides[2];
	struct strpool names;
	struct span_change changes[NR_SPAN_CHANGES];
	ARRAY(struct reason_change) reasons; /* the largest change first; none if a side lacks_times */
	double least_change;                 /* part of the mean that is of interest, of reasons: 0.01 */
	/* old recordings are of several builds, new ones of one: weigh these as one recording */
	bool new_is_one;
};

void span_compare__init(struct span_compare *c);
void span_compare__exit(struct span_compare *c);
/* Add a recording's spans. times: NULL if they are not known. */
void span_side__add(struct span_side *s, const struct span_set *set, const struct span_times *times);
/* Add time of the last recording that was added, by its block. */
void span_side__add_reason(struct span_side *s, const char *name, const double *ns);
/* Compare, after all recordings were added. */
void span_compare__finish(struct span_compare *c);
/* Return the longest duration of a side, ns. */
u64 span_side__max(const struct span_side *s);

#endif
