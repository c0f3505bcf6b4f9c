#include "profile/compare/sampling.h"

#include "format/records/span_detail.h"
#include "format/records/wait_detail.h"

#include <string.h>

/*
 * Seconds that a sample takes at most: interrupt, registers, call chain, stack copy, and what it displaces in
 * the caches. In virtual machines 5 to 20 us were measured.
 */
#define SAMPLE_COST 50e-6

static bool is_dummy(const struct evsel *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_DUMMY;
}

/* Is each occurrence a sample, so that nothing limits how many there are? */
static bool samples_each(const struct evsel *e)
{
	return !e->attr.freq && e->attr.sample_period <= 1;
}

static void sampling__add_event(struct sampling *s, const struct evsel *e)
{
	bool is_span = !strncmp(e->name, SPAN_EVENT_PREFIX, strlen(SPAN_EVENT_PREFIX));

	if (is_dummy(e))
		return;
	s->has_spans |= is_span;
	if (evsel__wait_event(e) != WAIT_EVENT_NONE)
		s->nr_waits++;
	else if (samples_each(e) || is_span)
		s->nr_each++;
	else
		s->nr_events++;
}

struct sampling sampling__of(const struct session *s, const struct evsel *event, double samples_per_second)
{
	const u64 costly = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK |
			   PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR;
	const struct perf_event_attr *attr = &event->attr;
	const struct evlist *l = &s->reader->evlist;
	struct sampling v = { .has_freq = attr->freq,
			      .unwinds = reader__extension_offset(s->reader, EXTENSION_CALL_CHAINS) != 0,
			      .is_cut = s->reader->damage.code || s->reader->unterminated,
			      .rate = attr->sample_period,
			      .fields = attr->sample_type & costly,
			      .stack_size = attr->sample_type & PERF_SAMPLE_STACK_USER
						    ? attr->sample_stack_user
						    : 0 };

	for (size_t i = 0; i < l->evsels.nr; i++)
		sampling__add_event(&v, l->evsels.v[i]);
	v.part = SAMPLE_COST * (attr->freq ? (double)attr->sample_freq : samples_per_second) *
		 MAX(v.nr_events, 1u);
	return v;
}

/* ---- two sides ---- */

static void add_word(struct strbuf *why, const char *word)
{
	enum { ENOUGH = 200 }; /* bytes */

	if (why->len < ENOUGH && !strstr(why->buf, word)) /* several recordings may differ in the same way */
		strbuf__addf(why, "%s%s", why->len ? ", " : "", word);
}

static void add_rate(struct strbuf *sb, const struct sampling *s)
{
	strbuf__addf(sb, s->has_freq ? "-F %llu" : "-c %llu", (unsigned long long)s->rate);
}

static void add_rates(struct strbuf *why, const struct sampling *old, const struct sampling *new)
{
	struct strbuf word = STRBUF_INIT;

	add_rate(&word, old);
	strbuf__addstr(&word, " and ");
	add_rate(&word, new);
	add_word(why, word.buf);
	strbuf__exit(&word);
}

static bool have_other_chains(const struct sampling *x, const struct sampling *y)
{
	return x->fields != y->fields || (x->unwinds != y->unwinds && !x->is_cut && !y->is_cut);
}

/* Return the part of x's total that its samples may take, and y's do not. */
static double find_extra(const struct sampling *x, const struct sampling *y)
{
	double part = x->part;

	if (x->nr_waits > y->nr_waits || x->nr_each > y->nr_each)
		return 1;
	if (!have_other_chains(x, y) && x->stack_size == y->stack_size)
		part -= y->part;
	return MAX(MIN(part, 1.0), 0.0);
}

void sampling_gap__add(struct sampling_gap *gap, const struct sampling *old, const struct sampling *new)
{
	bool differs = old->has_freq != new->has_freq || old->rate != new->rate;
	const struct {
		bool differs;
		const char *word;
	} rows[] = {
		{ have_other_chains(old, new), "call graphs (-g) or registers" },
		{ old->stack_size != new->stack_size, "size of stack copies" },
		{ old->nr_events != new->nr_events, "number of events" },
		{ old->nr_waits != new->nr_waits, "--off-cpu" },
		{ old->nr_each != new->nr_each, "--span, or other events that count each time" },
	};

	if (differs)
		add_rates(&gap->why, old, new);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].differs)
			add_word(&gap->why, rows[i].word);
		differs |= rows[i].differs;
	}
	if (!differs)
		return;
	gap->part[0] = MAX(gap->part[0], find_extra(old, new));
	gap->part[1] = MAX(gap->part[1], find_extra(new, old));
}
