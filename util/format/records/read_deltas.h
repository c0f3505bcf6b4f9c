/*
 * Samples that carry counter values (PERF_SAMPLE_READ) count for what their counters have advanced since the
 * same counter was last seen, and a group's sample counts for each of its members. Each thread that inherits
 * an event (since Linux 6.12) has a counter of its own, with the id of the event that was opened. The values
 * of one counter come in order in the stream, so one thread must see all of them.
 */
#ifndef FORMAT_READ_DELTAS_H
#define FORMAT_READ_DELTAS_H

#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "format/records/sample.h"

enum { COUNTER_OF_ALL_THREADS = UINT32_MAX }; /* in place of a tid */

struct counter_value {
	u64 id, last;
	u32 tid; /* or COUNTER_OF_ALL_THREADS */
};

struct read_deltas {
	struct hash_table by_id;
	ARRAY(struct counter_value) counters;
};

void read_deltas__exit(struct read_deltas *d);
/* Return a pointer to a counter's last value, which is 0 for a new counter. Valid until the next call. */
u64 *read_deltas__last(struct read_deltas *d, u64 id, u32 tid);
/*
 * Set a counter's value and return by how much it has advanced. A value below the last one belongs to a new
 * thread with the tid of one that has ended: it has advanced from 0.
 */
u64 read_deltas__advance(struct read_deltas *d, u64 id, u32 tid, u64 value);

/* Get the i-th counter of a decoded sample: its id, or 0, and its value. */
void sample__counter(const struct sample *s, u64 i, u64 *id, u64 *value);
/* Return the tid of the thread that a sample's counters count, or COUNTER_OF_ALL_THREADS. */
u32 sample__counter_tid(const struct sample *s);

#endif
