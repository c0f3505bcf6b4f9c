/*
 * Counter values in samples (:S) of inherited events. The kernel (Linux 6.12) stores the value of the
 * sampled thread. Readers compute differences between values with the same id, regardless of the thread. So
 * the recorder writes sums: over all threads seen for that id, each up to its last sample.
 */
#ifndef RECORD_READ_SUMS_H
#define RECORD_READ_SUMS_H

#include "format/records/read_deltas.h"

/*
 * Add what thread tid has counted since its last sample, and return the sum for id. tid
 * COUNTER_OF_ALL_THREADS adds nothing: the kernel does not tell which thread counted, as for a task that is
 * about to exit.
 */
u64 read_sums__add(struct read_deltas *d, u64 id, u32 tid, u64 value);
/* Write the sums into a sample. A sample that cannot be decoded stays unchanged. */
void read_sums__rewrite(struct read_deltas *d, const struct sample_decoder *decoder,
			struct perf_event_header *h);

#endif
