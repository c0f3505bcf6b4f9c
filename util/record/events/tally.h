/* Counts the records on their way to the file, for each event. */
#ifndef RECORD_TALLY_H
#define RECORD_TALLY_H

#include "base/memory/array.h"
#include "format/records/lazy_record.h"

struct event_tally {
	u64 samples;
	u64 seen;      /* samples from the kernel, if it counts on whole CPUs: most may be dropped */
	u64 lost;      /* lost records, as reported by LOST records after each gap; without the last gap */
	u64 throttled; /* number of THROTTLE records */
	u64 full;      /* samples whose chain has the maximum size */
};

struct tally {
	const struct sample_decoder *decoder; /* not owned */
	u64 max_frames;                       /* maximum length of the kernel's chains */
	ARRAY(struct event_tally) events;     /* indexed by idx */
	u64 records; /* all records from the kernel, including those that are not written */
	u64 samples;
	u64 first_time, last_time; /* ns, time of samples; 0: none */
	u64 nr_gaps;
	u64 worst_gap;   /* highest number of records in one LOST record */
	bool saw_kernel; /* there was a kernel sample, in this or a previous file */
};

/* Initialize *t. d: decoder for the events as they are in the file. */
void tally__init(struct tally *t, const struct sample_decoder *d);
void tally__exit(struct tally *t);
/* Count a sample that goes to the file. */
void tally__see_sample(struct tally *t, struct lazy_record *r);
/* Count a sample from the kernel whose event counts on whole CPUs, before others decide about it. */
void tally__see_everywhere(struct tally *t, struct lazy_record *r);
/* Count a LOST or THROTTLE record. */
void tally__see_loss(struct tally *t, const struct perf_event_header *h);
/* Add the counts of other, which is about the same events. */
void tally__add(struct tally *t, const struct tally *other);
/* Reset the counts for the next file. */
void tally__reset(struct tally *t);

#endif
