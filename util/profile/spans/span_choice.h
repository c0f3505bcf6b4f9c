/*
 * Which spans of a recording a command is about: --span, --slower, --faster. Says of a thread and a time
 * whether that is in one of them.
 */
#ifndef PROFILE_SPAN_CHOICE_H
#define PROFILE_SPAN_CHOICE_H

#include "profile/spans/span_set.h"

struct span_choice_args {            /* as written; NULL: not given */
	const char *name;            /* of the spans; needed if the recording has several kinds */
	const char *slower, *faster; /* limits: struct span_limit */
};

struct span_bound { /* of durations */
	bool given;
	struct span_limit limit;
	u64 ns; /* inclusive */
};

struct span_choice {
	const struct evsel *event;
	struct span_bound least, most;
	ARRAY(struct span) v; /* those chosen, in the order of tid, begin */
	u64 nr, ns;           /* of those chosen, with their steps */
	u64 nr_all;           /* of all spans of the event */
};

/*
 * Read the spans of s, and choose. Return 0, or a negative errno with err; -ENOENT: there are no such spans,
 * or the limits leave none. c is to be exited in any case.
 */
int span_choice__read(struct span_choice *c, struct session *s, const struct span_choice_args *args,
		      struct err *err);
void span_choice__exit(struct span_choice *c);

/* Return the chosen span of a thread that a time (ns) is in: after its begin, up to its end; NULL: none. */
const struct span *span_choice__find(const struct span_choice *c, u32 tid, u64 time);
/*
 * Append what is kept: "time in spans handle_request of at least 31.2 ms (p99): 41 of 4012". weighed: all of
 * that time is counted, not only the samples in it. Names are masked.
 */
void span_choice__describe(const struct span_choice *c, bool weighed, struct strbuf *sb);

#endif
