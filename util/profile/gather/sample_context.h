/*
 * The context of a sample that other records tell, for sort keys that need it: how many threads ran at its
 * time (PERF_RECORD_SWITCH), and the cgroup namespace of its thread (PERF_RECORD_NAMESPACES). Read in a pass
 * of its own, as few reports ask.
 */
#ifndef PROFILE_SAMPLE_CONTEXT_H
#define PROFILE_SAMPLE_CONTEXT_H

#include "model/session.h"
#include "profile/waits/locks.h"
#include "profile/waits/wakers.h"

struct sample;

struct parallelism_step {
	u64 time;
	u32 nr; /* threads that run from then on */
};

struct namespace_step {
	u32 tid;
	u64 time, cgroup; /* as struct sample.cgroup_ns */
};

struct sample_context {
	ARRAY(struct parallelism_step) parallelism; /* in the order of time */
	ARRAY(struct namespace_step) namespaces;    /* in the order of tid, time */
	struct wakers wakers;                       /* read by wakers__read */
	struct locks locks;                         /* read by locks__read */
};

/* Read the records of s. Return 0, or a negative errno with err. */
int sample_context__read(struct sample_context *c, struct session *s, struct err *err);
void sample_context__exit(struct sample_context *c);
/*
 * Set the fields of a sample that are not in its record: parallelism, cgroup_ns, waker, lock, holder.
 * step: a hint for the
 * next call, at first 0; samples that follow each other often have one parallelism.
 */
void sample_context__fill(const struct sample_context *c, size_t *step, struct sample *s);

#endif
