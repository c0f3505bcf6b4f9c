/* Values of options that all comparisons have: of recordings (perf diff), and of programs (perf stat). */
#ifndef PROFILE_COMPARE_ARGS_H
#define PROFILE_COMPARE_ARGS_H

#include "base/message/err.h"

#define LEAST_CHANGE_DEFAULT "1" /* --least-change */

/* Exit statuses of --bisect, as git bisect run takes them. */
enum bisect_status {
	BISECT_GOOD = 0,
	BISECT_BAD = 1,
	BISECT_UNKNOWN = 125, /* the commit is skipped */
	BISECT_STOP = 129,    /* a wrong command line: the bisection ends */
};

/*
 * Parse "slower" or "slower:PERCENT", of --fail-on. *part: 0.05 for 5%. *touched: it ends with ",touched"; if
 * that is NULL, this is a mistake. Return 0, or -EINVAL with err.
 */
int fail_on__parse(const char *text, double *part, bool *touched, struct err *err);
/* Parse the percentage of --least-change. *part: 0.01 for 1%. Return 0, or -EINVAL with err. */
int least_change__parse(const char *text, double *part, struct err *err);

#endif
