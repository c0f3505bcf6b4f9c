#include "profile/causes/durations.h"

#include "profile/compare/distributions.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEVELS = 3,      /* blocks, blocks that are twice as long, and four times */
	MANY_SPANS = 500 /* beyond a quantile: their number is normally distributed */
};

/* ---- the spans ---- */

void durations__init(struct durations *d)
{
	*d = (struct durations){ .nr = 0 };
}

void durations__exit(struct durations *d)
{
	array__exit(&d->v);
	array__exit(&d->in_blocks);
	array__exit(&d->ns_in_blocks);
	free(d->upto);
}

void durations__begin_recording(struct durations *d)
{
	d->nr_recordings++;
	for (u32 i = 0; i < DURATION_BLOCKS; i++) {
		array__add(&d->in_blocks, 0.0);
		array__add(&d->ns_in_blocks, 0.0);
	}
}

void durations__add_one(struct durations *d, const struct duration *one)
{
	struct duration *x = array__push(&d->v);

	*x = *one;
	x->block += (d->nr_recordings - 1) * DURATION_BLOCKS;
	d->in_blocks.v[x->block] += x->step;
	d->ns_in_blocks.v[x->block] += (double)x->ns * x->step;
}

u32 span_set__block(const struct span_set *s, const struct span *span)
{
	u64 at = span->end > s->first ? span->end - s->first : 0, length = s->last - s->first;

	return (u32)MIN((double)at / (double)MAX(length, 1u) * DURATION_BLOCKS, DURATION_BLOCKS - 1);
}

void durations__add(struct durations *d, const struct span_set *s, const u64 *ready)
{
	durations__begin_recording(d);
	array__reserve(&d->v, d->v.nr + s->by_duration.nr);
	for (size_t i = 0; i < s->by_duration.nr; i++) {
		u32 at = s->by_duration.v[i];
		const struct span *span = &s->v.v[at];
		u64 ns = span__ns(span);
		const struct duration one = { .ns = ns,
					      .step = span->step,
					      .block = span_set__block(s, span),
					      .ready = ready && ns ? (float)ready[at] / (float)ns : 0 };

		durations__add_one(d, &one);
	}
}

static u64 duration_key(const struct duration *d)
{
	return d->ns;
}

static void durations__sort(struct durations *d)
{
	struct duration *spare, *sorted;
	size_t first = 1;

	while (first < d->v.nr && d->v.v[first - 1].ns <= d->v.v[first].ns)
		first++;
	if (first >= d->v.nr)
		return;
	spare = xreallocarray(NULL, d->v.nr, sizeof(*spare));
	sorted = radix__sort(d->v.v, spare, d->v.nr, duration_key);
	if (sorted != d->v.v)
		memcpy(d->v.v, sorted, d->v.nr * sizeof(*sorted));
	free(spare);
}

void durations__finish(struct durations *d)
{
	double squares = 0;

	durations__sort(d);
	d->upto = xcalloc(d->v.nr, sizeof(*d->upto));
	for (size_t i = 0; i < d->v.nr; i++) {
		const struct duration *x = &d->v.v[i];

		d->nr += x->step;
		d->ns += (double)x->ns * x->step;
		squares += (double)x->step * x->step;
		d->upto[i] = d->nr;
	}
	d->nr_independent = squares > 0 ? d->nr * d->nr / squares : 0;
}

/* Return the index of the duration that a share of the spans does not exceed. There must be spans. */
static size_t durations__find(const struct durations *d, double share)
{
	double rank = ceil(share * d->nr - 1e-9);

	return MIN(bisect(k, (size_t)0, d->v.nr, d->upto[k] < rank), d->v.nr - 1);
}

u64 durations__quantile(const struct durations *d, double share)
{
	return d->v.nr ? d->v.v[durations__find(d, share)].ns : 0;
}

double durations__ready_part(const struct durations *d, double from, double to)
{
	double ns = 0, ready = 0;
	size_t end;

	if (!d->v.nr)
		return 0;
	end = durations__find(d, to);
	for (size_t i = durations__find(d, from); i <= end; i++) {
		double x = (double)d->v.v[i].ns * d->v.v[i].step;

		ns += x;
		ready += x * (double)d->v.v[i].ready;
	}
	return ns > 0 ? ready / ns : 0;
}

void durations__quantiles_of_recordings(const struct durations *d, double share, double *q)
{
	double *upto = xcalloc(d->nr_recordings, sizeof(*upto)),
	       *rank = xcalloc(d->nr_recordings, sizeof(*rank));

	for (size_t b = 0; b < d->in_blocks.nr; b++)
		rank[b / DURATION_BLOCKS] += d->in_blocks.v[b];
	for (u32 i = 0; i < d->nr_recordings; i++) {
		rank[i] = ceil(share * rank[i] - 1e-9);
		q[i] = 0;
	}
	for (size_t i = 0; i < d->v.nr; i++) {
		u32 r = d->v.v[i].block / DURATION_BLOCKS;

		if (upto[r] < rank[r])
			q[r] = (double)d->v.v[i].ns;
		upto[r] += d->v.v[i].step;
	}
	free(upto);
	free(rank);
}

