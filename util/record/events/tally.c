#include "record/events/tally.h"

#include "base/system/file.h"
#include "event/evsel/event_request.h"

#include <string.h>

enum { USUAL_MAX_FRAMES = 127 };

void tally__init(struct tally *t, const struct sample_decoder *d)
{
	*t = (struct tally){ .decoder = d };
	if (file__read_u64("/proc/sys/kernel/perf_event_max_stack", &t->max_frames))
		t->max_frames = USUAL_MAX_FRAMES;
	array__reserve(&t->events, d->evlist->evsels.nr);
	t->events.nr = d->evlist->evsels.nr;
	tally__reset(t);
}

void tally__exit(struct tally *t)
{
	array__exit(&t->events);
}

void tally__reset(struct tally *t)
{
	if (t->events.nr)
		memset(t->events.v, 0, t->events.nr * sizeof(*t->events.v));
	t->records = t->samples = t->first_time = t->last_time = t->worst_gap = t->nr_gaps = 0;
}

static bool is_full_chain(const struct tally *t, const struct evsel *e, const struct record *r)
{
	u64 max = e->attr.sample_max_stack ? e->attr.sample_max_stack : t->max_frames, nr = 0, entries;
	u16 at = t->decoder->layouts[e->idx].callchain;
	struct sample s;

	if (at != SAMPLE_NO_FIELD && r->header->size >= at + sizeof(entries)) {
		memcpy(&entries, (const u8 *)r->header + at, sizeof(entries));
		if (entries < max)
			return false;
	}
	if (sample__decode_head(t->decoder, r, &s))
		return false;
	for (u64 i = 0; i < s.nr_callchain; i++)
		nr += s.callchain[i] < PERF_CONTEXT_MAX;
	return nr >= max;
}

static bool is_full(const struct tally *t, const struct evsel *e, const struct record *r)
{
	const u64 type = e->attr.sample_type;

	return (type & PERF_SAMPLE_CALLCHAIN) && !(type & PERF_SAMPLE_STACK_USER) && is_full_chain(t, e, r);
}

void tally__see_sample(struct tally *t, struct lazy_record *r)
{
	const struct sample_id *id = lazy_record__id(r);
	const struct evsel *e = lazy_record__evsel(r);

	t->samples++;
	t->saw_kernel |= (r->header->misc & MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	if (id && id->time_known) {
		if (!t->first_time || id->time < t->first_time)
			t->first_time = id->time;
		t->last_time = MAX(t->last_time, id->time);
	}
	if (!e)
		return;
	t->events.v[e->idx].samples++;
	t->events.v[e->idx].full += is_full(t, e, &(struct record){ .header = r->header });
}

void tally__see_everywhere(struct tally *t, struct lazy_record *r)
{
	const struct evsel *e = lazy_record__evsel(r);

	if (e && event_request__is_everywhere(e->request))
		t->events.v[e->idx].seen++;
}

/* Return the tally for a counter id in a LOST or THROTTLE record. Unknown ids count for the first event. */
static struct event_tally *tally__of(struct tally *t, u64 id)
{
	const struct evsel *e = evlist__by_id(t->decoder->evlist, id);

	return &t->events.v[e ? e->idx : 0];
}

void tally__see_loss(struct tally *t, const struct perf_event_header *h)
{
	const u64 *words = (const u64 *)(const void *)(h + 1);
	size_t nr = (h->size - sizeof(*h)) / sizeof(*words);

	if (h->type == PERF_RECORD_LOST && nr >= 2) { /* id, lost */
		tally__of(t, words[0])->lost += words[1];
		t->worst_gap = MAX(t->worst_gap, words[1]);
		t->nr_gaps++;
	} else if (h->type == PERF_RECORD_THROTTLE && nr >= 2) { /* time, id, stream_id */
		tally__of(t, words[1])->throttled++;
	}
}

void tally__add(struct tally *t, const struct tally *other)
{
	t->records += other->records;
	t->samples += other->samples;
	t->saw_kernel |= other->saw_kernel;
	if (other->first_time && (!t->first_time || other->first_time < t->first_time))
		t->first_time = other->first_time;
	t->last_time = MAX(t->last_time, other->last_time);
	t->nr_gaps += other->nr_gaps;
	t->worst_gap = MAX(t->worst_gap, other->worst_gap);
	for (size_t i = 0; i < MIN(t->events.nr, other->events.nr); i++) {
		struct event_tally *e = &t->events.v[i];
		const struct event_tally *o = &other->events.v[i];

		e->samples += o->samples;
		e->seen += o->seen;
		e->lost += o->lost;
		e->throttled += o->throttled;
		e->full += o->full;
	}
}
