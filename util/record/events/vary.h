/*
 * Samples in step with nothing: varies the sampling rates of events with a frequency, while they are
 * recorded.
 *
 * The kernel samples cpu-clock and task-clock at equal distances. A program that works in rounds of
 * that length, or of a multiple, is then sampled at the same places of each round, and in each run at
 * the same ones. So each event begins with a rate of its own (rate_walk.h), and changes it with
 * PERF_EVENT_IOC_PERIOD.
 *
 * The kernel handles a new period of a clock as follows (seen in Linux 6.18):
 * - A counter of a thread that inherited the event keeps its period, and tells it in its samples.
 *   Threads that begin later get the newest one.
 * - A counter's own samples tell the period that it was opened with, for ever: vary__correct() writes
 *   the true one into them.
 * - The kernel may swap the counters of two threads that inherited them, so a sample's thread does not
 *   tell whose counter made it.
 * - The period begins anew, even if the thread sleeps: half a sample is lost on the average. A thread
 *   that runs little would never be sampled. So only threads change theirs that had many samples since
 *   the last change.
 */
#ifndef RECORD_VARY_H
#define RECORD_VARY_H

#include "format/records/lazy_record.h"
#include "record/events/counters.h"

struct vary;

struct vary_opts {
	u64 seed;        /* recordings with different ones begin with different rates */
	u64 max_freq;    /* Hz; what the kernel allows; 0: unknown */
	bool keeps_rate; /* each counter keeps the rate it begins with */
	bool use_clockid;
	s32 clockid; /* the clock of the samples' times */
};

/*
 * Choose rates for the events of l whose samples tell their periods, and set them; before counters are
 * enabled. Events that the user wants at every occurrence or at a period of his stay as they are. Mark
 * the attrs of the events that vary (format/records/sampling_mark.h), so they must not be opened again.
 * Return NULL if there are none. c and l are not owned. Call vary__delete.
 */
struct vary *vary__new(const struct counters *c, struct evlist *l, const struct vary_opts *opts);
void vary__delete(struct vary *v);
/* Change rates, if it is time. v may be NULL, also below. */
void vary__step(struct vary *v);
/* Set the present rate of a counter that was opened again: struct counters' set_rate, vary its argument. */
void vary__set_again(void *vary, const struct counter *n);
/* Return how many ms are left until then; most if that is less. */
u64 vary__timeout(const struct vary *v, u64 most);
/*
 * Write the true period into a sample of a counter whose period was changed. Any thread may call it at any
 * time.
 */
void vary__correct(struct vary *v, struct lazy_record *r);

#endif