/* ---- how much numbers vary ---- */

/*
 * Return the variance of the sum of z, whose mean is 0, by the sums of so many neighbours. Where few of them
 * make most of it, it has few degrees of freedom.
 */
static struct noise noise_of_blocks(const double *z, u32 nr, u32 merged)
{
	struct noise n = { .df = 1 };
	double nr_merged = nr / merged, squares = 0, fourths = 0, rest;

	for (u32 i = 0; i < nr; i += merged) {
		double sum = 0;

		for (u32 k = i; k < i + merged; k++)
			sum += z[k];
		squares += sum * sum;
		fourths += sum * sum * sum * sum;
	}
	n.variance = squares * nr_merged / (nr_merged - 1);
	rest = fourths - squares * squares / nr_merged;
	n.df = rest > 0 ? 2 * squares * squares / rest : nr_merged - 1;
	n.df = MIN(MAX(n.df, 1.0), nr_merged - 1);
	return n;
}

/* Return half of the 95% interval that the noise makes. */
static double noise__half(const struct noise *n)
{
	return student__quantile(0.975, n->df) * sqrt(n->variance);
}

/* Neighbouring blocks may vary together: return the noise of blocks that are so long that it is largest. */
static struct noise largest_noise(const double *z, u32 nr)
{
	struct noise largest = noise_of_blocks(z, nr, 1), n;

	for (u32 level = 1; level < LEVELS; level++) {
		n = noise_of_blocks(z, nr, 1u << level);
		if (noise__half(&n) > noise__half(&largest))
			largest = n;
	}
	return largest;
}

struct noise durations__mean_noise(const struct durations *d, const double *x)
{
	u32 nr = (u32)d->in_blocks.nr;
	double *z = xcalloc(nr, sizeof(*z)), sum = 0;
	struct noise n;

	for (u32 i = 0; i < nr; i++)
		sum += x[i];
	for (u32 i = 0; i < nr; i++)
		z[i] = x[i] - sum / MAX(d->nr, 1.0) * d->in_blocks.v[i];
	n = largest_noise(z, nr);
	n.variance /= MAX(d->nr * d->nr, 1.0);
	free(z);
	return n;
}

/* Return how many times the variance of a share is that of independent spans, by those beyond an index. */
static struct noise durations__design(const struct durations *d, size_t index)
{
	double *z = xcalloc(d->in_blocks.nr, sizeof(*z)), beyond = d->nr - d->upto[index];
	double part = beyond / d->nr;
	struct noise n;

	for (size_t i = index + 1; i < d->v.nr; i++)
		z[d->v.v[i].block] += d->v.v[i].step;
	for (size_t b = 0; b < d->in_blocks.nr; b++)
		z[b] -= part * d->in_blocks.v[b];
	n = largest_noise(z, (u32)d->in_blocks.nr);
	n.variance *= d->nr_independent / (d->nr * d->nr * part * (1 - part));
	free(z);
	return n;
}

/*
 * Few spans beyond a quantile do not show that bad times have many of them. Those beyond a lower quantile do:
 * what they have more than independent ones grows with their number.
 */
static struct noise durations__borrowed_design(const struct durations *d, double share)
{
	enum { ENOUGH = 4 * DURATION_BLOCKS };
	double beyond = (1 - share) * d->nr_independent, part = MIN(ENOUGH / d->nr_independent, 0.5);
	struct noise n = { 1, INFINITY };
	size_t index;

	if (beyond >= ENOUGH || share < 0.5 || d->nr_independent < DURATION_BLOCKS)
		return n;
	index = durations__find(d, 1 - part);
	if (d->upto[index] >= d->nr)
		return n;
	n = durations__design(d, index);
	n.variance = 1 + (n.variance - 1) * beyond / (part * d->nr_independent);
	return n;
}

struct noise durations__noise(const struct durations *d, double share)
{
	struct noise n = { 1, INFINITY }, borrowed;
	size_t index;

	if (d->v.nr < 2)
		return n;
	index = durations__find(d, share);
	if (d->upto[index] < d->nr)
		n = durations__design(d, index);
	borrowed = durations__borrowed_design(d, share);
	if (noise__half(&borrowed) > noise__half(&n))
		n = borrowed;
	if (n.variance <= 1)
		n = (struct noise){ 1, INFINITY };
	n.variance *= share * (1 - share) / d->nr_independent;
	return n;
}

/* ---- intervals ---- */

