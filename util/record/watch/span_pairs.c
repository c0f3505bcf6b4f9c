#include "record/watch/span_pairs.h"

#include "base/memory/hash.h"
#include "base/text/mask.h"
#include "event/evsel/event_request.h"
#include "format/records/abi.h"
#include "format/records/span_detail.h"
#include "record/stacks/span_hits.h"

#include <linux/perf_event.h>
#include <string.h>

enum {
	LONG_NS = 1000000,     /* spans from here on are samples of their own */
	RATE_MOST = 20000,     /* short spans a second on a CPU; above, a part is taken */
	SPANS_MAX = 1024,      /* in a sample, which has 64 KiB */
	NO_EVENT = UINT32_MAX, /* exits and losses concern all */
};

enum pair_step { PAIR_BEGINS, PAIR_ENDS, PAIR_MAY_END, PAIR_THREAD_ENDS, PAIR_LOST };

struct pair_hit {
	u64 time, seq;
	u64 ip, sp;
	u32 pid, tid, cpu;
	u32 event; /* idx */
	enum pair_step step;
};

struct pair_place { /* of a counter */
	u64 id;
	u32 event;
	bool is_end, is_shared;
};

/* A thread, for one event. */
struct pair_thread {
	u32 pid, tid;
	u32 event;
	bool is_open;
	u64 begin, ip, sp; /* of the outermost call */
	u64 last_ip;       /* of the spans below */
	u32 last_cpu;
	ARRAY(struct span_time) spans; /* short ones of this round */
};

struct pair_event {
	const struct evsel *e; /* NULL: it has no spans */
	bool restarts;         /* as in struct span_spec */
	bool by_stack;         /* begins and ends belong together by the stack pointer */
	u64 id;                /* of its samples in the file */
	struct span_losses losses;
	u64 last_ip;
	u64 nr, lost;    /* of the whole recording: spans, and those that were not recorded */
	u64 first, last; /* ns: when the first one began, and the last one ended */
};

struct span_pairs {
	struct span_pairs_opts opts;
	struct hash_table by_id; /* of places */
	ARRAY(struct pair_place) places;
	ARRAY(struct pair_event) events; /* by idx */
	ARRAY(struct pair_hit) hits;
	struct hash_table by_thread;
	ARRAY(struct pair_thread) threads;
	u64 seq;
	u64 newest, horizon; /* as in off_cpu.c */
	u64 flushed;         /* horizon of the flush before */
	u64 nr_lost;         /* of samples of the places, as the kernel counts them */
	u64 lossy_until;     /* ns: some are missing before; it is not known when */
	u32 step;            /* one in so many short spans is taken */
	u64 nr_short;        /* of short spans, which chooses some of them at random */
};

/* ---- life ---- */

static void span_pairs__add_event(struct span_pairs *p, const struct evsel *e)
{
	struct pair_event event = { 0 };

	if (e->request->span) {
		event.e = e;
		event.restarts = e->request->span->restarts;
		event.by_stack = !e->request->span->end && span_hit__regs();
		event.id = e->ids.nr ? e->ids.v[0] : 0;
	}
	array__add(&p->events, event);
}

struct span_pairs *span_pairs__new(const struct span_pairs_opts *opts)
{
	struct span_pairs *p = xcalloc(1, sizeof(*p));

	p->opts = *opts;
	p->step = 1;
	for (size_t i = 0; i < opts->l->evsels.nr; i++)
		span_pairs__add_event(p, opts->l->evsels.v[i]);
	for (size_t i = 0; i < opts->counters->v.nr; i++) {
		const struct counter *n = &opts->counters->v.v[i];
		const struct span_spec *spec = opts->l->evsels.v[n->evsel]->request->span;

		if (!spec)
			continue;
		hash_table__insert(&p->by_id, hash__u64(n->id), (u32)p->places.nr);
		array__add(&p->places, ((struct pair_place){ n->id, n->evsel, spec->points.v[n->piece].is_end,
							     spec->points.v[n->piece].is_shared }));
	}
	return p;
}

