#include "profile/causes/span_compare.h"

#include "profile/compare/compared.h"
#include "profile/compare/distributions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Part of comparisons that report a changed duration (reason) where there is none: below 5%, since much is
 * approximate.
 */
#define ERROR_RATE 0.03
#define REASON_ERROR_RATE 0.02
/*
 * Relative standard deviation between two recordings, where they do not show it; and if it is not known,
 * either, how long threads waited for a processor that others had.
 */
#define RUN_NOISE 0.05
#define BLIND_NOISE 0.2
#define LEAST_CHANGE 0.05 /* a change of a duration by so much is of interest */

enum { MIN_SPANS = 20 /* of a side: fewer have no verdict */ };

void span_compare__init(struct span_compare *c)
{
	*c = (struct span_compare){ .least_change = 0.01 };
	strpool__init(&c->names);
	for (u32 i = 0; i < 2; i++) {
		c->sides[i].all = c;
		durations__init(&c->sides[i].durations);
	}
}

void span_compare__exit(struct span_compare *c)
{
	for (u32 i = 0; i < 2; i++) {
		durations__exit(&c->sides[i].durations);
		for (size_t k = 0; k < c->sides[i].reasons.nr; k++)
			array__exit(&c->sides[i].reasons.v[k].ns);
		array__exit(&c->sides[i].reasons);
	}
	array__exit(&c->reasons);
	strpool__exit(&c->names);
}

u64 span_side__max(const struct span_side *s)
{
	const struct durations *d = &s->durations;

	return d->v.nr ? d->v.v[d->v.nr - 1].ns : 0;
}

/* ---- the time of a recording's spans ---- */

/* Append what is alike in all recordings: neither addresses nor who ended the waits are. */
static void add_name(struct strbuf *words, const struct span_reason *r, const struct locks *l)
{
	const char *text = r->lock ? locks__text(l, r->lock) : "", *address = strstr(text, " 0x");
	struct span_reason plain = *r;

	plain.holder = 0;
	span_reason__add_words(&plain, l, words);
	if (address)
		strbuf__setlen(words, (size_t)(address - text));
}

static struct side_reason *span_side__reason(struct span_side *s, u32 name)
{
	size_t i = 0;

	while (i < s->reasons.nr && s->reasons.v[i].name != name)
		i++;
	if (i == s->reasons.nr)
		array__add(&s->reasons, ((struct side_reason){ .name = name }));
	for (struct side_reason *r = &s->reasons.v[i]; r->ns.nr < s->durations.in_blocks.nr;)
		array__add(&r->ns, 0.0);
	return &s->reasons.v[i];
}

void span_side__add_reason(struct span_side *s, const char *name, const double *ns)
{
	struct side_reason *r = span_side__reason(s, strpool__intern(&s->all->names, name));
	size_t first = s->durations.in_blocks.nr - DURATION_BLOCKS;

	for (u32 b = 0; b < DURATION_BLOCKS; b++)
		r->ns.v[first + b] += ns[b];
}

/*
 * Add the time of the spans by reason to sums, by reason and block. Set ready to that in which each was
 * ready.
 */
static void add_up(const struct span_set *set, const struct span_times *t, double *sums, u64 *ready)
{
	struct span_cursor c;

	span_cursor__init(&c, t);
	for (size_t i = 0; i < set->v.nr; i++) {
		const struct span *span = &set->v.v[i];
		u32 block = span_set__block(set, span);

		span_cursor__seek(&c, span);
		for (size_t k = 0; k < c.parts.nr; k++) {
			const struct span_part *p = &c.parts.v[k];

			sums[p->reason * DURATION_BLOCKS + block] += (double)p->ns * span->step;
			if (p->reason == SPAN_READY)
				ready[i] = p->ns;
		}
	}
	span_cursor__exit(&c);
}

static void span_side__add_times(struct span_side *s, const struct span_set *set, const struct span_times *t)
{
	double *sums = xcalloc(t->reasons.nr * DURATION_BLOCKS, sizeof(*sums));
	u64 *ready = xcalloc(set->v.nr, sizeof(*ready));
	struct strbuf name = STRBUF_INIT;

	add_up(set, t, sums, ready);
	durations__add(&s->durations, set, ready);
	for (u32 i = 0; i < t->reasons.nr; i++) {
		strbuf__reset(&name);
		add_name(&name, &t->reasons.v[i], &t->locks);
		span_side__add_reason(s, name.buf, sums + (size_t)i * DURATION_BLOCKS);
	}
	strbuf__exit(&name);
	free(ready);
	free(sums);
}

