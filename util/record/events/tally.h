/* What passed through on the way to the file, event by event. */
#ifndef RECORD_TALLY_H
#define RECORD_TALLY_H

#include "base/memory/array.h"
#include "format/records/sample.h"

struct event_tally {
	u64 samples;
	u64 lost;      /* of records, as LOST ones say that stand behind the gap: not of the last gap */
	u64 throttled; /* times */
	u64 full;      /* samples whose stack copy or chain is as long as it may be */
};

enum { TALLY_LATELY = 16 };

struct tally {
	const struct sample_decoder *decoder; /* not owned */
	u64 max_frames;                       /* that the kernel puts into a chain */
	ARRAY(struct event_tally) events;     /* by idx */
	u64 records;                          /* all of the kernel's, also those that are not for the file */
	u64 nr_gaps;
	u64 worst_gap; /* the most records that were dropped at once */
	struct {       /* events that samples were of, at the low bits of their ids */
		u64 id;
		const struct evsel *e;
	} lately[TALLY_LATELY];
};

/* d: of the events as they are in the file. */
void tally__init(struct tally *t, const struct sample_decoder *d);
void tally__exit(struct tally *t);
/* A record for the file. */
void tally__see(struct tally *t, const struct record *r);
/* What another one saw, of the same events. */
void tally__add(struct tally *t, const struct tally *other);
/* The next file. */
void tally__reset(struct tally *t);

#endif
