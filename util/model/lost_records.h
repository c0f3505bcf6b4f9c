/* Sums of the LOST and LOST_SAMPLES records of a recording. Both kinds may describe the same gaps. */
#ifndef MODEL_LOST_RECORDS_H
#define MODEL_LOST_RECORDS_H

#include "base/memory/array.h"
#include "event/evsel/evsel.h"
#include "format/records/losses.h"
#include "format/records/record.h"

struct lost_records {
	/* sum of LOST: the kernel writes these after a gap, so the last dropped records are missing */
	u64 in_rings;
	u64 nr_gaps; /* LOST records */
	/*
	 * samples lost by the kernel's count (PERF_FORMAT_LOST), from LOST_SAMPLES of the recorder: includes
	 * all gaps
	 */
	u64 at_end;
	u64 in_hardware; /* samples lost in the processor's buffer, from LOST_SAMPLES of the kernel */
	/* samples lost, from LOST_SAMPLES, by idx; may be shorter than the list of events */
	ARRAY(u64) by_event;
};

void lost_records__exit(struct lost_records *l);
/* Add a LOST or LOST_SAMPLES record. Return false if it is too short. */
bool lost_records__see(struct lost_records *l, const struct evlist *evlist, const struct record *r);
/* Return the number of lost samples, each counted once. */
u64 lost_records__total(const struct lost_records *l);
u64 lost_records__of_event(const struct lost_records *l, const struct evsel *e);

#endif
