#include "record/stacks/off_cpu.h"

#include "base/memory/hash.h"
#include "event/evsel/event_request.h"
#include "record/stacks/unwind_budget.h"
#include "record/stacks/wait_sums.h"

#include <linux/futex.h>
#include <string.h>

/* Steps in the life of a thread. */
enum off_cpu_step {
	STEP_CREATED, /* by another thread; it has not run yet */
	STEP_SWITCHED_OUT,
	STEP_PREEMPTED, /* it was preempted and is runnable: not a wait */
	STEP_WOKEN,
	STEP_RUNS,
	STEP_EXITED, /* the next switch is the last one; the thread does not return */
};

/* What a sample says of the place where a thread waits, or wakes another. */
struct switched {
	struct wait_place place;
	struct futex_call call; /* that it waits in */
};

struct off_cpu_event {
	u64 time; /* ns */
	u64 seq;
	u32 pid, tid;
	enum off_cpu_step step;
	bool takes_over; /* STEP_RUNS only: from another recorded thread */
	/* of the switch or the waking, or NULL; owned until a waiting thread takes it */
	struct perf_event_header *sample;
	union {
		struct switched switched; /* STEP_SWITCHED_OUT */
		struct waking waking;     /* STEP_WOKEN */
	};
};

struct off_cpu_thread {
	u32 pid, tid;
	u64 since; /* 0: the thread runs, as far as is known */
	bool is_preempted;
	bool is_new; /* it has not run yet */
	struct switched switched;
	struct perf_event_header *sample; /* of the switch, or NULL */
	u64 exited;                       /* ns; 0: the thread has not exited */
	struct waking waking;             /* the last one */
	struct perf_event_header *waking_sample;
};

struct off_cpu {
	struct off_cpu_opts opts;
	struct sample_decoder kernel; /* of samples as the kernel writes them; empty without opts.kernel */
	struct wait_sums *sums, *ended, *ready; /* the last two may be NULL */
	u64 switch_cost;                        /* ns that records of running again are too late */
	struct switched switched;               /* of the sample that is being unwound */
	struct waking waking;
	struct unwind_budget budget;        /* of chains of known places */
	struct unwind_budget wakings;       /* the same for wakings */
	ARRAY(struct off_cpu_event) events; /* of the current round */
	u64 seq;
	u64 newest;            /* newest time seen in any ring */
	u64 horizon;           /* all rings have been read up to this time */
	u32 nr_first;          /* chains of wakers in the first round that may be of other programs */
	bool leaves_chain_out; /* the last sample */
	struct hash_table by_tid;
	ARRAY(struct off_cpu_thread) threads;
	struct waker_names names;
	size_t nr_kept; /* of threads, when those that run or exited were last dropped */
};

struct off_cpu *off_cpu__new(const struct off_cpu_opts *opts)
{
	struct off_cpu *o = xcalloc(1, sizeof(*o));

	o->opts = *opts;
	o->names.id_size = opts->id_size;
	o->names.event = opts->ended;
	o->sums = wait_sums__new(opts->waits, opts->d, opts->threshold);
	if (opts->ended)
		o->ended = wait_sums__new(opts->ended, opts->d, UINT64_MAX);
	if (opts->ready)
		o->ready = wait_sums__new(opts->ready, opts->d, UINT64_MAX);
	if (opts->kernel)
		sample_decoder__init(&o->kernel, opts->kernel);
	return o;
}

void off_cpu__delete(struct off_cpu *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->events.nr; i++)
		free(o->events.v[i].sample);
	for (size_t i = 0; i < o->threads.nr; i++) {
		free(o->threads.v[i].sample);
		free(o->threads.v[i].waking_sample);
	}
	array__exit(&o->events);
	array__exit(&o->threads);
	hash_table__exit(&o->by_tid);
	waker_names__exit(&o->names);
	wait_sums__delete(o->sums);
	wait_sums__delete(o->ended);
	wait_sums__delete(o->ready);
	switch_cost__delete(o->opts.meter);
	if (o->opts.kernel)
		sample_decoder__exit(&o->kernel);
	free(o);
}

