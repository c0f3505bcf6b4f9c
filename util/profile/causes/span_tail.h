/*
 * Are the slowest spans a kind of their own, or the end of the distribution that all spans have? Durations
 * vary without a fault, too, and the slowest ones always have more of something.
 */
#ifndef PROFILE_SPAN_TAIL_H
#define PROFILE_SPAN_TAIL_H

#include "base/memory/types.h"

#include <stdbool.h>

struct span_amount {
	double amount; /* ns */
	double weight; /* spans that it stands for */
};

struct span_amounts { /* of all spans, or a sample of them */
	u32 nr;
	struct span_amount *v;
	double together; /* spans that happened at one time, and so count as one; 0: not known, 1 */
};

struct span_tail {
	double share;            /* part of the spans that are slow */
	double mean;             /* mean duration of the slow ones, ns */
	double expected;         /* what it would be if the distribution of the others went on, ns */
	double gap_from, gap_to; /* ns; durations that fewer spans have than longer ones */
	bool has_gap;
	bool is_detached; /* they are a kind of their own */
};

/* Look at durations, the shortest first. slow: those from this one on are slow. */
void span_tail__look(struct span_tail *t, const struct span_amounts *durations, double slow);
/*
 * Are there certainly fewer amounts in a range below until than above it, of the same width? Smaller ones
 * than from do not matter.
 */
bool span_amounts__has_gap(const struct span_amounts *a, double from, double until);

#endif
