/*
 * Hot streams, for perf diff --stream: a stream is the code that ran before a sample, as the branches of its
 * branch stack tell it, by source lines, the newest first. The same stream in two recordings has the same
 * functions and lines.
 */
#ifndef PROFILE_STREAMS_H
#define PROFILE_STREAMS_H

#include "base/text/strbuf.h"
#include "profile/hists/hists.h"

enum { STREAMS_MAX = 5 }; /* as in stock perf */

struct stream {
	const char **steps; /* "FUNCTION FILE:LINE", masked */
	u32 nr_steps;
	double share; /* of the periods of all samples with branches */
	u64 cycles;   /* average */
};

struct streams { /* of an event of a recording */
	const char *event;
	struct perf_event_attr attr;
	u32 nr;
	struct stream v[STREAMS_MAX]; /* those with most first */
};

/* Find the hot streams of h, whose view was built with chain.history. They live in the arena. */
void streams__find(struct streams *s, struct view *v, const struct hists *h, struct arena *arena);
/* Append, in the form of stock perf: the streams that both have, then those that only one has. */
void streams__add_text(const struct streams *old, const struct streams *new, struct strbuf *out);

#endif
