/*
 * Counter values in samples (:S) of events that threads inherit. The kernel (Linux 6.12) gives each thread's
 * own count there. Readers take the difference to the value before of the same id, which knows no threads. So
 * the recorder writes sums: of all threads that were seen for that id, each counted up to its last sample.
 */
#ifndef RECORD_READ_SUMS_H
#define RECORD_READ_SUMS_H

#include "format/records/read_deltas.h"

/*
 * Add what the thread tid has counted more than before, and return the sum for id. tid
 * COUNTER_OF_ALL_THREADS: the kernel does not say which thread counted, so nothing is added. It says so for a
 * task that is about to end.
 */
u64 read_sums__add(struct read_deltas *d, u64 id, u32 tid, u64 value);
/* Write the sums into a whole sample. A sample that cannot be decoded stays as it is. */
void read_sums__rewrite(struct read_deltas *d, const struct sample_decoder *decoder,
			struct perf_event_header *h);

#endif