void span_pairs__delete(struct span_pairs *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->threads.nr; i++)
		array__exit(&p->threads.v[i].spans);
	array__exit(&p->threads);
	array__exit(&p->places);
	array__exit(&p->events);
	array__exit(&p->hits);
	hash_table__exit(&p->by_id);
	hash_table__exit(&p->by_thread);
	span_cost__delete(p->opts.cost);
	free(p);
}

/* ---- records ---- */

static const struct pair_place *span_pairs__place(const struct span_pairs *p, u64 id)
{
	u32 i;

	hash_table__for_each (&p->by_id, hash__u64(id), i)
		if (p->places.v[i].id == id)
			return &p->places.v[i];
	return NULL;
}

static void span_pairs__add(struct span_pairs *p, struct pair_hit *hit)
{
	hit->seq = p->seq++;
	p->newest = MAX(p->newest, hit->time);
	array__add(&p->hits, *hit);
}

static bool span_pairs__take_sample(struct span_pairs *p, struct lazy_record *r)
{
	const struct evsel *e = lazy_record__evsel(r);
	const struct pair_place *place;
	struct span_hit hit;

	if (!e || !e->request || !e->request->span)
		return false;
	place = span_hit__read(&hit, r->header) ? span_pairs__place(p, hit.id) : NULL;
	if (place && p->opts.stacks)
		probed_stacks__see_probe(p->opts.stacks, hit.tid, hit.ip);
	if (place && p->opts.stacks && !place->is_end && hit.word)
		probed_stacks__add_return(p->opts.stacks, hit.tid, hit.sp, hit.word);
	if (place)
		span_pairs__add(p, &(struct pair_hit){ .time = hit.time,
						       .ip = hit.ip,
						       .sp = hit.sp,
						       .pid = hit.pid,
						       .tid = hit.tid,
						       .cpu = hit.cpu,
						       .event = place->event,
						       .step = !place->is_end     ? PAIR_BEGINS
							       : place->is_shared ? PAIR_MAY_END
										  : PAIR_ENDS });
	return true;
}

bool span_pairs__take(struct span_pairs *p, struct lazy_record *r)
{
	const struct sample_id *id;

	if (r->header->type == PERF_RECORD_SAMPLE)
		return span_pairs__take_sample(p, r);
	if (r->header->type == PERF_RECORD_MMAP || r->header->type == PERF_RECORD_MMAP2) {
		if (p->opts.stacks)
			probed_stacks__see_map(p->opts.stacks, r->header);
		return false;
	}
	id = lazy_record__id(r);
	if (id && p->opts.stacks && r->header->type == PERF_RECORD_EXIT)
		probed_stacks__end_thread(p->opts.stacks, id->tid);
	if (id)
		span_pairs__add(p, &(struct pair_hit){ .time = id->time,
						       .tid = id->tid,
						       .event = NO_EVENT,
						       .step = r->header->type == PERF_RECORD_LOST
								       ? PAIR_LOST
								       : PAIR_THREAD_ENDS });
	return false;
}

/* ---- samples ---- */

