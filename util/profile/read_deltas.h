/*
 * Samples that carry counter values (PERF_SAMPLE_READ) count for what their counters have advanced since the same
 * counter was last seen, and a group's sample counts for each of its members. The values of one counter come in order
 * in the stream, so such a recording is counted by one worker.
 */
#ifndef PROFILE_READ_DELTAS_H
#define PROFILE_READ_DELTAS_H

#include "base/array.h"
#include "base/hash.h"
#include "format/sample.h"

struct counter_value {
	u64 id, last;
};

struct read_deltas {
	struct hash_table by_id;
	ARRAY(struct counter_value) counters;
};

void read_deltas__exit(struct read_deltas *d);
/* What the counter has advanced; its value from now on. */
u64 read_deltas__advance(struct read_deltas *d, u64 id, u64 value);

/* The i-th counter of a decoded sample: its id, 0 when there is none, and its value. */
void sample__counter(const struct sample *s, u64 i, u64 *id, u64 *value);

#endif
