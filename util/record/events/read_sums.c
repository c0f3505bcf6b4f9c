#include "record/events/read_sums.h"

/*
 * Not a thread's number. The kernel gives it to samples of a task that is about to end, and has none any
 * more.
 */
enum { NO_THREAD = UINT32_MAX };

void read_sums__exit(struct read_sums *s)
{
	hash_table__exit(&s->by_key);
	array__exit(&s->v);
}

/* Valid until the next call. */
static struct read_sum *read_sums__find(struct read_sums *s, u64 id, u32 tid)
{
	u64 hash = hash__add(hash__u64(id), tid);
	struct read_sum *sum;
	u32 i;

	hash_table__for_each (&s->by_key, hash, i)
		if (s->v.v[i].id == id && s->v.v[i].tid == tid)
			return &s->v.v[i];
	hash_table__insert(&s->by_key, hash, (u32)s->v.nr);
	sum = array__push(&s->v);
	*sum = (struct read_sum){ .id = id, .tid = tid };
	return sum;
}

u64 read_sums__add(struct read_sums *s, u64 id, u32 tid, u64 value)
{
	struct read_sum *of_all, *of_thread;
	u64 more = 0;

	if (tid != NO_THREAD) {
		of_thread = read_sums__find(s, id, tid);
		more = value >= of_thread->value ? value - of_thread->value : value;
		of_thread->value = value;
	}
	of_all = read_sums__find(s, id, NO_THREAD);
	of_all->value += more;
	return of_all->value;
}

void read_sums__rewrite(struct read_sums *s, const struct sample_decoder *d, struct perf_event_header *h)
{
	struct sample sample;

	if (sample__decode(d, &(struct record){ .header = h }, &sample) || !sample.evsel->sums_reads)
		return;
	for (u64 i = 0; i < sample.read.nr; i++) {
		/* the record is ours to change */
		u64 *value = (u64 *)(uintptr_t)(sample.read.values + i * sample.read.stride);
		bool is_group = sample.evsel->attr.read_format & PERF_FORMAT_GROUP;

		*value = read_sums__add(s, is_group ? value[1] : sample.read.id, sample.tid, *value);
	}
}
