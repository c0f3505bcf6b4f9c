/*
 * Shared by counters.c, which opens events, counters_settle.c, which tries them, and variants.c, which opens
 * them again.
 */
#ifndef RECORD_COUNTERS_PRIVATE_H
#define RECORD_COUNTERS_PRIVATE_H

#include "record/events/counters.h"

/* Is e counted on this CPU (-1: wherever a thread runs)? Some PMUs exist on some CPUs only. */
bool evsel__counts_on(const struct evsel *e, int cpu);
/* Return the attr to open for e, for a watchpoint that of one piece. */
struct perf_event_attr evsel__attr_to_open(const struct evsel *e, size_t piece);
/*
 * Open an event with its config3, if it has one. config3 lies beyond the attr in some systems' headers, and
 * only Linux 6.3 and newer accept it. Return a descriptor or a negative errno; attr is what was accepted.
 */
int counters__open_event(struct counters *c, const struct evsel *e, struct perf_event_attr *attr, pid_t tid,
			 int cpu, int group_fd);

/* Return whether e has a counter for each level of c, or one that moves between them. */
bool counters__has_levels(const struct counters *c, const struct evsel *e);
/* Return whether there is a variant of e with small copies of waits; __has_small: and c uses it. */
bool counters__may_be_small(const struct evsel *e);
bool counters__has_small(const struct counters *c, const struct evsel *e);
/* Return the attr to open for n: n->attr with the size of copies and the rate of its level. */
struct perf_event_attr counter__variant(const struct counters *c, const struct counter *n);
/* Return whether n samples while its event is enabled. */
bool counters__uses(const struct counters *c, const struct counter *n);

#endif
