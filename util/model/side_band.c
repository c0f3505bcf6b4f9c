#include "model/side_band.h"

enum {
	SOURCE_IS_RECORD = UINT32_MAX, /* the entry is a record, not a map */
	ENTRIES_MIN = 64,              /* reserved at once */
	ENTRIES_MAX = 4096,
};

void side_band__init(struct side_band *b, struct machine *m)
{
	*b = (struct side_band){ .machine = m };
}

void side_band__exit(struct side_band *b)
{
	arena__exit(&b->records);
	array__exit(&b->runs);
}

static bool is_record(const struct side_entry *e)
{
	return e->map.source == SOURCE_IS_RECORD;
}

/* End the current run of entries. */
static void side_band__end_run(struct side_band *b)
{
	if (b->runs.nr)
		b->runs.v[b->runs.nr - 1].end = b->p;
}

static void side_band__begin_run(struct side_band *b)
{
	array__add(&b->runs, ((struct side_run){ .next = b->p, .end = b->p, .seq = b->runs.nr }));
}

/* Return where the next entry goes; side_band__push adds it. */
static inline struct side_entry *side_band__room(struct side_band *b)
{
	size_t nr;

	if (likely(b->p < b->end))
		return b->p;
	nr = MIN(MAX(b->nr_room, (size_t)ENTRIES_MIN), (size_t)ENTRIES_MAX);
	side_band__end_run(b);
	b->p = arena__alloc(&b->machine->arena, nr * sizeof(*b->p));
	b->end = b->p + nr;
	b->nr_room += nr;
	side_band__begin_run(b);
	return b->p;
}

static inline void side_band__push(struct side_band *b, u64 time)
{
	if (unlikely(time < b->last_time)) {
		side_band__end_run(b);
		side_band__begin_run(b);
	}
	b->p++->time = time;
	b->last_time = time;
}

void side_band__add(struct side_band *b, const struct record *r, size_t trailer, u64 time)
{
	struct side_entry *e = side_band__room(b);

	if (likely(machine__is_user_map(r))) {
		if (machine__take_map(b->machine, r, trailer, &e->map))
			side_band__push(b, time);
	} else if (machine__wants(r->header->type)) {
		e->map.start = (uintptr_t)arena__memdup(&b->records, r->header, r->header->size);
		e->map.source = SOURCE_IS_RECORD;
		side_band__push(b, time);
	}
}

void side_band__add_map(struct side_band *b, const struct waiting_map *w, u64 time)
{
	side_band__room(b)->map = *w;
	side_band__push(b, time);
}

void side_band__for_each_map(struct side_band *b, side_band_map_fn fn, void *ctx)
{
	side_band__end_run(b);
	for (size_t i = 0; i < b->runs.nr; i++)
		for (struct side_entry *e = b->runs.v[i].next; e < b->runs.v[i].end; e++)
			if (!is_record(e))
				fn(&e->map, e->time, ctx);
}

static void side_band__replay_entry(struct side_band *b, struct side_entry *e)
{
	if (unlikely(is_record(e))) {
		struct record r = { .header = (const struct perf_event_header *)(uintptr_t)e->map.start };

		machine__replay(b->machine, &r, e->time);
	} else if (likely(e->map.start < e->map.end)) {
		machine__replay_map(b->machine, &e->map, e->time);
	}
}

/* A heap of runs by the time of their next entries, earliest on top; equal times in stream order. */
static bool run__before(const struct side_run *a, const struct side_run *b)
{
	return a->next->time != b->next->time ? a->next->time < b->next->time : a->seq < b->seq;
}

/* Return the run that comes next after the first one, or NULL. */
static const struct side_run *runs__second(const struct side_run *v, size_t nr)
{
	if (nr < 3)
		return nr == 2 ? &v[1] : NULL;
	return run__before(&v[2], &v[1]) ? &v[2] : &v[1];
}

/* Drop empty runs. Return the number of entries. */
static size_t side_band__close_runs(struct side_band *b)
{
	size_t nr_runs = 0, nr = 0;

	side_band__end_run(b);
	for (size_t i = 0; i < b->runs.nr; i++) {
		const struct side_run run = b->runs.v[i];

		if (run.next == run.end)
			continue;
		nr += (size_t)(run.end - run.next);
		b->runs.v[nr_runs++] = run;
	}
	b->runs.nr = nr_runs;
	return nr;
}

void side_band__replay(struct side_band *b)
{
	struct side_run *v = b->runs.v;
	size_t nr;

	machine__expect(b->machine, side_band__close_runs(b));
	nr = b->runs.nr;
	for (size_t i = nr / 2; i-- > 0;)
		heap__sift(v, nr, i, run__before);
	while (nr) {
		const struct side_run *second = runs__second(v, nr);

		do
			side_band__replay_entry(b, v[0].next++);
		while (v[0].next < v[0].end && (!second || run__before(&v[0], second)));
		if (v[0].next == v[0].end)
			v[0] = v[--nr];
		if (nr)
			heap__sift(v, nr, 0, run__before);
	}
	side_band__exit(b);
}