void span_side__add(struct span_side *s, const struct span_set *set, const struct span_times *times)
{
	s->seconds += (double)(set->last - set->first) / 1e9;
	s->losses.unfinished += set->losses.unfinished;
	s->losses.left += set->losses.left;
	s->losses.lost += set->losses.lost;
	s->losses.strays += set->losses.strays;
	s->cost = MAX(s->cost, set->cost);
	if (times) {
		span_side__add_times(s, set, times);
		return;
	}
	durations__add(&s->durations, set, NULL);
	s->lacks_times = true;
}

/* ---- intervals of changes ---- */

/* What is compared: a value of both sides, in ns. */
struct quantity {
	const struct span_compare *c;
	double share; /* of a quantile; negative: a mean */
	double value[2];
	struct noise noise[2]; /* of a mean: of its value; of a quantile: of its share */
	double run_noise;      /* standard error of the change, by how recordings differ; of logs, or ns */
	double run_df;         /* INFINITY: it is assumed, and comes on top */
};

static void quantity__side_interval(const struct quantity *q, u32 side, double error, double *low,
				    double *high)
{
	if (q->share >= 0)
		durations__interval(&q->c->sides[side].durations, q->share, &q->noise[side], error, low,
				    high);
	else
		noise__mean_interval(&q->noise[side], q->value[side], error, low, high);
}

/* Add the noise between recordings to half of an interval. */
static double quantity__widen(const struct quantity *q, double half, double error)
{
	double more = student__quantile(1 - error / 2, q->run_df) * q->run_noise;

	return isinf(q->run_df) ? hypot(half, more) : MAX(half, more);
}

/* Set the interval of log(new / old): that of a difference, by those of its parts (Zou and Donner 2008). */
static void quantity__log_interval(const struct quantity *q, double error, double *low, double *high)
{
	double change = log(q->value[1] / q->value[0]), below[2], above[2];

	for (u32 i = 0; i < 2; i++) {
		double from, to;

		quantity__side_interval(q, i, error, &from, &to);
		below[i] = log(q->value[i] / from);
		above[i] = log(to / q->value[i]);
	}
	*low = change - quantity__widen(q, hypot(below[1], above[0]), error);
	*high = change + quantity__widen(q, hypot(above[1], below[0]), error);
}

/* Set the interval of new - old, of means. */
static void quantity__difference_interval(const struct quantity *q, double error, double *low, double *high)
{
	const struct noise *a = &q->noise[0], *b = &q->noise[1];
	double variance = a->variance + b->variance, change = q->value[1] - q->value[0], half = 0;

	if (variance > 0) {
		double df = variance * variance /
			    (a->variance * a->variance / a->df + b->variance * b->variance / b->df);

		half = student__quantile(1 - error / 2, df) * sqrt(variance);
	}
	half = quantity__widen(q, half, error);
	*low = change - half;
	*high = change + half;
}

typedef void (*interval_of)(const struct quantity *q, double error, double *low, double *high);

/* Return the error rate at which the interval begins to have 0. */
static double quantity__p(const struct quantity *q, interval_of interval)
{
	double from = log(1e-9), to = 0, low, high;

	for (int i = 0; i < 16; i++) {
		double middle = (from + to) / 2;

		interval(q, exp(middle), &low, &high);
		if (low <= 0 && high >= 0)
			from = middle;
		else
			to = middle;
	}
	return exp((from + to) / 2);
}

/* ---- how recordings differ ---- */

/*
 * Return what is assumed of one recording a side, relative to the values: that time ready on one side may
 * be none on the other, since other programs ran.
 */
static double quantity__assumed_noise(const struct quantity *q)
{
	const struct span_side *sides = q->c->sides;
	double reach = MIN(q->share, 1 - q->share) / 2, from = MAX(q->share - reach, 0.0),
	       to = q->share >= 0 ? q->share + reach : 1, ready = 0;

	if (sides[0].lacks_times || sides[1].lacks_times)
		return BLIND_NOISE;
	for (u32 i = 0; i < 2; i++)
		ready = MAX(ready, durations__ready_part(&sides[i].durations, from, to));
	return hypot(RUN_NOISE, ready);
}

/*
 * Set the standard error of a change by the values of the recordings, old ones first: logs, or ns.
 * assumed: what is assumed of one recording a side.
 */