static void span_pairs__emit(struct span_pairs *p, const struct pair_thread *t, const struct span_time *spans,
			     u32 nr, u32 step, struct strbuf *out)
{
	struct pair_event *event = &p->events.v[t->event];
	const struct span_detail detail = { .step = step,
					    .cost = span_cost__ns(p->opts.cost),
					    .losses = event->losses };
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER };
	size_t start = out->len;
	u64 time = p->flushed, ns = 0;

	for (u32 i = 0; i < nr; i++) {
		time = i ? MAX(time, spans[i].end) : spans[i].end;
		ns += spans[i].end - spans[i].begin;
	}
	strbuf__add(out, &h, sizeof(h));
	strbuf__add_u64(out, event->id);
	strbuf__add_u64(out, t->last_ip);
	strbuf__add_u32(out, t->pid);
	strbuf__add_u32(out, t->tid);
	strbuf__add_u64(out, time);
	strbuf__add_u32(out, t->last_cpu);
	strbuf__add_u32(out, 0);
	strbuf__add_u64(out, ns * step);
	span_detail__encode(&detail, spans, nr, time, out);
	strbuf__add_u64(out, (u64)nr * step);
	h.size = (u16)(out->len - start);
	memcpy(out->buf + start, &h, sizeof(h));
	event->lost += detail.losses.unfinished + detail.losses.left + detail.losses.lost;
	event->losses = (struct span_losses){ 0 };
}

static void span_pairs__emit_short(struct span_pairs *p, struct pair_thread *t, struct strbuf *out)
{
	if (t->spans.nr)
		span_pairs__emit(p, t, t->spans.v, (u32)t->spans.nr, p->step, out);
	t->spans.nr = 0;
}

/* Say what is missing since the last sample of an event, in a sample without spans. */
static void span_pairs__emit_losses(struct span_pairs *p, struct strbuf *out)
{
	for (size_t i = 0; i < p->events.nr; i++) {
		const struct pair_event *event = &p->events.v[i];
		const struct span_losses *l = &event->losses;
		const struct pair_thread none = { .event = (u32)i, .last_ip = event->last_ip };

		if (l->unfinished || l->left || l->lost || l->strays)
			span_pairs__emit(p, &none, NULL, 0, 1, out);
	}
}

static void span_pairs__add_span(struct span_pairs *p, struct pair_thread *t, const struct pair_hit *end,
				 struct strbuf *out)
{
	const struct span_time span = { t->begin, end->time };
	struct pair_event *event = &p->events.v[t->event];

	event->first = event->nr++ ? event->first : t->begin;
	event->last = end->time;
	t->last_ip = event->last_ip = t->ip;
	t->last_cpu = end->cpu;
	if (span.end - span.begin >= LONG_NS) {
		span_pairs__emit(p, t, &span, 1, 1, out);
		return;
	}
	if (p->step > 1 && hash__u64(p->nr_short++) % p->step)
		return;
	array__add(&t->spans, span);
	if (t->spans.nr == SPANS_MAX)
		span_pairs__emit_short(p, t, out);
}

/* ---- pairs ---- */

static u64 thread_hash(u32 tid, u32 event)
{
	return hash__u64((u64)event << 32 | tid);
}

static struct pair_thread *span_pairs__find_thread(struct span_pairs *p, u32 tid, u32 event)
{
	u32 i;

	hash_table__for_each (&p->by_thread, thread_hash(tid, event), i)
		if (p->threads.v[i].tid == tid && p->threads.v[i].event == event)
			return &p->threads.v[i];
	return NULL;
}

static struct pair_thread *span_pairs__thread(struct span_pairs *p, const struct pair_hit *hit)
{
	struct pair_thread *t = span_pairs__find_thread(p, hit->tid, hit->event);

	if (t)
		return t;
	hash_table__insert(&p->by_thread, thread_hash(hit->tid, hit->event), (u32)p->threads.nr);
	array__add(&p->threads,
		   ((struct pair_thread){ .pid = hit->pid, .tid = hit->tid, .event = hit->event }));
	return &p->threads.v[p->threads.nr - 1];
}

static void pair_thread__begins(struct pair_thread *t, const struct pair_hit *hit, struct pair_event *event)
{
	if (t->is_open && event->by_stack && (hit->sp < t->sp || (hit->sp == t->sp && event->restarts)))
		return; /* a call inside of the span */
	event->losses.left += t->is_open;
	t->is_open = true;
	t->pid = hit->pid;
	t->begin = hit->time;
	t->ip = hit->ip;
	t->sp = hit->sp;
}

