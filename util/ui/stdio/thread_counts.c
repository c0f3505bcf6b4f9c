#include "ui/stdio/thread_counts.h"

#include "base/memory/cursor.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

void thread_counts__exit(struct thread_counts *c)
{
	for (size_t i = 0; i < c->v.nr; i++)
		array__exit(&c->v.v[i].values);
	array__exit(&c->v);
	hash_table__exit(&c->by_tid);
}

static struct thread_count *thread_counts__of(struct thread_counts *c, u32 pid, u32 tid)
{
	struct thread_count *t;
	u32 i;

	hash_table__for_each (&c->by_tid, hash__u64(tid), i)
		if (c->v.v[i].pid == pid && c->v.v[i].tid == tid)
			return &c->v.v[i];
	hash_table__insert(&c->by_tid, hash__u64(tid), (u32)c->v.nr);
	t = array__push(&c->v);
	*t = (struct thread_count){ .pid = pid, .tid = tid, .time = UINT64_MAX };
	return t;
}

void thread_counts__look(void *ctx, const struct sample_decoder *d, const struct record *r)
{
	struct thread_counts *c = ctx;
	struct cursor body = cursor__make(r->header + 1, r->header->size - sizeof(*r->header), false);
	u32 pid = cursor__u32(&body), tid = cursor__u32(&body);
	u64 value = cursor__u64(&body);
	struct thread_count *t;
	const struct evsel *e;
	struct sample_id id;

	if (r->header->type != PERF_RECORD_READ || body.bad || !d->evlist->evsels.nr)
		return;
	c->evlist = d->evlist;
	sample_id__decode(d->evlist, r, &id);
	e = evlist__by_id(d->evlist, id.id);
	if (!e)
		e = d->evlist->evsels.v[0];
	t = thread_counts__of(c, pid, tid);
	t->time = MIN(t->time, id.time);
	while (t->values.nr <= e->idx)
		array__add(&t->values, 0);
	t->values.v[e->idx] += value;
}

static u64 thread_count__value(const struct thread_count *t, u32 event)
{
	return event < t->values.nr ? t->values.v[event] : 0;
}

static int ended_earlier(const void *x, const void *y)
{
	const struct thread_count *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static unsigned digits(u64 n)
{
	return (unsigned)snprintf(NULL, 0, "%llu", (ull)n);
}

struct widths {
	unsigned pid, tid, name, count; /* columns of the raw table */
	ARRAY(unsigned) events;         /* columns of the other one, by event; 0: never counted */
	unsigned all;                   /* of the other one */
};

static void widths__see(struct widths *w, const struct thread_counts *c, const struct thread_count *t)
{
	w->pid = MAX(w->pid, digits(t->pid));
	w->tid = MAX(w->tid, digits(t->tid));
	for (u32 e = 0; e < t->values.nr; e++) {
		unsigned name = (unsigned)strlen(c->evlist->evsels.v[e]->name),
			 count = digits(t->values.v[e]);

		w->name = MAX(w->name, name);
		w->count = MAX(w->count, count);
		w->events.v[e] = MAX(w->events.v[e], MAX(name, count));
	}
}

static void widths__init(struct widths *w, const struct thread_counts *c)
{
	*w = (struct widths){ .pid = 3, .tid = 3, .name = 4, .count = 5 };
	for (size_t i = 0; i < c->evlist->evsels.nr; i++)
		array__add(&w->events, 0);
	for (size_t i = 0; i < c->v.nr; i++)
		widths__see(w, c, &c->v.v[i]);
	w->all = 2 + w->pid + 2 + w->tid;
	for (size_t i = 0; i < w->events.nr; i++)
		w->all += w->events.v[i] ? 2 + w->events.v[i] : 0;
}

static void add_name(struct strbuf *sb, const char *name, unsigned width)
{
	strbuf__addchars(sb, ' ', 2 + width - MIN(strlen(name), (size_t)width));
	strbuf__add_masked(sb, name);
}

static void add_thread(struct strbuf *sb, const struct widths *w, const struct thread_count *t)
{
	strbuf__addf(sb, "  %*u  %*u", (int)w->pid, t->pid, (int)w->tid, t->tid);
}

static void print_raw(const struct thread_counts *c, const struct widths *w, struct strbuf *sb)
{
	strbuf__addf(sb, "# %*s  %*s  %*s  Raw  %*s\n", (int)w->pid, "PID", (int)w->tid, "TID", (int)w->name,
		     "Name", (int)w->count, "Count");
	for (size_t i = 0; i < c->v.nr; i++)
		for (u32 e = 0; e < w->events.nr; e++) {
			if (!w->events.v[e])
				continue;
			add_thread(sb, w, &c->v.v[i]);
			add_name(sb, c->evlist->evsels.v[e]->name, w->name);
			strbuf__addf(sb, "  %3x  %*llu\n", e, (int)w->count,
				     (ull)thread_count__value(&c->v.v[i], e));
		}
}

static void print_table(const struct thread_counts *c, const struct widths *w, struct strbuf *sb)
{
	strbuf__addf(sb, "# %*s  %*s", (int)w->pid, "PID", (int)w->tid, "TID");
	for (size_t e = 0; e < w->events.nr; e++)
		if (w->events.v[e])
			add_name(sb, c->evlist->evsels.v[e]->name, w->events.v[e]);
	strbuf__addch(sb, '\n');
	for (size_t i = 0; i < c->v.nr; i++) {
		add_thread(sb, w, &c->v.v[i]);
		for (u32 e = 0; e < w->events.nr; e++)
			if (w->events.v[e])
				strbuf__addf(sb, "  %*llu", (int)w->events.v[e],
					     (ull)thread_count__value(&c->v.v[i], e));
		strbuf__addch(sb, '\n');
	}
}

void thread_counts__print(struct thread_counts *c, bool raw, unsigned columns, struct strbuf *sb)
{
	struct widths w;

	if (!c->v.nr)
		return;
	qsort(c->v.v, c->v.nr, sizeof(*c->v.v), ended_earlier);
	widths__init(&w, c);
	if (raw || (columns && w.all > columns))
		print_raw(c, &w, sb);
	else
		print_table(c, &w, sb);
	array__exit(&w.events);
}
