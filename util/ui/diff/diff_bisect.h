/*
 * perf diff --bisect: are the new recordings good, bad, or can that not be told? Good and bad are defined in
 * Documentation/comparison.md.
 */
#ifndef UI_DIFF_BISECT_H
#define UI_DIFF_BISECT_H

#include "profile/compare/compare_args.h"
#include "profile/compare/comparison.h"
#include "profile/keys/sample_filter.h"

struct bisect_question {
	/* its symbols are the functions to judge; not given: all that matter, and the total */
	const struct sample_filter *filter;
	double part; /* the slow-down to look for, of a function or of the total, 0.05: 5%; 0: of interest */
};

/* Judge, and append the reason. */
enum bisect_status diff_bisect__judge(const struct comparison *c, const struct bisect_question *q,
				      struct strbuf *why);

#endif
