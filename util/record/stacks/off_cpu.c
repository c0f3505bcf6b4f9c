#include "record/stacks/off_cpu.h"

#include "base/memory/hash.h"
#include "record/stacks/unwind_budget.h"
#include "record/stacks/wait_sums.h"
#include "unwind/unwind.h"

#include <string.h>

/* Steps in the life of a thread. */
enum off_cpu_step {
	STEP_SWITCHED_OUT,
	STEP_PREEMPTED, /* it was preempted and is runnable: not a wait */
	STEP_RUNS,
	STEP_EXITED, /* the next switch is the last one; the thread does not return */
};

struct off_cpu_event {
	u64 time; /* ns */
	u64 seq;
	u32 pid, tid;
	enum off_cpu_step step;
	bool takes_over; /* STEP_RUNS only: from another recorded thread */
	/* STEP_SWITCHED_OUT only: */
	struct wait_place place;
	struct perf_event_header *sample; /* or NULL; owned until a waiting thread takes it */
};

struct off_cpu_thread {
	u32 pid, tid;
	u64 since; /* 0: the thread runs, as far as is known */
	struct wait_place place;
	struct perf_event_header *sample; /* of the switch, or NULL */
	u64 exited;                       /* ns; 0: the thread has not exited */
};

struct off_cpu {
	const struct evsel *e, *kernel;
	unsigned ip_at, sp_at; /* words of the registers in a sample from the kernel */
	const struct sample_decoder *d;
	struct wait_sums *sums;
	struct switch_cost *meter;          /* NULL: none; owned */
	u64 switch_cost;                    /* ns that records of running again are too late */
	struct wait_place place;            /* of the sample that is being unwound */
	struct unwind_budget budget;        /* of chains of known places */
	ARRAY(struct off_cpu_event) events; /* of the current round */
	u64 seq;
	u64 newest;  /* newest time seen in any ring */
	u64 horizon; /* all rings have been read up to this time */
	struct hash_table by_tid;
	ARRAY(struct off_cpu_thread) threads;
	size_t nr_kept; /* of threads, when those that run or exited were last dropped */
};

struct off_cpu *off_cpu__new(const struct evsel *e, const struct evsel *kernel,
			     const struct sample_decoder *d, u64 threshold, struct switch_cost *meter)
{
	struct off_cpu *o = xcalloc(1, sizeof(*o));

	o->e = e;
	o->kernel = kernel;
	o->d = d;
	o->sums = wait_sums__new(e, d, threshold);
	o->meter = meter;
	if (kernel)
		unwind_arch__find_place(unwind_arch__own(), kernel->attr.sample_regs_user, &o->ip_at,
					&o->sp_at);
	return o;
}

void off_cpu__delete(struct off_cpu *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->events.nr; i++)
		free(o->events.v[i].sample);
	for (size_t i = 0; i < o->threads.nr; i++)
		free(o->threads.v[i].sample);
	array__exit(&o->events);
	array__exit(&o->threads);
	hash_table__exit(&o->by_tid);
	wait_sums__delete(o->sums);
	switch_cost__delete(o->meter);
	free(o);
}

