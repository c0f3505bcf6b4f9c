#include "record/stacks/off_cpu.h"

#include "base/memory/hash.h"

#include <string.h>

/* What can happen to a thread. */
enum off_cpu_step {
	STEP_SWITCHED_OUT, /* a sample of a switch, with its call chain */
	STEP_PREEMPTED,    /* it was preempted and is runnable: not a wait */
	STEP_RUNS,
	STEP_EXITED, /* the next switch is the last one; the thread does not return */
};

struct off_cpu_event {
	u64 time; /* ns */
	u64 seq;
	u32 tid;
	u8 step;
	/* STEP_SWITCHED_OUT only; owned until a waiting thread takes it */
	struct perf_event_header *sample;
};

struct off_cpu_thread {
	u32 tid;
	u64 since;
	struct perf_event_header *sample; /* NULL: the thread runs, as far as is known */
	bool exited;
};

struct off_cpu {
	const struct evsel *e;
	const struct sample_decoder *d;
	ARRAY(struct off_cpu_event) events; /* of the current round */
	u64 seq;
	u64 newest;  /* newest time seen in any ring */
	u64 horizon; /* all rings have been read up to this time */
	struct hash_table by_tid;
	ARRAY(struct off_cpu_thread) threads;
};

struct off_cpu *off_cpu__new(const struct evsel *e, const struct sample_decoder *d)
{
	struct off_cpu *o = xcalloc(1, sizeof(*o));

	o->e = e;
	o->d = d;
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
	free(o);
}

static void off_cpu__add(struct off_cpu *o, u64 time, u32 tid, enum off_cpu_step step,
			 struct perf_event_header *sample)
{
	if (!tid) { /* the idle thread never waits */
		free(sample);
		return;
	}
	array__add(&o->events,
		   ((struct off_cpu_event){
			   .time = time, .seq = o->seq++, .tid = tid, .step = (u8)step, .sample = sample }));
	o->newest = MAX(o->newest, time);
}

bool off_cpu__take(struct off_cpu *o, struct lazy_record *r)
{
	const struct sample_id *id = lazy_record__id(r);
	const struct perf_event_header *h = r->header;

	if (h->type == PERF_RECORD_EXIT) {
		if (id)
			off_cpu__add(o, id->time, id->tid, STEP_EXITED, NULL);
		return false;
	}
	if (!id)
		return h->type != PERF_RECORD_SAMPLE;
	/* --switch-events: the record of another event about the same switch */
	if (lazy_record__evsel(r) != o->e)
		return false;
	if (h->type == PERF_RECORD_SAMPLE)
		off_cpu__add(o, id->time, id->tid, STEP_SWITCHED_OUT, xmemdup(h, h->size));
	else if (!(h->misc & PERF_RECORD_MISC_SWITCH_OUT))
		off_cpu__add(o, id->time, id->tid, STEP_RUNS, NULL);
	else if (h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
		off_cpu__add(o, id->time, id->tid, STEP_PREEMPTED, NULL);
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

/* Write the sample at the end of the wait: set its time to the end, and its period to the duration. */
static void off_cpu__emit(struct off_cpu *o, struct off_cpu_thread *t, u64 time, struct strbuf *out)
{
	const struct sample_layout *layout = &o->d->layouts[o->e->idx];
	u64 waited = time > t->since ? time - t->since : 0;
	u8 *bytes = (u8 *)t->sample;

	if (layout->time != SAMPLE_NO_FIELD)
		memcpy(bytes + layout->time, &time, sizeof(time));
	if (layout->period != SAMPLE_NO_FIELD)
		memcpy(bytes + layout->period, &waited, sizeof(waited));
	if (waited)
		strbuf__add(out, bytes, t->sample->size);
	free(t->sample);
	t->sample = NULL;
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
		if (t->sample)
			off_cpu__emit(o, t, e->time, out);
		t->exited = false;
		return;
	case STEP_EXITED:
		t->exited = true;
		return;
	}
	free(t->sample);
	t->sample = e->sample; /* NULL after a preemption */
	t->since = e->time;
	if (!t->exited)
		return;
	free(t->sample);
	t->sample = NULL;
}

static void off_cpu__advance(struct off_cpu *o, u64 horizon, struct strbuf *out)
{
	size_t i = 0;

	if (o->events.nr)
		qsort(o->events.v, o->events.nr, sizeof(*o->events.v), compare_events);
	for (; i < o->events.nr && o->events.v[i].time <= horizon; i++)
		off_cpu__step(o, &o->events.v[i], out);
	o->events.nr -= i;
	if (i && o->events.nr)
		memmove(o->events.v, o->events.v + i, o->events.nr * sizeof(*o->events.v));
}

/*
 * Rings are read one after another, so an earlier record may still be in a ring that was read before the
 * record was written. Use records only up to the newest time of the previous round.
 */
void off_cpu__flush(struct off_cpu *o, struct strbuf *out)
{
	off_cpu__advance(o, o->horizon, out);
	o->horizon = o->newest;
}

void off_cpu__finish(struct off_cpu *o, u64 time, struct strbuf *out)
{
	off_cpu__advance(o, UINT64_MAX, out);
	for (size_t i = 0; i < o->threads.nr; i++) {
		if (o->threads.v[i].sample)
			off_cpu__emit(o, &o->threads.v[i], MAX(time, o->newest), out);
	}
}
