#include "profile/spans/span_set.h"

#include "base/message/called_name.h"
#include "base/text/mask.h"
#include "base/text/number.h"
#include "base/text/strbuf.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the event ---- */

static int refuse_name(const struct evlist *l, const char *name, struct err *err)
{
	struct strbuf names = STRBUF_INIT;
	int ret = -ENOENT;

	for (size_t i = 0; i < l->evsels.nr; i++)
		if (evsel__has_spans(l->evsels.v[i])) {
			strbuf__addstr(&names, names.len ? ", " : "");
			strbuf__add_masked(&names, evsel__span_name(l->evsels.v[i]));
		}
	if (!names.len) {
		err__set(err, -ENOENT, "the recording has no spans");
		err__advise(err, "record the calls of a function with: %s record --span FUNCTION ...",
			    called_name());
	} else if (name) {
		err__set(err, -ENOENT, "the recording has no spans '%s'", name);
		err__advise(err, "it has: %s", names.buf);
	} else {
		ret = err__set(err, -EINVAL, "the recording has several kinds of spans");
		err__advise(err, "choose one with --span=NAME: %s", names.buf);
	}
	strbuf__exit(&names);
	return ret;
}

int span_set__choose_event(const struct evlist *l, const char *name, const struct evsel **event,
			   struct err *err)
{
	u32 nr = 0;

	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];

		if (!evsel__has_spans(e) || (name && strcmp(evsel__span_name(e), name)))
			continue;
		*event = e;
		nr++;
	}
	return nr == 1 || (nr && name) ? 0 : refuse_name(l, name, err);
}

/* ---- reading ---- */

static void span_set__add_sample(struct span_set *s, const struct sample *sample, bool swap)
{
	struct span_detail d;
	struct span_time t;
	u32 nr = 0;

	if (!span_detail__decode(&d, sample->raw, sample->raw_size, sample->time, swap)) {
		s->nr_bad++;
		return;
	}
	s->losses.unfinished += d.losses.unfinished;
	s->losses.left += d.losses.left;
	s->losses.lost += d.losses.lost;
	s->losses.strays += d.losses.strays;
	s->cost = d.cost ? d.cost : s->cost;
	for (nr = d.nr_spans; span_detail__next(&d, &t); nr--)
		array__add(&s->v, ((struct span){ .begin = t.begin,
						  .end = t.end,
						  .pid = sample->pid,
						  .tid = sample->tid,
						  .step = d.step }));
	s->nr_bad += nr;
}

struct span_reading {
	struct span_set *s;
	struct session *session;
};

static void span_reading__sample(void *ctx, const struct record *r)
{
	const struct span_reading *reading = ctx;
	struct span_set *s = reading->s;
	struct sample sample;

	if (sample__decode_head(&reading->session->decoder, r, &sample))
		return;
	s->first = MIN(s->first, sample.time);
	s->last = MAX(s->last, sample.time);
	if (sample.evsel == s->event && !sample__decode_tail(r, &sample))
		span_set__add_sample(s, &sample, reading->session->reader->needs_swap);
}

static int span_set__pass(struct span_set *s, struct session *session, struct err *err)
{
	int ret;

	s->first = UINT64_MAX;
	ret = session__each_sample(session, span_reading__sample, &(struct span_reading){ s, session }, err);
	s->first = MIN(s->first, s->last);
	return ret;
}

static u64 begin_key(const struct span *s)
{
	return s->begin;
}

static u64 end_key(const struct span *s)
{
	return s->end;
}

static u64 tid_key(const struct span *s)
{
	return s->tid;
}

/* Sort by thread, then by begin, then by end. */
static void span_set__sort(struct span_set *s)
{
	struct span *spare = xreallocarray(NULL, s->v.nr + 1, sizeof(*spare)), *sorted;

	sorted = radix__sort(s->v.v, spare, s->v.nr, end_key);
	sorted = radix__sort(sorted, sorted == spare ? s->v.v : spare, s->v.nr, begin_key);
	sorted = radix__sort(sorted, sorted == spare ? s->v.v : spare, s->v.nr, tid_key);
	if (sorted == spare)
		memcpy(s->v.v, spare, s->v.nr * sizeof(*spare));
	free(spare);
}

/*
 * The recorder writes no spans that overlap others of their thread: leave those out, and what makes the sum
 * of all more than a u64, so that no sum of spans can be.
 */
