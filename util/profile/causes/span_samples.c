#include "profile/causes/span_samples.h"

#include "profile/gather/unwound.h"
#include "profile/rows/sample_row.h"

#include <linux/perf_event.h>
#include <stdlib.h>

enum {
	MAX_STACK = 1024, /* frames to unwind from a stack copy, as many as of reports */
	MOST_PIECES = 16, /* of a wait for a lock that goes from hand to hand */
	WANTED = NO_ROW - 1,
};

struct lock_waking { /* a lock was let go, and a waiter woken */
	u32 lock;    /* text id */
	u32 pid;
	u64 time;
	u32 wait; /* index in lines.waits: of the waiter */
};

struct finding {
	struct span_samples *x;
	struct session *session;
	const struct span_times *times;
	const struct span_set *set;
	const struct span_groups *groups;
	ARRAY(struct lock_waking) wakings; /* in the order of lock, pid, time */
	struct machine_cursor cursor;
	struct unwound unwound;
};

/* ---- waits ---- */

static const struct span_reason *finding__reason(const struct finding *f, u32 wait)
{
	return &f->times->reasons.v[f->times->of_waits.v[wait]];
}

/* Is it a wait for a lock whose holder is known? */
static bool finding__is_for_lock(const struct finding *f, u32 wait)
{
	const struct span_reason *r = finding__reason(f, wait);

	return r->role == ROLE_HOLDER && r->lock;
}

static int compare_wakings(const void *x, const void *y)
{
	const struct lock_waking *a = x, *b = y;

	if (a->lock != b->lock)
		return a->lock < b->lock ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->wait < b->wait ? -1 : a->wait > b->wait;
}

static const struct time_line *finding__line(const struct finding *f, const struct span *s)
{
	u32 line = time_lines__find(&f->times->lines, s->tid);

	return line == NO_LINE ? NULL : &f->times->lines.v.v[line];
}

/* Return the index of the first wait of a line that ends after a time. */
static size_t line__first_span(const struct time_line *l, u64 time)
{
	return bisect(k, (size_t)0, l->spans.nr, l->spans.v[k].end <= time);
}

/* List all wakings of locks. */
static void finding__list_wakings(struct finding *f)
{
	const struct time_lines *t = &f->times->lines;

	for (size_t i = 0; i < t->v.nr; i++)
		for (size_t k = 0; k < t->v.v[i].spans.nr; k++) {
			const struct line_span *s = &t->v.v[i].spans.v[k];

			if (finding__is_for_lock(f, s->wait))
				array__add(&f->wakings,
					   ((struct lock_waking){ finding__reason(f, s->wait)->lock,
								  t->v.v[i].pid, s->woken, s->wait }));
		}
	if (f->wakings.nr)
		qsort(f->wakings.v, f->wakings.nr, sizeof(*f->wakings.v), compare_wakings);
}

static void finding__add_item(struct finding *f, u32 span, u32 wait, u32 ended, u64 ns)
{
	struct span_item *last = f->x->items.nr ? &f->x->items.v[f->x->items.nr - 1] : NULL;

	if (last && last->span == span && last->wait == wait && last->ended == ended)
		last->ns += ns;
	else
		array__add(&f->x->items, ((struct span_item){ span, wait, ended, ns }));
}

static u64 overlap(u64 from, u64 to, u64 begin, u64 end)
{
	from = MAX(from, begin);
	to = MIN(to, end);
	return from < to ? to - from : 0;
}

/* Add the samples of a holder on the CPU in a time: it ran for so long. */
static void finding__add_holder_runs(struct finding *f, const struct time_line *l, u32 item, u64 from, u64 to,
				     u64 ran)
{
	size_t first = bisect(k, (size_t)0, l->runs.nr, l->runs.v[k].time <= from),
	       end = bisect(k, first, l->runs.nr, l->runs.v[k].time <= to);

	if (first == end)
		array__add(&f->x->holders, ((struct holder_item){ item, ITEM_ON_CPU, NO_ROW, ran }));
	for (size_t k = first; k < end; k++)
		array__add(&f->x->holders, ((struct holder_item){ item, ITEM_ON_CPU, l->runs.v[k].number,
								  ran / (end - first) }));
}

