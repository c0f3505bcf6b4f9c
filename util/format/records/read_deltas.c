#include "format/records/read_deltas.h"

void read_deltas__exit(struct read_deltas *d)
{
	hash_table__exit(&d->by_id);
	array__exit(&d->counters);
}

u64 *read_deltas__last(struct read_deltas *d, u64 id, u32 tid)
{
	u64 hash = hash__add(hash__u64(id), tid);
	struct counter_value *c;
	u32 i;

	hash_table__for_each (&d->by_id, hash, i)
		if (d->counters.v[i].id == id && d->counters.v[i].tid == tid)
			return &d->counters.v[i].last;
	hash_table__insert(&d->by_id, hash, (u32)d->counters.nr);
	c = array__push(&d->counters);
	*c = (struct counter_value){ .id = id, .tid = tid };
	return &c->last;
}

u64 read_deltas__advance(struct read_deltas *d, u64 id, u32 tid, u64 value)
{
	u64 *last = read_deltas__last(d, id, tid), before = *last;

	*last = value;
	return value >= before ? value - before : value;
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
