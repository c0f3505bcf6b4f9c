/*
 * The spans of an event of a recording (perf record --span): whose, when, and how long. Read in a pass over
 * the samples; sorted by duration they give quantiles, sorted by thread the spans at a time.
 */
#ifndef PROFILE_SPAN_SET_H
#define PROFILE_SPAN_SET_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "format/records/span_detail.h"
#include "model/session.h"

struct span {
	u64 begin, end; /* ns, of the recording's clock */
	u32 pid, tid;
	u32 step; /* it stands for as many spans */
};

struct span_set {
	const struct evsel *event;
	ARRAY(struct span) v;   /* in the order of tid, begin, end */
	ARRAY(u32) by_duration; /* indices in v, the shortest first */
	u64 nr;                 /* of spans, those included that were not recorded: the sum of steps */
	u64 ns;                 /* their sum */
	struct {
		u64 unfinished, left, lost, strays;
	} losses; /* as in struct span_losses */
	u32 cost; /* as in struct span_detail */
	u64 nr_threads;
	u64 first, last; /* times of the recording's first and last sample, of any event */
	u64 nr_bad;      /* spans that cannot be decoded, overlap one of their thread, or overflow ns */
};

/* Find the event of spans with this name; NULL: the only one. Return 0, or a negative errno with err. */
int span_set__choose_event(const struct evlist *l, const char *name, const struct evsel **event,
			   struct err *err);
/* Read the spans of an event of s. Return 0, or a negative errno with err. Exit s in any case. */
int span_set__read(struct span_set *s, struct session *session, const struct evsel *event, struct err *err);
/* Leave out the spans that are not to be kept. */
void span_set__keep(struct span_set *s, bool (*keeps)(void *ctx, const struct span *span), void *ctx);
void span_set__exit(struct span_set *s);

static inline u64 span__ns(const struct span *s)
{
	return s->end - s->begin;
}

/*
 * Return the duration (ns) that a share of the spans does not exceed: 0.5: the median. By nearest rank, of
 * spans counted with their steps. 0 if there are none.
 */
u64 span_set__quantile(const struct span_set *s, double share);

/* A limit of durations as a person writes it: "p99", "p99.9", "20ms", "1.5s", "300us", "5000ns". */
struct span_limit {
	bool is_quantile;
	double share; /* if is_quantile: 0.99 */
	u64 ns;       /* else */
};
/* Return 0, or -EINVAL with err. option: for the message, such as "--slower". */
int span_limit__parse(struct span_limit *l, const char *option, const char *text, struct err *err);
/* Return the duration (ns) that the limit stands for in s. */
u64 span_limit__ns(const struct span_limit *l, const struct span_set *s);

#endif