static void span_pairs__ends(struct span_pairs *p, struct pair_thread *t, const struct pair_hit *hit,
			     struct strbuf *out)
{
	struct pair_event *event = &p->events.v[t->event];

	if ((t->is_open && event->by_stack && hit->sp < t->sp) ||
	    (hit->step == PAIR_MAY_END && (!t->is_open || hit->sp != t->sp)))
		return;
	/*
	 * Behind a return instruction, the return address is not on the stack any more. Records that come
	 * more than a round late may be out of order.
	 */
	if (t->is_open && ((event->by_stack && hit->sp > t->sp + sizeof(u64)) || hit->time < t->begin)) {
		event->losses.left++;
		t->is_open = false;
	}
	if (!t->is_open) {
		event->losses.strays++;
		return;
	}
	t->is_open = false;
	span_pairs__add_span(p, t, hit, out);
}

static void span_pairs__thread_ends(struct span_pairs *p, u32 tid)
{
	for (size_t i = 0; i < p->events.nr; i++) {
		struct pair_thread *t = p->events.v[i].e ? span_pairs__find_thread(p, tid, (u32)i) : NULL;

		if (t && t->is_open)
			p->events.v[i].losses.unfinished++;
		if (t)
			t->is_open = false;
	}
}

/* Give up the spans that have not ended. is_lost: their ends may be among lost records. */
static void span_pairs__give_up(struct span_pairs *p, bool is_lost)
{
	for (size_t i = 0; i < p->threads.nr; i++) {
		struct pair_thread *t = &p->threads.v[i];
		struct span_losses *l = &p->events.v[t->event].losses;

		if (t->is_open && is_lost)
			l->lost++;
		else if (t->is_open)
			l->unfinished++;
		t->is_open = false;
	}
}

/* Count the lost samples of the places; UINT64_MAX: the kernel does not (before Linux 6.0). */
static u64 span_pairs__count_lost(const struct span_pairs *p)
{
	const struct counters *c = p->opts.counters;
	u64 lost = 0;

	for (size_t i = 0; i < c->v.nr; i++) {
		const struct counter *n = &c->v.v[i];
		struct counter_reading r;

		if (!p->events.v[n->evsel].e)
			continue;
		if (!(n->read_format & READ_FORMAT_LOST) ||
		    counter__read(n->fd, n->read_format, n->kernel_id, &r))
			return UINT64_MAX;
		lost += r.lost + n->lost;
	}
	return lost;
}

/* Are samples of the places among those that were lost before a time? */
static bool span_pairs__lacks_some(struct span_pairs *p, u64 time)
{
	u64 lost = time > p->lossy_until ? span_pairs__count_lost(p) : p->nr_lost;

	if (lost != p->nr_lost || lost == UINT64_MAX)
		p->lossy_until = MAX(p->newest, time);
	p->nr_lost = lost;
	return time <= p->lossy_until;
}

static void span_pairs__step(struct span_pairs *p, const struct pair_hit *hit, struct strbuf *out)
{
	const struct sample_id id = {
		.pid = hit->pid, .tid = hit->tid, .time = hit->time, .time_known = true
	};
	struct pair_thread *t;

	if (hit->step == PAIR_THREAD_ENDS) {
		span_pairs__thread_ends(p, hit->tid);
		return;
	}
	if (hit->step == PAIR_LOST) {
		if (span_pairs__lacks_some(p, hit->time))
			span_pairs__give_up(p, true);
		return;
	}
	if (p->opts.filter && !task_filter__has(p->opts.filter, &id))
		return;
	t = span_pairs__thread(p, hit);
	if (hit->step == PAIR_BEGINS)
		pair_thread__begins(t, hit, &p->events.v[hit->event]);
	else
		span_pairs__ends(p, t, hit, out);
}

/* ---- rounds ---- */

