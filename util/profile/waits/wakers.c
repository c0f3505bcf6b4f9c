#include "profile/waits/wakers.h"

#include "format/records/wait_detail.h"
#include "profile/rows/sample_row.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

/* ---- reading ---- */

struct waking_event { /* how to read the wakings of an event; format NULL: it has none */
	const struct trace_event *format;
	size_t pid; /* index of the field */
};

struct reading {
	struct wakers *wakers;
	struct session *session;
	struct machine_cursor cursor;
	struct waking_event *events; /* by evsel */
};

static bool evsel__is_waking(const struct evsel *e)
{
	return e->attr.type == PERF_TYPE_TRACEPOINT && e->attr.sample_type & PERF_SAMPLE_RAW && e->name &&
	       (!strcmp(e->name, "sched:sched_waking") || !strcmp(e->name, "sched:sched_wakeup"));
}

static bool reading__find_events(struct reading *r, struct trace_formats *formats)
{
	const struct evlist *l = &r->session->reader->evlist;
	bool any = false;

	for (size_t i = 0; i < l->evsels.nr && formats; i++) {
		const struct evsel *e = l->evsels.v[i];
		const struct trace_event *format =
			evsel__is_waking(e) ? trace_formats__event(formats, e->attr.config) : NULL;
		const struct trace_field *fields;
		size_t nr = 0;

		fields = format ? trace_event__fields(format, &nr) : NULL;
		for (size_t k = 0; k < nr; k++) {
			if (strcmp(fields[k].name, "pid"))
				continue;
			r->events[i] = (struct waking_event){ format, k };
			any = true;
		}
	}
	return any;
}

static void reading__sample(struct reading *r, const struct record *record)
{
	const struct machine *m = &r->session->machine;
	static const struct row_extra none;
	static const u64 no_chain;
	const struct waking_event *e;
	const struct thread_state *t;
	const u64 *chain;
	struct row_sample row;
	u64 hash;
	struct row_key key;
	struct sample s;
	u64 tid;

	if (sample__decode(&r->session->decoder, record, &s))
		return;
	e = &r->events[s.evsel->idx];
	if (!e->format || !s.raw || !trace_event__number(e->format, e->pid, s.raw, s.raw_size, &tid))
		return;
	row = (struct row_sample){
		.nr = 1, .time = s.time, .offset = record->offset, .pid = s.pid, .tid = s.tid
	};
	machine_cursor__seek(&r->cursor, session__time(r->session, &s, record));
	t = machine_cursor__thread(&r->cursor, s.pid, s.tid);
	row.thread = t->thread;
	row.rank = r->cursor.rank;
	key = sample__row_key(&s, t, &r->cursor, m);
	key.nr_chain = (u32)s.nr_callchain;
	chain = s.callchain ? s.callchain : &no_chain;
	hash = row_key__hash(&key, chain, &none);
	array__add(&r->wakers->wakings,
		   ((struct waking){
			   .time = s.time,
			   .tid = (u32)tid,
			   .row = row_table__count(&r->wakers->rows, hash, &key, chain, &none, &row) }));
}

static int compare_wakings(const void *x, const void *y)
{
	const struct waking *a = x, *b = y;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->time < b->time ? -1 : a->time > b->time;
}

static int reading__all(struct reading *r, struct err *err)
{
	struct reader_pass *pass = reader_pass__new(r->session->reader);
	struct block block = BLOCK_INIT;
	struct record record;
	int ret;

	machine_cursor__init(&r->cursor, &r->session->machine);
	while ((ret = reader_pass__next(pass, &block, err)) > 0) {
		size_t pos = 0;

		while (block__next(&block, &pos, &record))
			if (record.header->type == PERF_RECORD_SAMPLE)
				reading__sample(r, &record);
	}
	block__exit(&block);
	reader_pass__delete(pass);
	return ret;
}

int wakers__read(struct wakers *w, struct session *s, struct trace_formats *formats, struct err *err)
{
	struct reading r = { .wakers = w, .session = s };
	int ret = -ENOENT;

	r.events = xcalloc(s->reader->evlist.evsels.nr + 1, sizeof(*r.events));
	row_table__init(&w->rows, true);
	if (reading__find_events(&r, formats))
		ret = reading__all(&r, err);
	row_table__end(&w->rows);
	if (w->wakings.nr)
		qsort(w->wakings.v, w->wakings.nr, sizeof(*w->wakings.v), compare_wakings);
	free(r.events);
	return ret;
}

void wakers__exit(struct wakers *w)
{
	row_table__exit(&w->rows);
	array__exit(&w->wakings);
}

/*
 * The waking is the last one before the wait's end. It is within the wait, unless the sample stands for
 * several (its weight).
 */
u64 wakers__of(const struct wakers *w, const struct sample *s)
{
	const struct waking at = { .time = s->time, .tid = s->tid };
	size_t low = 0, high = w->wakings.nr;
	const struct waking *found;

	if (!w->wakings.nr || evsel__wait_event(s->evsel) != WAIT_EVENT_OFF_CPU)
		return 0;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (compare_wakings(&w->wakings.v[mid], &at) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	found = low ? &w->wakings.v[low - 1] : NULL;
	if (!found || found->tid != s->tid ||
	    (found->time + s->period < s->time &&
	     !(s->evsel->attr.sample_type & PERF_SAMPLE_WEIGHT && s->weight > 1)))
		return 0;
	return 1 + (u64)found->row;
}
