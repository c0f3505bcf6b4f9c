/*
 * The table of a recording of waits (perf record --off-cpu): what threads did on the CPU and how long they
 * waited, side by side, in units of time. Its two events are the one that samples threads on the CPU, and
 * "offcpu-time", whose periods are ns.
 */
#ifndef PROFILE_TIME_TABLE_H
#define PROFILE_TIME_TABLE_H

#include "event/evsel/evsel.h"

enum time_role { TIME_OTHER, TIME_ON_CPU, TIME_WAITING };

struct time_table {
	ARRAY(u8) roles;            /* enum time_role, by event */
	const struct evsel *on_cpu; /* the first event of that role; NULL: none measures time */
	/* samples a second of the events of TIME_ON_CPU; 0: their periods are ns */
	u64 hz;
	/* with time_table__weigh: idx + 1 of the event of ready threads, whose samples have no chain */
	u32 ready_event;
};

/*
 * Find out which events measure time: those called offcpu-time; and a clock or, if there is none, the first
 * event that samples so many times a second, which it does while threads run. Return false if there are no
 * waits: then only on_cpu and hz are set.
 */
bool time_table__init(struct time_table *t, const struct evlist *l);
/*
 * Let the table count samples with weights (sample_weights.h): periods are ns, and the events of
 * perf record --off-cpu=locks have times, too.
 */
void time_table__weigh(struct time_table *t, const struct evlist *l);
void time_table__exit(struct time_table *t);
/*
 * Return for each event, by its idx, whether its samples are of time on the CPU; there need be no waits. The
 * caller frees it.
 */
bool *time_table__on_cpu(const struct evlist *l);

/* Return the time (ns) that nr samples with this sum of periods stand for. */
u64 time_table__ns(const struct time_table *t, u32 event, u64 period, u64 nr);

#endif
