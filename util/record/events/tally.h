/* What passed through on the way to the file, event by event. */
#ifndef RECORD_TALLY_H
#define RECORD_TALLY_H

#include "base/memory/array.h"
#include "format/records/lazy_record.h"

struct event_tally {
	u64 samples;
	u64 lost;      /* of records, as LOST ones say that stand behind the gap: not of the last gap */
	u64 throttled; /* times */
	u64 full;      /* samples whose stack copy or chain is as long as it may be */
};

struct tally {
	const struct sample_decoder *decoder; /* not owned */
	u64 max_frames;                       /* that the kernel puts into a chain */
	ARRAY(struct event_tally) events;     /* by idx */
	u64 records;                          /* all of the kernel's, also those that are not for the file */
	u64 samples;
	u64 first_time, last_time; /* of samples, ns; 0: none */
	u64 nr_gaps;
	u64 worst_gap;   /* the most records that were dropped at once */
	bool saw_kernel; /* a sample of it, in any file so far */
};

/* d: of the events as they are in the file. */
void tally__init(struct tally *t, const struct sample_decoder *d);
void tally__exit(struct tally *t);
/* A sample for the file. */
void tally__see_sample(struct tally *t, struct lazy_record *r);
/* A LOST or THROTTLE record. */
void tally__see_loss(struct tally *t, const struct perf_event_header *h);
/* What another one saw, of the same events. */
void tally__add(struct tally *t, const struct tally *other);
/* The next file. */
void tally__reset(struct tally *t);

#endif