u32 off_cpu__event(const struct off_cpu *o)
{
	return o->e->idx;
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

/* Find the place in a sample from the kernel. A kernel thread has no registers: take the kernel's ip. */
static void off_cpu__find_place(struct off_cpu *o, const struct lazy_record *r, u32 tid)
{
	const struct record rec = { .header = r->header };
	const u8 *data = (const u8 *)r->header;
	size_t regs = o->d->layouts[o->e->idx].callchain; /* the same as in the file up to there */
	struct sample s;
	u64 abi = 0;

	o->place = (struct wait_place){ .tid = tid };
	if (sample__decode_head(o->d, &rec, &s))
		return;
	o->place.ip = s.ip;
	regs += 8 * (1 + s.nr_callchain);
	if (regs + 8 * (2 + MAX(o->ip_at, o->sp_at)) > r->header->size)
		return;
	memcpy(&abi, data + regs, sizeof(abi));
	if (!abi)
		return;
	memcpy(&o->place.ip, data + regs + 8 * (1 + o->ip_at), sizeof(u64));
	memcpy(&o->place.sp, data + regs + 8 * (1 + o->sp_at), sizeof(u64));
}

bool off_cpu__take_known(struct off_cpu *o, struct lazy_record *r)
{
	const struct sample_id *id;
	struct off_cpu_event *e;

	if (lazy_record__evsel(r) != o->e)
		return false;
	id = lazy_record__id(r);
	if (!id)
		return true;
	off_cpu__find_place(o, r, id->tid);
	if (unwind_budget__take(&o->budget, id->time) || !wait_sums__knows(o->sums, &o->place))
		return false;
	e = off_cpu__add(o, id, STEP_SWITCHED_OUT);
	if (e)
		e->place = o->place;
	return true;
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
	bool is_next = before && before->step != STEP_RUNS && before->tid != id->tid &&
		       id->time - before->time < 2 * o->switch_cost;
	struct off_cpu_event *e = off_cpu__add(o, id, STEP_RUNS);

	if (e)
		e->takes_over = is_next;
}

bool off_cpu__take(struct off_cpu *o, struct lazy_record *r)
{
	const struct sample_id *id = lazy_record__id(r);
	const struct perf_event_header *h = r->header;
	struct off_cpu_event *e;

	if (h->type == PERF_RECORD_EXIT) {
		if (id)
			off_cpu__add(o, id, STEP_EXITED);
		return false;
	}
	if (!id)
		return h->type != PERF_RECORD_SAMPLE;
	/* --switch-events: the record of another event about the same switch */
	if (lazy_record__evsel(r) != o->e)
		return false;
	if (h->type == PERF_RECORD_SAMPLE) {
		e = off_cpu__add(o, id, STEP_SWITCHED_OUT);
		if (!e)
			return true;
		e->place = o->kernel ? o->place : (struct wait_place){ .tid = id->tid };
		e->sample = xmemdup(h, h->size);
	} else if (!(h->misc & PERF_RECORD_MISC_SWITCH_OUT)) {
		off_cpu__runs(o, id);
	} else {
		off_cpu__switch_out(o, id, h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	}
	return true;
}

static struct off_cpu_thread *off_cpu__thread(struct off_cpu *o, u32 tid)
{
	u32 i;

	hash_table__for_each (&o->by_tid, hash__u64(tid), i)
		if (o->threads.v[i].tid == tid)
			return &o->threads.v[i];
	hash_table__insert(&o->by_tid, hash__u64(tid), (u32)o->threads.nr);
	array__add(&o->threads, ((struct off_cpu_thread){ .tid = tid }));
	return &o->threads.v[o->threads.nr - 1];
}

static void off_cpu__end_wait(struct off_cpu *o, struct off_cpu_thread *t, u64 time, u64 cost,
			      struct strbuf *out)
{
	u64 ns = time > t->since ? time - t->since : 0;
	const struct wait w = {
		.place = t->place,
		.pid = t->pid,
		.end = time,
		.ns = ns - MIN(cost, ns / 2),
		.sample = t->sample,
	};

	wait_sums__add(o->sums, &w, out);
	t->sample = NULL;
	t->since = 0;
}

static void off_cpu_thread__runs(struct off_cpu_thread *t)
{
	free(t->sample);
	t->sample = NULL;
	t->since = 0;
}

static int compare_events(const void *a, const void *b)
{
	const struct off_cpu_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Process one step of a thread. Takes ownership of e->sample. */
static void off_cpu__step(struct off_cpu *o, const struct off_cpu_event *e, struct strbuf *out)
{
	struct off_cpu_thread *t = off_cpu__thread(o, e->tid);

	switch (e->step) {
	case STEP_RUNS:
		if (t->since)
			off_cpu__end_wait(o, t, e->time, e->takes_over ? 0 : o->switch_cost, out);
		t->exited = 0;
		return;
	case STEP_PREEMPTED:
		off_cpu_thread__runs(t);
		return;
	case STEP_EXITED:
		t->exited = e->time;
		return;
	case STEP_SWITCHED_OUT:
		off_cpu_thread__runs(t); /* if the record of that is lost */
		t->pid = e->pid;
		t->since = e->time;
		t->place = e->place;
		t->sample = e->sample;
		if (t->exited)
			off_cpu_thread__runs(t);
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

		if (!t->since && (!t->exited || t->exited + LAST_SWITCH_NS < o->horizon))
			continue;
		hash_table__insert(&o->by_tid, hash__u64(t->tid), (u32)nr);
		o->threads.v[nr++] = *t;
	}
	o->threads.nr = o->nr_kept = nr;
}

/*
 * Rings are read one after another, so an earlier record may still be in a ring that was read before the
 * record was written. Use records only up to the newest time of the previous round.
 */
void off_cpu__flush(struct off_cpu *o, struct strbuf *out)
{
	if (o->meter && o->events.nr)
		o->switch_cost = switch_cost__measure(o->meter);
	off_cpu__advance(o, o->horizon, out);
	off_cpu__drop_threads(o);
	wait_sums__flush(o->sums, o->horizon, false, out);
	unwind_budget__end_round(&o->budget);
	o->horizon = o->newest;
}

void off_cpu__finish(struct off_cpu *o, u64 time, struct strbuf *out)
{
	off_cpu__advance(o, UINT64_MAX, out);
	for (size_t i = 0; i < o->threads.nr; i++) {
		if (o->threads.v[i].since)
			off_cpu__end_wait(o, &o->threads.v[i], MAX(time, o->newest), 0, out);
	}
	wait_sums__flush(o->sums, MAX(time, o->newest), true, out);
}