void off_cpu__take_borrowed(struct off_cpu *o, struct losses *l)
{
	struct borrowed_waits b = wait_sums__take_borrowed(o->sums);
	u32 event = o->opts.waits->idx;

	if (event >= l->events.nr)
		return;
	l->events.v[event].waited = b.all_ns;
	l->events.v[event].borrowed = b.ns;
}

void off_cpu__begin_file(struct off_cpu *o)
{
	waker_names__begin_file(&o->names);
}

bool off_cpu__samples(const struct off_cpu *o, u32 event)
{
	return event == o->opts.waits->idx || (o->opts.ended && event == o->opts.ended->idx);
}

/* Add an event to the round, unless it is of the idle thread, which never waits: return NULL. */
static struct off_cpu_event *off_cpu__add(struct off_cpu *o, const struct sample_id *id,
					  enum off_cpu_step step)
{
	struct off_cpu_event *e;

	if (!id->tid)
		return NULL;
	e = array__push(&o->events);
	*e = (struct off_cpu_event){
		.time = id->time, .seq = o->seq++, .pid = id->pid, .tid = id->tid, .step = step
	};
	o->newest = MAX(o->newest, id->time);
	return e;
}

/* Find the place in a sample of a switch. A kernel thread has no registers: take the kernel's ip. */
static void off_cpu__look_at_switch(struct off_cpu *o, const struct sample *s)
{
	o->switched = (struct switched){ .place = { .tid = s->tid }, .call.op = NO_FUTEX };
	if (!sample__find_place(s, &o->switched.place))
		o->switched.place.ip = o->opts.kernel ? s->ip : 0;
	else if (o->opts.waits->request->has_wait_details)
		sample__find_futex(s, &o->switched.call);
}

/*
 * Look at a sample as the kernel wrote it, of a switch or a waking. Return false if it is too short to be of
 * use.
 */
static bool off_cpu__look(struct off_cpu *o, const struct lazy_record *r, const struct evsel *e)
{
	const struct record rec = { .header = r->header };
	struct sample s;

	if (sample__decode(o->opts.kernel ? &o->kernel : o->opts.d, &rec, &s)) {
		o->switched = (struct switched){ .call.op = NO_FUTEX };
		return false;
	}
	if (e == o->opts.ended)
		return waking__read(&o->waking, &o->opts.fields, &s);
	off_cpu__look_at_switch(o, &s);
	return true;
}

static struct off_cpu_thread *off_cpu__find_thread(struct off_cpu *o, u32 tid)
{
	u32 i;

	hash_table__for_each (&o->by_tid, hash__u64(tid), i)
		if (o->threads.v[i].tid == tid)
			return &o->threads.v[i];
	return NULL;
}

/* Add the waking that was looked at. */
static struct off_cpu_event *off_cpu__add_waking(struct off_cpu *o)
{
	const struct sample_id id = { .tid = o->waking.woken, .time = o->waking.time };
	struct off_cpu_event *e = off_cpu__add(o, &id, STEP_WOKEN);

	if (e)
		e->waking = o->waking;
	return e;
}

static struct off_cpu_thread *off_cpu__thread(struct off_cpu *o, u32 tid)
{
	struct off_cpu_thread *t = off_cpu__find_thread(o, tid);

	if (t)
		return t;
	hash_table__insert(&o->by_tid, hash__u64(tid), (u32)o->threads.nr);
	array__add(&o->threads, ((struct off_cpu_thread){ .tid = tid }));
	return &o->threads.v[o->threads.nr - 1];
}

/* Is the thread that wakes another worth a chain? Most wakings may be of other programs. */
static bool off_cpu__wants_waker(struct off_cpu *o)
{
	/* in the first round, threads are not known that a ring that is read later shows: take some of all */
	enum { FIRST_MOST = 2000 };
	bool is_by_ours = off_cpu__find_thread(o, o->waking.tid),
	     is_ours = is_by_ours || off_cpu__find_thread(o, o->waking.woken);

	if (!is_ours && (o->horizon || o->nr_first == FIRST_MOST))
		return false;
	o->nr_first += !is_ours;
	o->leaves_chain_out =
		!is_ours || !o->waking.tid || (o->waking.flags & WOKEN_BY_SOFTIRQ && !is_by_ours);
	return unwind_budget__take(&o->wakings, o->waking.time) ||
	       !wait_sums__knows(o->ended, &o->waking.place);
}

