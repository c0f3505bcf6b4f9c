/* Reading the weights of samples (waits/sample_weights.h) with what is known of locks, as options ask. */
#ifndef PROFILE_READ_WEIGHTS_H
#define PROFILE_READ_WEIGHTS_H

#include "profile/keys/sample_filter.h"
#include "profile/waits/locks.h"
#include "profile/waits/sample_weights.h"

struct weights_args {
	bool blocked_by, critical_path; /* --blocked-by, --critical-path */
	const char *thread;             /* --thread; NULL: not given */
	bool has_span;                  /* --span */
	const char *span;               /* its name; NULL: not given */
	const char *slower, *faster;    /* limits of --slower and --faster; NULL: not given */
};

/* Do the options suit each other? Return 0, or -EINVAL with err. */
int weights_args__check(const struct weights_args *a, struct err *err);
/* Do a filter by how long spans took? */
static inline bool weights_args__limit_spans(const struct weights_args *a)
{
	return a->slower || a->faster;
}
/* Return the option that is given, such as "--blocked-by". */
const char *weights_args__option(const struct weights_args *a);
/* Let f keep only what is in the spans that a asks for, if any. Return as span_choice__read. */
int weights_args__choose_spans(const struct weights_args *a, struct session *s, struct sample_filter *f,
			       struct err *err);
/*
 * Read the weights that a asks for, if any. Those of chosen spans if session__has_wait_times(); else samples
 * keep their periods, and filter->spans says which ones to count. filter: --blocked-by only counts waits for
 * locks that it keeps; all else of it is left to the caller. locks: read here; freed by the caller. Return 0,
 * or a negative errno with err; -EINVAL: the recording does not say who ended waits.
 */
int weights__read(struct sample_weights *w, struct locks *locks, struct session *s,
		  const struct weights_args *a, const struct sample_filter *filter, struct err *err);

#endif
