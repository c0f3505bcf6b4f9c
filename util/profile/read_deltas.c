#include "profile/read_deltas.h"

void read_deltas__exit(struct read_deltas *d)
{
	hash_table__exit(&d->by_id);
	array__exit(&d->counters);
}

u64 read_deltas__advance(struct read_deltas *d, u64 id, u64 value)
{
	u64 hash = hash__u64(id), delta;
	u32 i;

	hash_table__for_each(&d->by_id, hash, i)
		if (d->counters.v[i].id == id) {
			delta = value - d->counters.v[i].last;
			d->counters.v[i].last = value;
			return delta;
		}
	hash_table__insert(&d->by_id, hash, (u32)d->counters.nr);
	array__push(&d->counters)->id = id;
	d->counters.v[d->counters.nr - 1].last = value;
	return value;
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
