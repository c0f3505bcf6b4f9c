#include "profile/gather/read_deltas.h"

void read_deltas__exit(struct read_deltas *d)
{
	hash_table__exit(&d->by_id);
	array__exit(&d->counters);
}

u64 read_deltas__advance(struct read_deltas *d, u64 id, u32 tid, u64 value)
{
	u64 hash = hash__add(hash__u64(id), tid);
	struct counter_value *c;
	u32 i;

	hash_table__for_each (&d->by_id, hash, i) {
		u64 last = d->counters.v[i].last;

		if (d->counters.v[i].id != id || d->counters.v[i].tid != tid)
			continue;
		d->counters.v[i].last = value;
		return value >= last ? value - last : value;
	}
	hash_table__insert(&d->by_id, hash, (u32)d->counters.nr);
	c = array__push(&d->counters);
	*c = (struct counter_value){ .id = id, .tid = tid, .last = value };
	return value;
}

u32 sample__counter_tid(const struct sample *s)
{
	const struct perf_event_attr *a = &s->evsel->attr;

	return a->inherit && a->sample_type & PERF_SAMPLE_TID ? s->tid : COUNTER_OF_ALL_THREADS;
}

void sample__counter(const struct sample *s, u64 i, u64 *id, u64 *value)
{
	u64 format = s->evsel->attr.read_format;
	const u64 *entry = s->read.values + i * s->read.stride;

	*value = entry[0];
	if (format & PERF_FORMAT_GROUP)
		*id = format & PERF_FORMAT_ID ? entry[1] : 0;
	else
		*id = s->read.id;
}