static void quantity__compare_runs(struct quantity *q, const double *values, double assumed)
{
	u32 nr[2] = { q->c->sides[0].durations.nr_recordings, q->c->sides[1].durations.nr_recordings };
	u32 nr_new = q->c->new_is_one ? 1 : nr[1], first = 0;
	double squares = 0;

	q->run_noise = assumed;
	q->run_df = INFINITY;
	if (nr[0] + nr[1] < 3 || (nr[0] < 2 && q->c->new_is_one))
		return;
	q->run_df = nr[0] + nr[1] - 2;
	for (u32 side = 0; side < 2; first += nr[side++]) {
		double mean = 0, sum = 0;

		for (u32 i = first; i < first + nr[side]; i++)
			mean += values[i] / nr[side];
		for (u32 i = first; i < first + nr[side]; i++)
			sum += (values[i] - mean) * (values[i] - mean);
		if (side && q->c->new_is_one)
			q->run_df = nr[0] - 1;
		else
			squares += sum;
	}
	q->run_noise = sqrt(squares / q->run_df * (1.0 / nr[0] + 1.0 / nr_new));
}

/* Set values to the means of sums by block, for each recording of both sides. */
static void runs__means(const struct span_compare *c, const double *const x[2], double *values)
{
	for (u32 side = 0; side < 2; side++) {
		const struct durations *d = &c->sides[side].durations;

		for (u32 i = 0; i < d->nr_recordings; i++) {
			double sum = 0, nr = 0;

			for (u32 b = i * DURATION_BLOCKS; b < (i + 1) * DURATION_BLOCKS; b++) {
				sum += x[side][b];
				nr += d->in_blocks.v[b];
			}
			*values++ = nr > 0 ? sum / nr : 0;
		}
	}
}

static double *new_values(const struct span_compare *c)
{
	return xcalloc(c->sides[0].durations.nr_recordings + c->sides[1].durations.nr_recordings,
		       sizeof(double));
}

/* ---- quantiles and means ---- */

static bool values__have_logs(const double *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!(v[i] > 0))
			return false;
	return true;
}

static void quantity__set_quantile(struct quantity *q)
{
	u32 nr[2];
	double *runs = new_values(q->c);

	for (u32 i = 0; i < 2; i++) {
		const struct durations *d = &q->c->sides[i].durations;

		nr[i] = d->nr_recordings;
		q->value[i] = (double)durations__quantile(d, q->share);
		q->noise[i] = durations__noise(d, q->share);
		durations__quantiles_of_recordings(d, q->share, runs + (i ? nr[0] : 0));
	}
	if (values__have_logs(runs, nr[0] + nr[1])) {
		for (u32 i = 0; i < nr[0] + nr[1]; i++)
			runs[i] = log(runs[i]);
		quantity__compare_runs(q, runs, quantity__assumed_noise(q));
	}
	free(runs);
}

static void quantity__set_mean(struct quantity *q)
{
	const double *const x[2] = { q->c->sides[0].durations.ns_in_blocks.v,
				     q->c->sides[1].durations.ns_in_blocks.v };
	double *runs = new_values(q->c);
	u32 nr = q->c->sides[0].durations.nr_recordings + q->c->sides[1].durations.nr_recordings;

	for (u32 i = 0; i < 2; i++) {
		const struct durations *d = &q->c->sides[i].durations;

		q->value[i] = d->ns / MAX(d->nr, 1.0);
		q->noise[i] = durations__mean_noise(d, x[i]);
	}
	runs__means(q->c, x, runs);
	if (values__have_logs(runs, nr)) {
		for (u32 i = 0; i < nr; i++)
			runs[i] = log(runs[i]);
		quantity__compare_runs(q, runs, quantity__assumed_noise(q));
	}
	free(runs);
}

/* Are there enough spans for a verdict? A quantile beyond all spans is not known. */
static bool quantity__is_known(const struct quantity *q)
{
	for (u32 i = 0; i < 2; i++) {
		const struct durations *d = &q->c->sides[i].durations;

		if (d->nr_independent < MIN_SPANS || !(q->value[i] > 0) ||
		    d->nr_independent * (1 - q->share) < 1)
			return false;
	}
	return true;
}

static void span_change__set(struct span_change *change, struct quantity *q)
{
	double low, high;

	if (q->share >= 0)
		quantity__set_quantile(q);
	else
		quantity__set_mean(q);
	*change = (struct span_change){ .value = { q->value[0], q->value[1] },
					.change = q->value[1] / q->value[0],
					.change_high = INFINITY,
					.p = 1,
					.verdict = VERDICT_FEW };
	for (u32 i = 0; i < 2; i++)
		quantity__side_interval(q, i, 0.05, &change->low[i], &change->high[i]);
	if (!quantity__is_known(q))
		return;
	quantity__log_interval(q, 0.05, &low, &high);
	change->change_low = exp(low);
	change->change_high = exp(high);
	change->p = quantity__p(q, quantity__log_interval);
	change->verdict =
		low > -log1p(LEAST_CHANGE) && high < log1p(LEAST_CHANGE) ? VERDICT_SAME : VERDICT_UNKNOWN;
}

