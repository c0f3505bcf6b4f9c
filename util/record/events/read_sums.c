#include "record/events/read_sums.h"

#include "event/evsel/event_request.h"

/* Keep the sum for an id as the counter of all threads. */
u64 read_sums__add(struct read_deltas *d, u64 id, u32 tid, u64 value)
{
	u64 more = tid == COUNTER_OF_ALL_THREADS ? 0 : read_deltas__advance(d, id, tid, value);

	return *read_deltas__last(d, id, COUNTER_OF_ALL_THREADS) += more;
}

void read_sums__rewrite(struct read_deltas *d, const struct sample_decoder *decoder,
			struct perf_event_header *h)
{
	struct sample sample;
	u64 id, count;

	if (sample__decode(decoder, &(struct record){ .header = h }, &sample) ||
	    !sample.evsel->request->sums_reads)
		return;
	for (u64 i = 0; i < sample.read.nr; i++) {
		/* the record may be changed */
		u64 *value = (u64 *)(uintptr_t)(sample.read.values + i * sample.read.stride);

		sample__counter(&sample, i, &id, &count);
		*value = read_sums__add(d, id, sample.tid, count);
	}
}
