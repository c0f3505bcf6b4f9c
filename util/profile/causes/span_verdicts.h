/*
 * What may be named as the reason why slow spans are slow: the rules of perf report --span --why, without
 * recordings.
 */
#ifndef PROFILE_SPAN_VERDICTS_H
#define PROFILE_SPAN_VERDICTS_H

#include "profile/causes/span_contrast.h"
#include "profile/causes/span_tail.h"

enum span_verdict {
	SPANS_FEW,         /* too few slow spans, or fast ones */
	SPANS_ALIKE,       /* the slow ones are not much longer */
	SPANS_ORDINARY,    /* they are the end of the distribution of all spans */
	SPANS_UNEXPLAINED, /* cannot tell: what they have most of is not certain */
	SPANS_EXPLAINED,   /* reasons are named */
};

enum { SPANS_LEAST = 5 /* slow spans of different times, and of those with a reason */ };

struct span_candidate {                        /* a possible reason */
	const double *amounts[NR_SPAN_GROUPS]; /* ns, by span */
	double unit;                           /* ns that a sample stands for; 0: the amounts are exact */
	struct span_contrast contrast;
	double part;   /* of the extra time of slow spans */
	bool is_clear; /* slow spans have certainly more of it, and much */
	bool is_apart; /* amounts like theirs are a kind of their own */
	bool is_named; /* it is a reason why they are slow */
};

struct span_case {
	struct span_group groups[NR_SPAN_GROUPS];
	struct span_tail tail;
	bool is_told; /* the user said from which duration on spans are too slow, so that they are */
	struct span_contrast durations;
};

/*
 * Compare the amounts of nr candidates. c has its groups and tail. Set the rest of it and of the candidates.
 */
enum span_verdict span_case__judge(struct span_case *c, struct span_candidate *candidates, u32 nr);

#endif
