/*
 * Counter values in samples (:S) of events that threads inherit. The kernel (Linux 6.12) gives each thread's
 * own count there. Readers take the difference to the value before of the same id, which knows no threads. So
 * the recorder writes sums: of all threads that were seen for that id, each counted up to its last sample.
 */
#ifndef RECORD_READ_SUMS_H
#define RECORD_READ_SUMS_H

#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "format/records/sample.h"

struct read_sums {
	struct hash_table by_key;
	ARRAY(struct read_sum {
		u64 id;
		u32 tid; /* UINT32_MAX: of all threads */
		u64 value;
	})
	v;
};

void read_sums__exit(struct read_sums *s);
/*
 * Adds what the thread tid has counted more than before, and returns the sum for id. A value below the one
 * before is of a new thread with that number. tid UINT32_MAX: it is not known which thread counted, and
 * nothing is added.
 */
u64 read_sums__add(struct read_sums *s, u64 id, u32 tid, u64 value);
/* Writes the sums into a whole sample, which is changed. One that cannot be decoded stays as it is. */
void read_sums__rewrite(struct read_sums *s, const struct sample_decoder *d, struct perf_event_header *h);

#endif
