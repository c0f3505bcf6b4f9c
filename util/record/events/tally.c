#include "record/events/tally.h"

#include "base/system/file.h"

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
	t->records = t->worst_gap = t->nr_gaps = 0;
}

static u64 word_at(const struct record *r, size_t offset)
{
	u64 word;

	if (r->header->size < offset + sizeof(word))
		return 0;
	memcpy(&word, (const u8 *)r->header + offset, sizeof(word));
	return word;
}

static bool is_full_chain(const struct tally *t, const struct evsel *e, const struct record *r)
{
	u64 max = e->attr.sample_max_stack ? e->attr.sample_max_stack : t->max_frames, nr = 0;
	const struct sample_layout *l = &t->decoder->layouts[e->idx];
	struct sample s;

	if (l->callchain != SAMPLE_NO_FIELD && word_at(r, l->callchain) < max)
		return false;
	if (sample__decode_head(t->decoder, r, &s))
		return false;
	for (u64 i = 0; i < s.nr_callchain; i++)
		nr += s.callchain[i] < PERF_CONTEXT_MAX;
	return nr >= max;
}

static bool is_full(const struct tally *t, const struct evsel *e, const struct record *r)
{
	struct sample s;

	if (e->attr.sample_type & PERF_SAMPLE_STACK_USER)
		return !sample__decode(t->decoder, r, &s) && s.stack_size && s.stack_dyn_size == s.stack_size;
	return (e->attr.sample_type & PERF_SAMPLE_CALLCHAIN) && is_full_chain(t, e, r);
}

static const struct evsel *tally__evsel(struct tally *t, const struct record *r)
{
	const struct sample_decoder *d = t->decoder;
	u64 id = d->id_offset != SAMPLE_NO_FIELD ? word_at(r, d->id_offset) : 0;
	size_t slot = id % TALLY_LATELY;

	if (d->id_words & (d->id_words - 1)) /* not all have it there */
		return sample_decoder__evsel(d, r);
	if (!id || d->only || t->lately[slot].id != id) {
		t->lately[slot].e = sample_decoder__evsel(d, r);
		t->lately[slot].id = id;
	}
	return t->lately[slot].e;
}

static void tally__see_sample(struct tally *t, const struct record *r)
{
	const struct evsel *e = tally__evsel(t, r);

	if (!e)
		return;
	t->events.v[e->idx].samples++;
	t->events.v[e->idx].full += is_full(t, e, r);
}

/* A record's words behind the header that name a counter and say how much; of the counter, the first event
 * stands for those that nobody has. */
static struct event_tally *tally__of(struct tally *t, u64 id)
{
	const struct evsel *e = evlist__by_id(t->decoder->evlist, id);

	return &t->events.v[e ? e->idx : 0];
}

void tally__see(struct tally *t, const struct record *r)
{
	const u64 *words = (const u64 *)(const void *)(r->header + 1);
	size_t nr = (r->header->size - sizeof(*r->header)) / sizeof(*words);

	if (!t->events.nr)
		return;
	if (r->header->type == PERF_RECORD_SAMPLE) {
		tally__see_sample(t, r);
	} else if (r->header->type == PERF_RECORD_LOST && nr >= 2) { /* id, lost */
		tally__of(t, words[0])->lost += words[1];
		t->worst_gap = MAX(t->worst_gap, words[1]);
		t->nr_gaps++;
	} else if (r->header->type == PERF_RECORD_THROTTLE && nr >= 2) { /* time, id, stream_id */
		tally__of(t, words[1])->throttled++;
	}
}

void tally__add(struct tally *t, const struct tally *other)
{
	t->records += other->records;
	t->nr_gaps += other->nr_gaps;
	t->worst_gap = MAX(t->worst_gap, other->worst_gap);
	for (size_t i = 0; i < MIN(t->events.nr, other->events.nr); i++) {
		struct event_tally *e = &t->events.v[i];
		const struct event_tally *o = &other->events.v[i];

		e->samples += o->samples;
		e->lost += o->lost;
		e->throttled += o->throttled;
		e->full += o->full;
	}
}