static void span_compare__judge_changes(struct span_compare *c)
{
	double p[NR_SPAN_CHANGES], limit;
	u32 nr = 0;

	for (u32 i = 0; i < NR_SPAN_CHANGES; i++)
		if (c->changes[i].verdict != VERDICT_FEW)
			p[nr++] = c->changes[i].p;
	limit = p_values__limit(p, nr, ERROR_RATE);
	for (u32 i = 0; i < NR_SPAN_CHANGES; i++)
		if (c->changes[i].verdict == VERDICT_UNKNOWN && c->changes[i].p <= limit)
			c->changes[i].verdict = c->changes[i].change > 1 ? VERDICT_SLOWER : VERDICT_FASTER;
}

/* ---- reasons ---- */

static void reason_change__set(struct reason_change *change, struct span_compare *c, u32 name)
{
	struct quantity q = { .c = c, .share = -1 };
	const double *x[2];
	double *runs = new_values(c), interest, assumed;

	for (u32 i = 0; i < 2; i++) {
		struct side_reason *r = span_side__reason(&c->sides[i], name);
		double sum = 0;

		for (size_t b = 0; b < r->ns.nr; b++)
			sum += r->ns.v[b];
		x[i] = r->ns.v;
		q.value[i] = sum / MAX(c->sides[i].durations.nr, 1.0);
		q.noise[i] = durations__mean_noise(&c->sides[i].durations, x[i]);
	}
	runs__means(c, x, runs);
	assumed = strcmp(strpool__get(&c->names, name), READY_WORDS) != 0 ? RUN_NOISE : 1;
	quantity__compare_runs(&q, runs, assumed * MAX(q.value[0], q.value[1]));
	free(runs);
	*change = (struct reason_change){ .name = name,
					  .value = { q.value[0], q.value[1] },
					  .change = q.value[1] - q.value[0],
					  .verdict = VERDICT_UNKNOWN };
	quantity__difference_interval(&q, 0.05, &change->change_low, &change->change_high);
	change->p = quantity__p(&q, quantity__difference_interval);
	interest = MIN(LEAST_CHANGE * MAX(q.value[0], q.value[1]),
		       c->least_change * c->changes[SPAN_MEAN].value[0]);
	if (change->change_low > -interest && change->change_high < interest)
		change->verdict = VERDICT_SAME;
}

static int compare_changes(const void *x, const void *y)
{
	const struct reason_change *a = x, *b = y;
	double of_a = fabs(a->change), of_b = fabs(b->change);

	return of_a > of_b ? -1 : of_a < of_b ? 1 : a->name < b->name ? -1 : a->name > b->name;
}

static void span_compare__find_reasons(struct span_compare *c)
{
	double *p, limit;

	for (u32 name = 1; name < c->names.strings.nr; name++) {
		struct reason_change *r = array__push(&c->reasons);

		reason_change__set(r, c, name);
		c->reasons.nr -= !(r->value[0] + r->value[1] > 0);
	}
	p = xcalloc(c->reasons.nr, sizeof(*p));
	for (size_t i = 0; i < c->reasons.nr; i++)
		p[i] = c->reasons.v[i].p;
	limit = p_values__limit(p, (u32)c->reasons.nr, REASON_ERROR_RATE);
	for (size_t i = 0; i < c->reasons.nr; i++) {
		struct reason_change *r = &c->reasons.v[i];

		if (r->verdict == VERDICT_UNKNOWN && r->p <= limit)
			r->verdict = r->change > 0 ? VERDICT_SLOWER : VERDICT_FASTER;
	}
	free(p);
	if (c->reasons.nr)
		qsort(c->reasons.v, c->reasons.nr, sizeof(*c->reasons.v), compare_changes);
}

void span_compare__finish(struct span_compare *c)
{
	for (u32 i = 0; i < 2; i++)
		durations__finish(&c->sides[i].durations);
	for (u32 i = 0; i < NR_SPAN_CHANGES; i++) {
		struct quantity q = { .c = c,
				      .share = i < NR_SPAN_QUANTILES ? span_quantiles[i] : -1,
				      .run_noise = BLIND_NOISE,
				      .run_df = INFINITY };

		span_change__set(&c->changes[i], &q);
	}
	span_compare__judge_changes(c);
	if (!c->sides[0].lacks_times && !c->sides[1].lacks_times)
		span_compare__find_reasons(c);
}