/* Return which of n sorted independent values is above a quantile with a probability. */
static double rank_above(double share, double n, double probability)
{
	double reach = 10 * sqrt(n * share * (1 - share)) + 10, from = MAX(share * n - reach, 0.0),
	       to = MIN(share * n + reach, n);

	while (to - from > 1e-3) {
		double rank = (from + to) / 2;

		if (beta__cdf(share, rank, n + 1 - rank) > 1 - probability)
			from = rank;
		else
			to = rank;
	}
	return (from + to) / 2;
}

void durations__interval(const struct durations *d, double share, const struct noise *noise, double error,
			 double *low, double *high)
{
	double z = normal__quantile(1 - error / 2), t = student__quantile(1 - error / 2, noise->df);
	double n = share * (1 - share) / noise->variance * (z / t) * (z / t), below, above;

	*low = 0;
	*high = INFINITY;
	if (d->v.nr < 2)
		return;
	if (n * MIN(share, 1 - share) > MANY_SPANS) {
		below = share - z * sqrt(share * (1 - share) / n);
		above = share + z * sqrt(share * (1 - share) / n);
	} else {
		below = rank_above(share, n, error / 2) / n;
		above = beta__cdf(share, n, 1) > error / 2 ? 2 : rank_above(share, n, 1 - error / 2) / n;
	}
	if (below * n >= 1) /* the rank is rounded down, and up for the other end */
		*low = (double)durations__quantile(d, floor(below * d->nr_independent) / d->nr_independent);
	if (above <= 1)
		*high = (double)durations__quantile(d, above);
}

void noise__mean_interval(const struct noise *n, double mean, double error, double *low, double *high)
{
	double half = student__quantile(1 - error / 2, n->df) * sqrt(n->variance);

	*low = mean > 0 ? mean * exp(-half / mean) : 0;
	*high = mean > 0 ? mean * exp(half / mean) : half;
}

/* ---- limits ---- */

int duration_limit__parse(struct duration_limit *l, const char *option, const char *text, struct err *err)
{
	const char *colon = strchr(text, ':');
	struct span_limit name = { .is_quantile = true }, time;
	struct err ignored = ERR_INIT;
	char *word;
	int ret;

	*l = (struct duration_limit){ .value = VALUE_QUANTILE };
	if (!colon)
		return err__set(err, -EINVAL, "%s: '%s' is not such as p99:20ms, max:1s or mean:5ms", option,
				text);
	word = strndup(text, (size_t)(colon - text));
	ret = span_limit__parse(&time, option, colon + 1, &ignored);
	if (!strcmp(word, "max"))
		l->value = VALUE_MAX;
	else if (!strcmp(word, "mean"))
		l->value = VALUE_MEAN;
	else if (!ret)
		ret = span_limit__parse(&name, option, word, &ignored);
	if (ret || !name.is_quantile || time.is_quantile)
		ret = err__set(err, -EINVAL, "%s: '%s' is not such as p99:20ms, max:1s or mean:5ms", option,
			       text);
	l->share = name.share;
	l->ns = time.ns;
	err__exit(&ignored);
	free(word);
	return ret;
}

static struct limit_check durations__check_quantile(const struct durations *d, const struct duration_limit *l)
{
	struct noise n = durations__noise(d, l->share);
	struct limit_check c = { .value = (double)durations__quantile(d, l->share) };

	durations__interval(d, l->share, &n, 0.05, &c.low, &c.high);
	if (d->nr_independent * (1 - l->share) < 1) /* it is beyond all spans */
		c.result = c.low > (double)l->ns ? LIMIT_EXCEEDED : LIMIT_UNKNOWN;
	else
		c.result = c.value > (double)l->ns ? LIMIT_EXCEEDED : LIMIT_KEPT;
	return c;
}

struct limit_check durations__check(const struct durations *d, const struct duration_limit *l)
{
	struct limit_check c = { .result = LIMIT_UNKNOWN };
	struct noise n;

	if (!d->v.nr)
		return c;
	if (l->value == VALUE_QUANTILE)
		return durations__check_quantile(d, l);
	c.value = c.low = c.high = (double)d->v.v[d->v.nr - 1].ns;
	if (l->value == VALUE_MEAN) {
		n = durations__mean_noise(d, d->ns_in_blocks.v);
		c.value = d->ns / d->nr;
		noise__mean_interval(&n, c.value, 0.05, &c.low, &c.high);
	}
	c.result = c.value > (double)l->ns ? LIMIT_EXCEEDED : LIMIT_KEPT;
	return c;
}

void duration_limit__add_name(const struct duration_limit *l, struct strbuf *sb)
{
	if (l->value == VALUE_QUANTILE)
		strbuf__addf(sb, "p%.10g", l->share * 100);
	else
		strbuf__addstr(sb, l->value == VALUE_MAX ? "max" : "mean");
}
