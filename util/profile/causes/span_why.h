/*
 * Why slow spans are slow (report --span --why): what they have more of than fast ones, in time for a span,
 * with verdicts. Documentation/comparison.md derives the method.
 */
#ifndef PROFILE_SPAN_WHY_H
#define PROFILE_SPAN_WHY_H

#include "profile/causes/causes.h"

enum { WHY_CALLERS = 3 };

struct why_row {
	u32 cause;               /* index in causes.v */
	struct span_candidate x; /* without its amounts */
	/*
	 * place: the innermost function of the program that has nearly all of it; PLACE_ALL: none;
	 * PLACE_NOT_SAMPLED: time on the CPU without samples
	 */
	u32 function;
	u32 inner; /* place: what that calls, a function of the system or of the kernel; PLACE_ALL: none */
	u32 callers[WHY_CALLERS]; /* places: functions of the program around function; PLACE_ALL: no more */
	u32 mostly; /* place: a function of the program in it that has most of it, but not nearly all */
	double mostly_part;
	double own; /* ns more, without ready time that belongs to time on the CPU */
	u32 ender;  /* text id in causes.texts: the thread that ended most of the waits; 0: not known */
	/* what the holder of the lock did most of the time; NULL: not known */
	const struct meanwhile *meanwhile;
	double meanwhile_part;
};

struct span_why {
	const struct span_set *set; /* not owned */
	struct span_limits limits;
	struct span_groups groups;
	struct causes causes;
	enum span_verdict verdict;
	ARRAY(struct why_row) rows; /* the largest difference first; at least a hundredth of the extra time */
};

/*
 * Compare the slow spans of a set with the fast ones. times: as for causes__read. Return 0, or a negative
 * errno with err. Exit w in any case.
 */
int span_why__find(struct span_why *w, struct session *s, const struct span_times *times,
		   const struct span_set *set, const struct span_limits *limits, unsigned nr_threads,
		   struct err *err);
void span_why__exit(struct span_why *w);

/* The limits if none are given: p99 and p50. */
extern const struct span_limits why_limits;

#endif
