#include "model/side_band.h"

enum {
	WHAT_IS_RECORD = 1,
	ENTRIES_PER_PIECE = 4096, /* that a run is at most long */
};

void side_band__init(struct side_band *b, struct machine *m)
{
	*b = (struct side_band){ .machine = m, .entries.grows = true };
}

void side_band__exit(struct side_band *b)
{
	arena__exit(&b->records);
	arena__exit(&b->entries);
	array__exit(&b->runs);
}

/* What was added before is a run. */
static void side_band__end_run(struct side_band *b)
{
	if (b->runs.nr)
		b->runs.v[b->runs.nr - 1].end = b->p;
}

static void side_band__begin_run(struct side_band *b)
{
	array__add(&b->runs, ((struct side_run){ .next = b->p, .end = b->p, .seq = b->runs.nr }));
}

static inline void side_band__push(struct side_band *b, uintptr_t what, u64 time)
{
	if (unlikely(b->p == b->end)) {
		side_band__end_run(b);
		b->p = arena__alloc(&b->entries, ENTRIES_PER_PIECE * sizeof(*b->p));
		b->end = b->p + ENTRIES_PER_PIECE;
		side_band__begin_run(b);
	} else if (unlikely(time < b->last_time)) {
		side_band__end_run(b);
		side_band__begin_run(b);
	}
	*b->p++ = (struct side_entry){ time, what };
	b->last_time = time;
}

void side_band__add(struct side_band *b, const struct record *r, size_t trailer, u64 time)
{
	if (likely(machine__is_user_map(r))) {
		struct waiting_map *w = machine__take_map(b->machine, r, trailer);

		if (w)
			side_band__push(b, (uintptr_t)w, time);
	} else if (machine__wants(r->header->type)) {
		void *copy = arena__memdup(&b->records, r->header, r->header->size);

		side_band__push(b, (uintptr_t)copy + WHAT_IS_RECORD, time);
	}
}

void side_band__add_map(struct side_band *b, const struct waiting_map *w, u64 time)
{
	side_band__push(b, (uintptr_t)arena__memdup(&b->machine->arena, w, sizeof(*w)), time);
}

void side_band__for_each_map(struct side_band *b, side_band_map_fn fn, void *ctx)
{
	side_band__end_run(b);
	for (size_t i = 0; i < b->runs.nr; i++)
		for (const struct side_entry *e = b->runs.v[i].next; e < b->runs.v[i].end; e++)
			if (!(e->what & WHAT_IS_RECORD))
				fn((struct waiting_map *)e->what, e->time, ctx);
}

static void side_band__replay_entry(struct side_band *b, const struct side_entry *e)
{
	if (e->what & WHAT_IS_RECORD) {
		struct record r = { .header = (const struct perf_event_header *)(e->what - WHAT_IS_RECORD) };

		machine__replay(b->machine, &r, e->time);
	} else {
		struct waiting_map *w = (struct waiting_map *)e->what;

		if (likely(w->start < w->end))
			machine__replay_map(b->machine, w, e->time);
	}
}

/* Runs are in a heap by their next entries, the earliest at the top; equal times in the order of the stream.
 */
static bool run__before(const struct side_run *a, const struct side_run *b)
{
	return a->next->time != b->next->time ? a->next->time < b->next->time : a->seq < b->seq;
}

static void runs__sift(struct side_run *v, size_t nr, size_t i)
{
	struct side_run moved = v[i];

	for (size_t child = 2 * i + 1; child < nr; child = 2 * i + 1) {
		if (child + 1 < nr && run__before(&v[child + 1], &v[child]))
			child++;
		if (!run__before(&v[child], &moved))
			break;
		v[i] = v[child];
		i = child;
	}
	v[i] = moved;
}

/* The run that comes next when the first one has had its turn; NULL: there is none. */
static const struct side_run *runs__second(const struct side_run *v, size_t nr)
{
	if (nr < 3)
		return nr == 2 ? &v[1] : NULL;
	return run__before(&v[2], &v[1]) ? &v[2] : &v[1];
}

static size_t side_band__nr(const struct side_band *b)
{
	size_t nr = 0;

	for (size_t i = 0; i < b->runs.nr; i++)
		nr += (size_t)(b->runs.v[i].end - b->runs.v[i].next);
	return nr;
}

void side_band__replay(struct side_band *b)
{
	struct side_run *v = b->runs.v;
	size_t nr = b->runs.nr;

	side_band__end_run(b);
	machine__expect(b->machine, side_band__nr(b));
	for (size_t i = nr / 2; i-- > 0;)
		runs__sift(v, nr, i);
	while (nr) {
		const struct side_run *second = runs__second(v, nr);

		do
			side_band__replay_entry(b, v[0].next++);
		while (v[0].next < v[0].end && (!second || run__before(&v[0], second)));
		if (v[0].next == v[0].end)
			v[0] = v[--nr];
		if (nr)
			runs__sift(v, nr, 0);
	}
	side_band__exit(b);
}