bool off_cpu__take_known(struct off_cpu *o, struct lazy_record *r)
{
	const struct evsel *evsel = lazy_record__evsel(r);
	const struct sample_id *id;
	struct off_cpu_event *e;

	o->leaves_chain_out = false;
	if (!evsel || !off_cpu__samples(o, evsel->idx))
		return false;
	id = lazy_record__id(r);
	if (!id)
		return true;
	if (!off_cpu__look(o, r, evsel) && evsel == o->opts.ended)
		return true;
	if (evsel == o->opts.ended) {
		if (off_cpu__wants_waker(o))
			return false;
		off_cpu__add_waking(o);
		return true;
	}
	if (id->tid)
		off_cpu__thread(o, id->tid); /* from now on it is a recorded one */
	if (unwind_budget__take(&o->budget, id->time) || !wait_sums__knows(o->sums, &o->switched.place))
		return false;
	e = off_cpu__add(o, id, STEP_SWITCHED_OUT);
	if (e)
		e->switched = o->switched;
	return true;
}

bool off_cpu__leaves_chain_out(const struct off_cpu *o)
{
	return o->leaves_chain_out;
}

/*
 * The record of a switch follows the sample of it, which took time: a wait begins with the record. A
 * preemption replaces the sample.
 */
static void off_cpu__switch_out(struct off_cpu *o, const struct sample_id *id, bool is_preempted)
{
	struct off_cpu_event *e = o->events.nr ? &o->events.v[o->events.nr - 1] : NULL;

	if (e && (e->tid != id->tid || e->step != STEP_SWITCHED_OUT))
		e = NULL;
	if (e) {
		e->time = id->time;
		o->newest = MAX(o->newest, id->time);
	}
	if (!is_preempted)
		return;
	if (!e) {
		off_cpu__add(o, id, STEP_PREEMPTED);
		return;
	}
	free(e->sample);
	e->sample = NULL;
	e->step = STEP_PREEMPTED;
}

/*
 * A thread that takes over from another recorded one takes over its counters, too: such a record is not late.
 * Both records of such a switch are next to each other in a ring.
 */
static void off_cpu__runs(struct off_cpu *o, const struct sample_id *id)
{
	const struct off_cpu_event *before = o->events.nr ? &o->events.v[o->events.nr - 1] : NULL;
	bool is_next = before && before->step != STEP_RUNS && before->step != STEP_CREATED &&
		       before->tid != id->tid && id->time - before->time < 2 * o->switch_cost;
	struct off_cpu_event *e = off_cpu__add(o, id, STEP_RUNS);

	if (e)
		e->takes_over = is_next;
}

/* Keep a sample of a switch or a waking. */
static void off_cpu__keep_sample(struct off_cpu *o, const struct lazy_record *r, const struct evsel *evsel,
				 const struct sample_id *id)
{
	struct off_cpu_event *e;

	/* before it was unwound, the sample was looked at by off_cpu__take_known */
	if (!o->opts.kernel && !off_cpu__look(o, r, evsel) && evsel == o->opts.ended)
		return;
	e = evsel == o->opts.ended ? off_cpu__add_waking(o) : off_cpu__add(o, id, STEP_SWITCHED_OUT);
	if (!e)
		return;
	if (evsel != o->opts.ended)
		e->switched = o->switched;
	e->sample = xmemdup(r->header, r->header->size);
}

/* A new thread is ready at once. Without inheritance it is not recorded. */
static void off_cpu__create(struct off_cpu *o, const struct perf_event_header *h)
{
	const struct record r = { .header = h };
	struct task_record t;

	if (o->ready && o->opts.waits->attr.inherit && record__task(&r, &t) && t.time)
		off_cpu__add(o, &(struct sample_id){ .pid = t.pid, .tid = t.tid, .time = t.time },
			     STEP_CREATED);
}

