#include "model/lost_records.h"

#include "base/memory/cursor.h"

void lost_records__exit(struct lost_records *l)
{
	array__exit(&l->by_event);
}

static void lost_records__add_to_event(struct lost_records *l, u32 idx, u64 lost)
{
	while (l->by_event.nr <= idx)
		array__add(&l->by_event, 0);
	l->by_event.v[idx] += lost;
}

/* The kernel's LOST record has a time; one that the recorder writes at the end has none. */
static void lost_records__see_samples(struct lost_records *l, const struct evlist *evlist,
				      const struct record *r, u64 lost)
{
	struct sample_id id;
	const struct evsel *e = NULL;
	bool has_id = sample_id__decode(evlist, r, &id);

	if (has_id && id.time_known && id.time && id.time != UINT64_MAX)
		l->in_hardware += lost;
	else
		l->at_end += lost;
	if (has_id)
		e = evlist__by_id(evlist, id.id);
	lost_records__add_to_event(l, e ? e->idx : 0, lost);
}

bool lost_records__see(struct lost_records *l, const struct evlist *evlist, const struct record *r)
{
	struct cursor c = cursor__make(r->header + 1, r->header->size - sizeof(*r->header), false);

	if (r->header->type == PERF_RECORD_LOST) {
		cursor__u64(&c); /* id */
		l->in_rings += cursor__u64(&c);
		l->nr_gaps++;
	} else {
		lost_records__see_samples(l, evlist, r, cursor__u64(&c));
	}
	return !c.bad;
}

u64 lost_records__total(const struct lost_records *l)
{
	return l->in_hardware + MAX(l->at_end, l->in_rings);
}

u64 lost_records__of_event(const struct lost_records *l, const struct evsel *e)
{
	return e->idx < l->by_event.nr ? l->by_event.v[e->idx] : 0;
}