static void span_set__drop_bad(struct span_set *s)
{
	size_t nr = 0;
	u64 sum = 0, ns;

	for (size_t i = 0; i < s->v.nr; i++) {
		const struct span *span = &s->v.v[i], *before = nr ? &s->v.v[nr - 1] : NULL;

		if ((before && before->tid == span->tid && span->begin < before->end) ||
		    __builtin_mul_overflow(span__ns(span), span->step, &ns) ||
		    __builtin_add_overflow(sum, ns, &ns)) {
			s->nr_bad++;
			continue;
		}
		sum = ns;
		s->v.v[nr++] = *span;
	}
	s->v.nr = nr;
}

struct numbered_duration {
	u64 ns;
	u32 span; /* index */
};

static u64 duration_key(const struct numbered_duration *d)
{
	return d->ns;
}

static void span_set__sort_durations(struct span_set *s)
{
	struct numbered_duration *v = xreallocarray(NULL, 2 * s->v.nr + 1, sizeof(*v)), *sorted;

	for (size_t i = 0; i < s->v.nr; i++)
		v[i] = (struct numbered_duration){ span__ns(&s->v.v[i]), (u32)i };
	sorted = radix__sort(v, v + s->v.nr, s->v.nr, duration_key);
	array__reserve(&s->by_duration, s->v.nr);
	for (size_t i = 0; i < s->v.nr; i++)
		array__add(&s->by_duration, sorted[i].span);
	free(v);
}

/* Count the spans, which are in order. */
static void span_set__count(struct span_set *s)
{
	s->nr = s->ns = s->nr_threads = 0;
	for (size_t i = 0; i < s->v.nr; i++) {
		s->nr += s->v.v[i].step;
		s->ns += span__ns(&s->v.v[i]) * s->v.v[i].step;
		s->nr_threads += !i || s->v.v[i - 1].tid != s->v.v[i].tid;
	}
	s->by_duration.nr = 0;
	span_set__sort_durations(s);
}

void span_set__keep(struct span_set *s, bool (*keeps)(void *ctx, const struct span *span), void *ctx)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->v.nr; i++)
		if (keeps(ctx, &s->v.v[i]))
			s->v.v[nr++] = s->v.v[i];
	s->v.nr = nr;
	span_set__count(s);
}

int span_set__read(struct span_set *s, struct session *session, const struct evsel *event, struct err *err)
{
	int ret;

	*s = (struct span_set){ .event = event };
	ret = span_set__pass(s, session, err);
	if (ret)
		return ret;
	span_set__sort(s);
	span_set__drop_bad(s);
	span_set__count(s);
	return 0;
}

void span_set__exit(struct span_set *s)
{
	array__exit(&s->v);
	array__exit(&s->by_duration);
}

/* ---- durations ---- */

u64 span_set__quantile(const struct span_set *s, double share)
{
	double rank = ceil(share * (double)s->nr);
	u64 nr = 0;

	if (s->nr && s->nr == s->by_duration.nr) /* all steps are 1 */
		return span__ns(&s->v.v[s->by_duration.v[rank > 1 ? (size_t)rank - 1 : 0]]);
	for (size_t i = 0; i < s->by_duration.nr; i++) {
		const struct span *span = &s->v.v[s->by_duration.v[i]];

		nr += span->step;
		if ((double)nr >= rank || i + 1 == s->by_duration.nr)
			return span__ns(span);
	}
	return 0;
}

int span_limit__parse(struct span_limit *l, const char *option, const char *text, struct err *err)
{
	const char *end = text + 1;
	double number;

	*l = (struct span_limit){ .is_quantile = *text == 'p' };
	if (l->is_quantile && number__take_real(&end, &number) && !*end && number <= 100) {
		l->share = number / 100;
		return 0;
	}
	end = text;
	if (!l->is_quantile && number__take_real(&end, &number)) {
		static const struct {
			const char *name;
			double ns;
		} units[] = {
			{ "ns", 1 },
			{ "us", 1e3 },
			{ "ms", 1e6 },
			{ "s", 1e9 },
		};

		for (size_t i = 0; i < ARRAY_SIZE(units); i++)
			if (!strcmp(end, units[i].name)) {
				l->ns = number__u64(round(number * units[i].ns));
				return 0;
			}
	}
	err__set(err, -EINVAL, "%s: '%s' is neither a quantile such as p99 nor a time such as 20ms", option,
		 text);
	return -EINVAL;
}

u64 span_limit__ns(const struct span_limit *l, const struct span_set *s)
{
	return l->is_quantile ? span_set__quantile(s, l->share) : l->ns;
}