/* Add what the thread that ended a wait did in a time. */
static void finding__add_holder(struct finding *f, u32 ended, u64 from, u64 to)
{
	u32 waker = f->times->lines.waits.v[ended].waker, item = (u32)f->x->items.nr - 1;
	const struct time_line *l = waker == NO_LINE ? NULL : &f->times->lines.v.v[waker];
	u64 not_run = 0, ready = 0;

	if (!l || !l->is_recorded)
		return;
	for (size_t k = line__first_span(l, from); k < l->spans.nr && l->spans.v[k].begin < to; k++) {
		const struct line_span *s = &l->spans.v[k];
		bool is_ready = f->times->lines.waits.v[s->wait].is_ready;
		u64 ns = overlap(from, to, s->begin, s->end),
		    waited = is_ready ? 0 : overlap(from, to, s->begin, s->woken);

		not_run += ns;
		ready += ns - waited;
		if (waited)
			array__add(&f->x->holders, ((struct holder_item){ item, s->wait, NO_ROW, waited }));
	}
	if (ready)
		array__add(&f->x->holders, ((struct holder_item){ item, ITEM_READY, NO_ROW, ready }));
	if (to - from > not_run)
		finding__add_holder_runs(f, l, item, from, to, to - from - not_run);
}

/*
 * Add a wait for a lock in [from, to), cut where the lock went from hand to hand: each piece belongs to who
 * let it go at its end.
 */
static void finding__add_lock_wait(struct finding *f, u32 span, const struct line_span *s, u32 pid, u64 from,
				   u64 to)
{
	struct lock_waking at = { .lock = finding__reason(f, s->wait)->lock, .pid = pid, .time = from + 1 };
	size_t i = bisect(k, (size_t)0, f->wakings.nr, compare_wakings(&f->wakings.v[k], &at) < 0);
	bool is_slow = f->groups->v.v[span].group == SPANS_SLOW;

	for (u32 pieces = 0; from < to; i++) {
		const struct lock_waking *w = i < f->wakings.nr ? &f->wakings.v[i] : NULL;
		bool is_own = !w || w->lock != at.lock || w->pid != pid || w->time >= s->woken ||
			      ++pieces >= MOST_PIECES;
		u32 ended = is_own ? s->wait : w->wait;
		u64 end = is_own ? to : MIN(to, w->time);

		if (end <= from)
			continue;
		finding__add_item(f, span, s->wait, ended, end - from);
		if (is_slow)
			finding__add_holder(f, ended, from, end);
		from = end;
	}
}

/* Add what a wait has of a span. Return the ns that the thread did not run. */
static u64 finding__add_wait(struct finding *f, u32 index, const struct span *s, const struct line_span *w)
{
	u64 begin = MAX(w->begin, s->begin), end = MIN(w->end, s->end),
	    woken = MIN(MAX(w->woken, begin), end);

	if (f->times->of_waits.v[w->wait] == SPAN_READY)
		woken = begin;
	if (woken > begin && finding__is_for_lock(f, w->wait))
		finding__add_lock_wait(f, index, w, s->pid, begin, woken);
	else if (woken > begin)
		finding__add_item(f, index, w->wait, w->wait, woken - begin);
	if (end > woken)
		finding__add_item(f, index, ITEM_READY, NO_WAIT, end - woken);
	return end - begin;
}

static void finding__add_span(struct finding *f, u32 index)
{
	const struct span *s = &f->set->v.v[f->groups->v.v[index].span];
	const struct time_line *l = finding__line(f, s);
	u64 not_run = 0;

	for (size_t k = l ? line__first_span(l, s->begin) : 0;
	     l && k < l->spans.nr && l->spans.v[k].begin < s->end; k++)
		not_run += finding__add_wait(f, index, s, &l->spans.v[k]);
	for (size_t k = l ? bisect(j, (size_t)0, l->runs.nr, l->runs.v[j].time <= s->begin) : 0;
	     l && k < l->runs.nr && l->runs.v[k].time <= s->end; k++)
		array__add(&f->x->runs, ((struct span_run){ index, l->runs.v[k].number }));
	array__add(&f->x->on_cpu, span__ns(s) - not_run);
}

/* ---- stacks ---- */

static void finding__want_wait(struct finding *f, u32 wait)
{
	const struct time_lines *t = &f->times->lines;

	if (wait >= t->waits.nr)
		return;
	f->x->row_of[t->waits.v[wait].number] = WANTED;
	if (t->waits.v[wait].ended != NOT_ENDED)
		f->x->row_of[t->ended.v[t->waits.v[wait].ended].number] = WANTED;
}

static void finding__want(struct finding *f)
{
	const struct span_samples *x = f->x;

	for (size_t i = 0; i < x->items.nr; i++) {
		finding__want_wait(f, x->items.v[i].wait);
		finding__want_wait(f, x->items.v[i].ended);
	}
	for (size_t i = 0; i < x->runs.nr; i++)
		x->row_of[x->runs.v[i].number] = WANTED;
	for (size_t i = 0; i < x->holders.nr; i++) {
		finding__want_wait(f, x->holders.v[i].wait);
		if (x->holders.v[i].number != NO_ROW)
			x->row_of[x->holders.v[i].number] = WANTED;
	}
}

