/*
 * How many descriptors the counters of a recording need. An event takes one for each CPU and thread; one with
 * variants (record/events/counters.h), which must be open at the same time in threads, takes several.
 */
#ifndef RECORD_DESCRIPTORS_H
#define RECORD_DESCRIPTORS_H

#include "base/memory/types.h"
#include "record/target/target.h"

/* Numbers for one CPU and thread, and for all of them. */
struct descriptors {
	u64 events;      /* that are sampled */
	u64 tracking;    /* for the side-band */
	u64 with_levels; /* of the events */
	u64 with_small;
	u64 pairs; /* of CPUs and threads */
	u64 rest;  /* all others: events of whole CPUs beside those of threads, side-band of other CPUs */
};

/* Return the descriptors of all counters with so many levels, and with or without small copies of waits. */
u64 descriptors__total(const struct descriptors *d, unsigned levels, bool small);

/* Variants for which there are descriptors. */
struct variants_most {
	unsigned levels; /* at least 1 */
	bool small;      /* copies of waits */
};
/*
 * Return the variants of events to open for t. Those of whole CPUs are opened again when they change, so all
 * are possible. Those of threads are all open: a few for few threads and CPUs, otherwise with at most half as
 * many descriptors again as the plain events and one for the side-band need, and in any case with at most
 * limit in all.
 */
struct variants_most variants_most__of(const struct descriptors *d, const struct target *t, u64 limit);

#endif
