/* What LOST and LOST_SAMPLES records of a recording come to, which tell of the same gaps in part. */
#ifndef MODEL_LOST_RECORDS_H
#define MODEL_LOST_RECORDS_H

#include "base/memory/array.h"
#include "event/evsel/evsel.h"
#include "format/records/losses.h"
#include "format/records/record.h"

struct lost_records {
	u64 in_rings; /* sum of LOST: written by the kernel behind a gap, so what was dropped last is missing
		       */
	u64 nr_gaps;  /* LOST records */
	u64 at_end; /* sum of LOST_SAMPLES by the recorder, of the kernel's own count: with all of the gaps */
	u64 in_hardware;     /* sum of LOST_SAMPLES by the kernel: the processor's buffer had no room */
	ARRAY(u64) by_event; /* LOST_SAMPLES, by idx; events without any may be left out at the end */
};

void lost_records__exit(struct lost_records *l);
/* A LOST or LOST_SAMPLES record. False: it is too short. */
bool lost_records__see(struct lost_records *l, const struct evlist *evlist, const struct record *r);
/* All that is known to be lost, each once. */
u64 lost_records__total(const struct lost_records *l);
u64 lost_records__of_event(const struct lost_records *l, const struct evsel *e);

#endif