/* Choose which part of the short spans to take of the first nr hits, by the busiest CPU. */
static void span_pairs__choose_step(struct span_pairs *p, size_t nr)
{
	enum { CPUS = 1024, NS = 1000000000 };
	u32 ends[CPUS] = { 0 }, most = 0;
	u64 ns = nr ? p->hits.v[nr - 1].time - p->hits.v[0].time : 0;
	double rate;

	for (size_t i = 0; i < nr; i++)
		if (p->hits.v[i].step == PAIR_ENDS || p->hits.v[i].step == PAIR_MAY_END)
			most = MAX(most, ++ends[p->hits.v[i].cpu % CPUS]);
	/* a burst is no rate */
	rate = (double)most * NS / (double)MAX(ns, (u64)NS / 4);
	p->step = rate > RATE_MOST ? (u32)(rate / RATE_MOST) + 1 : 1;
}

static int compare_hits(const void *a, const void *b)
{
	const struct pair_hit *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Drop threads without an open span, from time to time. */
static void span_pairs__drop_threads(struct span_pairs *p)
{
	enum { THREADS_MOST = 4096 };
	size_t nr = 0;

	if (p->threads.nr < THREADS_MOST)
		return;
	hash_table__exit(&p->by_thread);
	p->by_thread = (struct hash_table)HASH_TABLE_INIT;
	for (size_t i = 0; i < p->threads.nr; i++) {
		struct pair_thread *t = &p->threads.v[i];

		if (!t->is_open) {
			array__exit(&t->spans);
			continue;
		}
		hash_table__insert(&p->by_thread, thread_hash(t->tid, t->event), (u32)nr);
		p->threads.v[nr++] = *t;
	}
	p->threads.nr = nr;
}

void span_pairs__flush(struct span_pairs *p, u64 newest, bool at_end, struct strbuf *out)
{
	u64 horizon = at_end ? UINT64_MAX : p->horizon;
	size_t nr = 0;

	if (p->hits.nr)
		qsort(p->hits.v, p->hits.nr, sizeof(*p->hits.v), compare_hits);
	while (nr < p->hits.nr && p->hits.v[nr].time <= horizon)
		nr++;
	span_pairs__choose_step(p, nr);
	for (size_t i = 0; i < nr; i++)
		span_pairs__step(p, &p->hits.v[i], out);
	p->flushed = nr ? p->hits.v[nr - 1].time : p->flushed;
	p->hits.nr -= nr;
	if (nr)
		memmove(p->hits.v, p->hits.v + nr, p->hits.nr * sizeof(*p->hits.v));
	for (size_t i = 0; i < p->threads.nr; i++)
		span_pairs__emit_short(p, &p->threads.v[i], out);
	if (at_end)
		span_pairs__give_up(p, false);
	span_pairs__emit_losses(p, out);
	span_pairs__drop_threads(p);
	p->newest = MAX(p->newest, newest);
	p->horizon = p->newest;
}

static void pair_event__tell(const struct pair_event *event, u32 cost, struct strbuf *text)
{
	const double worth = 0.05; /* of the time of a processor */
	double ns = (double)(event->last - event->first), share = ns ? (double)event->nr * cost / ns : 0;

	if (event->nr && share < worth)
		return;
	strbuf__addch(text, '\'');
	strbuf__add_masked(text, evsel__span_name(event->e));
	if (!event->nr)
		strbuf__addf(text, "': no span was recorded%s\n",
			     event->lost ? ": none ended while it was recorded" : "");
	else
		strbuf__addf(text,
			     "': %.0f spans a second took %.0f%% of a processor's time, %.1f us each: take a "
			     "function that is called less often\n",
			     (double)event->nr / ns * 1e9, 100 * share, cost / 1e3);
}

void span_pairs__tell(const struct span_pairs *p, struct strbuf *text)
{
	for (size_t i = 0; i < p->events.nr; i++)
		if (p->events.v[i].e)
			pair_event__tell(&p->events.v[i], span_cost__ns(p->opts.cost), text);
}