bool off_cpu__take(struct off_cpu *o, struct lazy_record *r)
{
	const struct sample_id *id = lazy_record__id(r);
	const struct perf_event_header *h = r->header;
	const struct evsel *evsel;

	if (h->type == PERF_RECORD_FORK) {
		off_cpu__create(o, h);
		return false;
	}
	if (h->type == PERF_RECORD_EXIT) {
		if (id)
			off_cpu__add(o, id, STEP_EXITED);
		return false;
	}
	if (!id)
		return h->type != PERF_RECORD_SAMPLE;
	/* --switch-events: the record of another event about the same switch */
	evsel = lazy_record__evsel(r);
	if (!evsel || !off_cpu__samples(o, evsel->idx))
		return false;
	if (h->type == PERF_RECORD_SAMPLE) {
		off_cpu__keep_sample(o, r, evsel, id);
	} else if (!(h->misc & PERF_RECORD_MISC_SWITCH_OUT)) {
		off_cpu__runs(o, id);
	} else {
		off_cpu__switch_out(o, id, h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	}
	return true;
}

static void off_cpu_thread__runs(struct off_cpu_thread *t)
{
	free(t->sample);
	free(t->waking_sample);
	t->sample = t->waking_sample = NULL;
	t->since = 0;
	t->is_preempted = t->is_new = false;
	t->waking = (struct waking){ 0 };
}

/* Note that a thread was ready to run, and did not, from then to a time. span: write it, too. */
static void off_cpu__add_ready(struct off_cpu *o, const struct off_cpu_thread *t, u64 from, u64 time,
			       bool span, struct strbuf *out)
{
	const struct wait w = {
		.place = { .tid = t->tid },
		.pid = t->pid,
		.end = time,
		.ns = time > from ? time - from : 0,
		.span = { .begin = from, .woken = from, .end = span ? time : 0 },
	};

	if (o->ready && w.ns)
		wait_sums__add(o->ready, &w, out);
}

/* Did this waking come of a system call for the futex that the thread waits for? */
static bool wakes_futex(const struct waking *w, const struct off_cpu_thread *t)
{
	enum { PAGE_OFFSET = 0xfff };

	/* the kernel wakes who waits for a word with the tid of a thread that ends: off_cpu__add_exit */
	if (t->switched.call.futex && !(t->switched.call.op & FUTEX_PRIVATE_FLAG) &&
	    w->tid == t->switched.call.value && w->pid == t->pid)
		return true;
	if (!w->futex || !t->switched.call.futex)
		return false;
	/* other processes may have the memory at other addresses */
	return w->futex == t->switched.call.futex ||
	       (w->pid != t->pid && !((w->futex ^ t->switched.call.futex) & PAGE_OFFSET));
}

/* Say who ended a wait, and add it to what the others lost by that thread. */
static void off_cpu__add_waking_of(struct off_cpu *o, struct off_cpu_thread *t, struct wait *w,
				   struct strbuf *out)
{
	struct waking *by = &t->waking;
	struct wait lost = { .end = w->end, .ns = w->ns };
	u64 woken = MAX(by->time, w->span.begin);
	bool is_ours = off_cpu__find_thread(o, by->tid);

	/* what a soft interrupt does for a recorded thread may be what that thread asked for */
	if (by->flags & WOKEN_BY_HARDIRQ || (by->flags & WOKEN_BY_SOFTIRQ && !is_ours)) {
		waking__be_of_interrupt(by);
		if (t->waking_sample)
			waking__cut_thread(t->waking_sample, o->opts.d);
	}
	lost.place = by->place;
	lost.pid = by->pid;
	w->span.woken = MIN(woken, w->span.end);
	w->cause.flags = by->flags | (wakes_futex(by, t) ? WOKEN_BY_FUTEX : 0);
	w->cause.pid = by->pid;
	w->cause.tid = by->tid;
	w->cause.waking_place = wait_place__id(&by->place);
	lost.cause = w->cause;
	lost.cause.pid = t->pid;
	lost.cause.tid = t->tid;
	lost.sample = t->waking_sample;
	t->waking_sample = NULL;
	if (o->names.id_size && by->tid && !is_ours)
		waker_names__add(&o->names, by->pid, by->tid, w->end, out);
	wait_sums__add(o->ended, &lost, out);
	off_cpu__add_ready(o, t, w->span.woken, w->span.end, false, out);
}

/*
 * No waking was seen. A thread that ends sets the word with its tid to 0 and wakes who waits for that (man 2
 * set_tid_address), as pthread_join does; since Linux 6.16 its events have ended before.
 */
static void off_cpu__add_exit(struct off_cpu *o, const struct off_cpu_thread *t, struct wait *w)
{
	const struct off_cpu_thread *ended = off_cpu__find_thread(o, t->switched.call.value);

	if (!t->switched.call.futex || t->switched.call.op & FUTEX_PRIVATE_FLAG || !ended ||
	    ended->exited < w->span.begin || ended->exited > w->span.end)
		return;
	w->span.woken = ended->exited;
	w->cause.flags = WOKEN_BY_THREAD | WOKEN_BY_FUTEX;
	w->cause.pid = t->pid;
	w->cause.tid = ended->tid;
}

static void off_cpu__end_wait(struct off_cpu *o, struct off_cpu_thread *t, u64 time, u64 cost,
			      struct strbuf *out)
{
	u64 ns = time > t->since ? time - t->since : 0;
	/* the cost is an average, but nothing runs before it is woken */
	u64 asleep = t->waking.time > t->since ? MIN(t->waking.time - t->since, ns) : 0;
	struct wait w = {
		.place = t->switched.place,
		.pid = t->pid,
		.end = time,
		.ns = MAX(ns - MIN(cost, ns / 2), asleep),
		.sample = t->sample,
	};

	if (o->opts.waits->request->has_wait_details) {
		w.span.begin = t->since;
		w.span.woken = w.span.end = t->since + w.ns;
		w.cause.futex = t->switched.call.futex;
		w.cause.futex_op = t->switched.call.op;
		if (t->waking.time)
			off_cpu__add_waking_of(o, t, &w, out);
		else
			off_cpu__add_exit(o, t, &w);
	}
	wait_sums__add(o->sums, &w, out);
	t->sample = NULL;
	off_cpu_thread__runs(t);
}

static int compare_events(const void *a, const void *b)
{
	const struct off_cpu_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/*
 * A thread that is about to wait may be woken before the record of its switch. Of the same waking there may
 * be two samples: the first has it all.
 */
static void off_cpu_thread__woken(struct off_cpu_thread *t, const struct off_cpu_event *e)
{
	if (t->since && t->waking.time >= t->since) {
		free(e->sample);
		return;
	}
	free(t->waking_sample);
	t->waking_sample = e->sample;
	t->waking = e->waking;
}

static void off_cpu_thread__leaves(struct off_cpu_thread *t, const struct off_cpu_event *e)
{
	enum { EARLY_NS = 20000 }; /* from a waking to the record of the switch that it comes before */
	bool is_woken = e->step == STEP_SWITCHED_OUT && t->waking.time + EARLY_NS > e->time;
	const struct waking waking = t->waking;
	struct perf_event_header *sample = t->waking_sample;

	if (is_woken)
		t->waking_sample = NULL;
	off_cpu_thread__runs(t); /* if the record of that is lost */
	if (is_woken) {
		t->waking = waking;
		t->waking_sample = sample;
	}
	t->pid = e->pid;
	t->since = e->time;
	t->is_preempted = e->step == STEP_PREEMPTED;
	t->switched = e->switched;
	t->sample = e->sample;
	if (t->exited)
		off_cpu_thread__runs(t);
}

/* A thread begins, maybe with the tid of one that has ended. */
static void off_cpu_thread__begins(struct off_cpu_thread *t, const struct off_cpu_event *e)
{
	off_cpu_thread__runs(t);
	t->pid = e->pid;
	t->exited = 0;
	t->since = e->time;
	t->is_new = true;
}

/* Process one step of a thread. Takes ownership of e->sample. */
static void off_cpu__step(struct off_cpu *o, const struct off_cpu_event *e, struct strbuf *out)
{
	/* other programs wake threads that are not recorded */
	struct off_cpu_thread *t =
		e->step == STEP_WOKEN ? off_cpu__find_thread(o, e->tid) : off_cpu__thread(o, e->tid);

	switch (e->step) {
	case STEP_CREATED:
		off_cpu_thread__begins(t, e);
		return;
	case STEP_RUNS:
		if (t->is_preempted || t->is_new)
			off_cpu__add_ready(o, t, t->since, e->time, true, out);
		else if (t->since)
			off_cpu__end_wait(o, t, e->time, e->takes_over ? 0 : o->switch_cost, out);
		off_cpu_thread__runs(t);
		t->exited = 0;
		return;
	case STEP_EXITED:
		if (t->is_new) /* the record that it runs is lost */
			off_cpu_thread__runs(t);
		t->exited = e->time;
		return;
	case STEP_WOKEN:
		if (t)
			off_cpu_thread__woken(t, e);
		else
			free(e->sample);
		return;
	case STEP_PREEMPTED:
	case STEP_SWITCHED_OUT:
		off_cpu_thread__leaves(t, e);
		return;
	}
}

static void off_cpu__advance(struct off_cpu *o, u64 horizon, struct strbuf *out)
{
	size_t i = 0;

	if (o->events.nr)
		qsort(o->events.v, o->events.nr, sizeof(*o->events.v), compare_events);
	for (; i < o->events.nr && o->events.v[i].time <= horizon; i++)
		off_cpu__step(o, &o->events.v[i], out);
	o->events.nr -= i;
	if (i)
		memmove(o->events.v, o->events.v + i, o->events.nr * sizeof(*o->events.v));
}

/*
 * Drop threads that need no entry: those that run, and those that exited, whose last switch follows at once.
 * Not in each round: when there are twice as many as were left the last time.
 */
static void off_cpu__drop_threads(struct off_cpu *o)
{
	enum { LAST_SWITCH_NS = 1000000000, THREADS_LEAST = 1024 };
	size_t nr = 0;

	if (o->threads.nr < THREADS_LEAST || o->threads.nr / 2 < o->nr_kept)
		return;
	hash_table__exit(&o->by_tid);
	o->by_tid = (struct hash_table)HASH_TABLE_INIT;
	for (size_t i = 0; i < o->threads.nr; i++) {
		const struct off_cpu_thread *t = &o->threads.v[i];

		if (!t->since && !t->waking_sample && (!t->exited || t->exited + LAST_SWITCH_NS < o->horizon))
			continue;
		hash_table__insert(&o->by_tid, hash__u64(t->tid), (u32)nr);
		o->threads.v[nr++] = *t;
	}
	o->threads.nr = o->nr_kept = nr;
}

static void off_cpu__flush_sums(struct off_cpu *o, u64 time, bool at_end, struct strbuf *out)
{
	wait_sums__flush(o->sums, time, at_end, out);
	if (o->ended)
		wait_sums__flush(o->ended, time, at_end, out);
	if (o->ready)
		wait_sums__flush(o->ready, time, at_end, out);
}

/*
 * Rings are read one after another, so an earlier record may still be in a ring that was read before the
 * record was written. Use records only up to the newest time of the previous round: that of all records, as
 * samples that a later round adds must not be older (see FINISHED_ROUND).
 */
void off_cpu__flush(struct off_cpu *o, u64 newest, struct strbuf *out)
{
	if (o->opts.meter && o->events.nr)
		o->switch_cost = switch_cost__measure(o->opts.meter);
	off_cpu__advance(o, o->horizon, out);
	off_cpu__drop_threads(o);
	off_cpu__flush_sums(o, o->horizon, false, out);
	unwind_budget__end_round(&o->budget);
	unwind_budget__end_round(&o->wakings);
	o->newest = MAX(o->newest, newest);
	o->horizon = o->newest;
}

void off_cpu__finish(struct off_cpu *o, u64 time, struct strbuf *out)
{
	off_cpu__advance(o, UINT64_MAX, out);
	for (size_t i = 0; i < o->threads.nr; i++) {
		struct off_cpu_thread *t = &o->threads.v[i];

		if (t->is_new)
			continue; /* it may be ready, or not recorded */
		if (t->is_preempted)
			off_cpu__add_ready(o, t, t->since, MAX(time, o->newest), true, out);
		else if (t->since)
			off_cpu__end_wait(o, t, MAX(time, o->newest), 0, out);
	}
	off_cpu__flush_sums(o, MAX(time, o->newest), true, out);
}
