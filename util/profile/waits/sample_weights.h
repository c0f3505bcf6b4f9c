/*
 * The time (ns) that each sample of a recording stands for, if not its period: report --blocked-by,
 * --critical-path, and --slower and --faster. The profile counts samples with it, and leaves those without
 * out.
 *
 * All ask for spans of time of a thread, so and so many times: blocked_by.h, critical_path.h, span_choice.h.
 * What a thread did in such a span is known by its line (time_lines.h): waits and readiness go to their
 * samples. All time in which it ran is added up, and spread evenly over its samples on the CPU in these
 * spans. If there are none, it goes to the sample in which the thread ended the waits of others, at the end
 * of the span. What has no sample at all is a sample of its own (struct lone_time). No ns is lost, so that
 * sums are exact.
 */
#ifndef PROFILE_SAMPLE_WEIGHTS_H
#define PROFILE_SAMPLE_WEIGHTS_H

#include "profile/spans/span_choice.h"
#include "profile/waits/weighing.h"

struct weights_opts {
	enum weights_of of;
	const char *thread;              /* --thread: tid or name; NULL: not given */
	const struct span_choice *spans; /* of WEIGHTS_SPANS */
	const struct wait_rule *waits;
	const bool *on_cpu; /* by event: is it a sample of time on the CPU? */
};

/*
 * Read s, which has details of waits, and find the weights of its samples. Return 0, or a negative errno with
 * err.
 */
int sample_weights__read(struct sample_weights *w, struct session *s, const struct weights_opts *opts,
			 struct err *err);
void sample_weights__exit(struct sample_weights *w);

#endif
