/*
 * Statistics of durations of spans that depend on each other: spans of one server wait in the same queue, and
 * bad times hit many of them. So intervals come from blocks of time, not from the number of spans.
 * Documentation/comparison.md derives the method.
 *
 *	durations__init(&d); durations__add(&d, set) for each recording; durations__finish(&d);
 *	q = durations__quantile(&d, 0.99), n = durations__noise(&d, 0.99)
 *	durations__interval(&d, 0.99, &n, 0.05, &low, &high)
 */
#ifndef PROFILE_DURATIONS_H
#define PROFILE_DURATIONS_H

#include "profile/spans/span_set.h"

enum { DURATION_BLOCKS = 32 }; /* blocks of equal time of each recording */

struct duration {
	u64 ns;
	u32 step;    /* it stands for as many spans */
	u32 block;   /* in which the span ended; those of the second recording follow those of the first */
	float ready; /* part of the duration in which the thread was ready, but did not run */
};

struct durations {                /* of one or several recordings of a program */
	ARRAY(struct duration) v; /* after __finish: the shortest first */
	double *upto;             /* by index: how many spans are as short, or shorter */
	double nr, ns;            /* spans, and their sum */
	double nr_independent; /* if none depended on another: less than nr where steps differ or are large */
	u32 nr_recordings;
	ARRAY(double) in_blocks, ns_in_blocks; /* spans, and their sum, by block */
};

/* How much a number that comes from blocks varies. */
struct noise {
	double variance;
	double df; /* degrees of freedom that the variance has */
};

void durations__init(struct durations *d);
void durations__exit(struct durations *d);
/* Return the block of its recording in which a span ended. */
u32 span_set__block(const struct span_set *s, const struct span *span);
/*
 * Add the spans of a recording. ready: ns of each span of s->v in which its thread was ready; NULL: not
 * known.
 */
void durations__add(struct durations *d, const struct span_set *s, const u64 *ready);
/* The parts of that: begin a recording, and add a span. */
void durations__begin_recording(struct durations *d);
void durations__add_one(struct durations *d, const struct duration *one);
void durations__finish(struct durations *d);

/* Return the duration that a share of the spans does not exceed; 0 if there are none. */
u64 durations__quantile(const struct durations *d, double share);
/* Set q[i] to the quantile of recording i alone. */
void durations__quantiles_of_recordings(const struct durations *d, double share, double *q);
/* Return in which part of the time of the spans between two quantiles their threads were ready. */
double durations__ready_part(const struct durations *d, double from, double to);
/* Return the variance of the share of spans that do not exceed the quantile of a share. */
struct noise durations__noise(const struct durations *d, double share);
/*
 * Set the limits (ns) between which the quantile of the program is, but for an error rate such as 0.05. No
 * span says how large it may be: high is INFINITY; how small: low is 0.
 */
void durations__interval(const struct durations *d, double share, const struct noise *n, double error,
			 double *low, double *high);
/*
 * Return the variance of sum(x) / spans, where x are sums by block, such as the time that spans waited for
 * a lock.
 */
struct noise durations__mean_noise(const struct durations *d, const double *x);

/* Set the limits of a mean, but for an error rate: by its logarithm, since large values are rare. */
void noise__mean_interval(const struct noise *n, double mean, double error, double *low, double *high);

/* A quantity that is compared with a limit (report --fail-on). */
enum duration_value { VALUE_QUANTILE, VALUE_MAX, VALUE_MEAN };

struct duration_limit {
	enum duration_value value;
	double share; /* of VALUE_QUANTILE */
	u64 ns;
};

enum limit_result { LIMIT_KEPT, LIMIT_EXCEEDED, LIMIT_UNKNOWN };

struct limit_check {
	double value, low,
		high; /* ns, and the 95% interval, as durations__interval; of VALUE_MAX: the value */
	enum limit_result result;
};

/* Parse "p99:20ms", "max:1s", "mean:5ms". Return 0, or -EINVAL with err. */
int duration_limit__parse(struct duration_limit *l, const char *option, const char *text, struct err *err);
/*
 * Compare the spans with a limit. A quantile that is beyond all spans (p99.9 of 200) is not known: only if
 * even the low end of its interval exceeds the limit, that is exceeded.
 */
struct limit_check durations__check(const struct durations *d, const struct duration_limit *l);
/* Append "p99", "max" or "mean". */
void duration_limit__add_name(const struct duration_limit *l, struct strbuf *sb);

#endif