static u32 finding__count(struct finding *f, const struct sample *s, const struct record *record)
{
	const struct thread_state *t = machine_cursor__thread(&f->cursor, s->pid, s->tid);
	struct row_sample row = { .nr = 1,
				  .time = s->time,
				  .offset = record->offset,
				  .rank = f->cursor.rank,
				  .thread = t->thread };
	struct row_key key = sample__row_key(s, t, &f->cursor, &f->session->machine);
	const u64 *chain = s->callchain;
	static const struct row_extra none;
	static const u64 no_chain;

	key.comm = 0;
	key.nr_chain = chain ? (u32)s->nr_callchain : 0;
	if (!chain)
		chain = &no_chain;
	return row_table__count(&f->x->rows, row_key__hash(&key, chain, &none), &key, chain, &none, &row);
}

static void finding__sample(struct finding *f, const struct record *record, u32 number)
{
	const struct maps *maps;
	struct sample s;

	if (number >= f->times->lines.nr_samples || f->x->row_of[number] != WANTED)
		return;
	f->x->row_of[number] = NO_ROW;
	if (sample__decode(&f->session->decoder, record, &s))
		return;
	machine_cursor__seek(&f->cursor, session__time(f->session, &s, record));
	maps = machine_cursor__thread(&f->cursor, s.pid, s.tid)->maps;
	unwound__complete_chain(&f->unwound, &s, maps, f->cursor.rank);
	f->x->row_of[number] = finding__count(f, &s, record);
	f->x->periods[number] = (u32)MIN(s.period, (u64)UINT32_MAX);
}

static int finding__pass(struct finding *f, struct err *err)
{
	struct reader_pass *pass = reader_pass__new(f->session->reader);
	struct block block = BLOCK_INIT;
	struct record record;
	int ret;

	while ((ret = reader_pass__next(pass, &block, err)) > 0) {
		size_t pos = 0;
		u32 number;

		if (!time_lines__first(&f->times->lines, &block, &number))
			continue;
		while (block__next(&block, &pos, &record))
			if (record.header->type == PERF_RECORD_SAMPLE)
				finding__sample(f, &record, number++);
	}
	block__exit(&block);
	reader_pass__delete(pass);
	return ret;
}

/* What was not found has no row. */
static void finding__end_rows(struct finding *f)
{
	for (u32 i = 0; i < f->times->lines.nr_samples; i++)
		if (f->x->row_of[i] == WANTED)
			f->x->row_of[i] = NO_ROW;
	row_table__end(&f->x->rows);
}

/* ---- all ---- */

int span_samples__read(struct span_samples *x, struct session *s, const struct span_times *times,
		       const struct span_set *set, const struct span_groups *g, struct err *err)
{
	struct finding f = { .x = x, .session = s, .times = times, .set = set, .groups = g };
	u32 nr = times->lines.nr_samples;
	int ret;

	*x = (struct span_samples){ .row_of = xmalloc_large((size_t)nr * sizeof(u32)) };
	x->periods = xcalloc(nr, sizeof(*x->periods));
	memset(x->row_of, 0xff, (size_t)nr * sizeof(u32));
	row_table__init(&x->rows, true);
	machine_cursor__init(&f.cursor, &s->machine);
	unwound__init(&f.unwound, s, MAX_STACK);
	finding__list_wakings(&f);
	for (u32 i = 0; i < g->v.nr; i++)
		finding__add_span(&f, i);
	finding__want(&f);
	ret = finding__pass(&f, err);
	finding__end_rows(&f);
	array__exit(&f.wakings);
	unwound__exit(&f.unwound);
	return ret;
}

void span_samples__exit(struct span_samples *x)
{
	array__exit(&x->items);
	array__exit(&x->runs);
	array__exit(&x->holders);
	array__exit(&x->on_cpu);
	row_table__exit(&x->rows);
	free(x->row_of);
	free(x->periods);
}

u32 span_samples__wait_row(const struct span_samples *x, const struct span_times *t, u32 wait)
{
	return x->row_of[t->lines.waits.v[wait].number];
}

u32 span_samples__ended_row(const struct span_samples *x, const struct span_times *t, u32 wait)
{
	u32 ended = t->lines.waits.v[wait].ended;

	return ended == NOT_ENDED ? NO_ROW : x->row_of[t->lines.ended.v[ended].number];
}
