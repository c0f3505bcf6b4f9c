#include "profile/causes/span_tail.h"

#include "base/memory/array.h"
#include "profile/compare/distributions.h"

#include <math.h>
#include <stdlib.h>

#define BODY 0.9         /* the distribution of the others is that up to this quantile */
#define LEAST_SIGMA 0.25 /* of logarithms of durations: what any program varies by */
#define FAR 3.0          /* the slow ones are this many times as long as expected */
#define LONG 3.0         /* after a gap, they are this many times as long as the median at least */
#define DEEP 1.25        /* a gap has fewer spans by this factor, with certainty */
#define GAP_P 1e-3       /* ... with this p-value, as there are many places where it might be */

enum { BINS_OF_OCTAVE = 4, MOST_BINS = 160, WIDEST = 16 };

/* ---- gaps ---- */

struct bins {                                               /* of equal width in the logarithm */
	double sums[MOST_BINS + 1], squares[MOST_BINS + 1]; /* of the weights in all bins before */
	u32 nr;
	double begin; /* of the first */
	bool by_log;  /* densities are those of logarithms */
	double unit;  /* spans that count as one */
};

static double bins__edge(const struct bins *b, u32 bin)
{
	return b->begin * exp2((double)bin / BINS_OF_OCTAVE);
}

static void bins__count(struct bins *b, const struct span_amounts *a, double begin, bool by_log)
{
	double most = 0;

	*b = (struct bins){ .begin = begin, .by_log = by_log, .unit = MAX(1.0, floor(a->together)) };
	for (u32 i = 0; i < a->nr; i++)
		most = MAX(most, a->v[i].amount);
	if (!(begin > 0) || !(most >= begin))
		return;
	b->nr = (u32)MIN((double)MOST_BINS, BINS_OF_OCTAVE * log2(most / begin) + 1);
	for (u32 i = 0; i < a->nr; i++) {
		const struct span_amount *s = &a->v[i];
		double bin = s->amount >= begin ? BINS_OF_OCTAVE * log2(s->amount / begin) : -1;

		if (bin < 0 || bin >= b->nr)
			continue;
		b->sums[(u32)bin + 1] += s->weight;
		b->squares[(u32)bin + 1] += s->weight * s->weight;
	}
	for (u32 i = 0; i < b->nr; i++) {
		b->sums[i + 1] += b->sums[i];
		b->squares[i + 1] += b->squares[i];
	}
}

/* How wide are the bins [from, to) together? */
static double bins__width(const struct bins *b, u32 from, u32 to)
{
	return b->by_log ? to - from : bins__edge(b, to) - bins__edge(b, from);
}

/* Are there certainly more spans in bins [from, to) than in the earlier ones [gap, gap_end)? */
static bool bins__is_gap(const struct bins *b, u32 gap, u32 gap_end, u32 from, u32 to)
{
	double in_gap = b->sums[gap_end] - b->sums[gap], after = b->sums[to] - b->sums[from], unit = 1, p,
	       gap_width = bins__width(b, gap, gap_end), width = bins__width(b, from, to);

	if (after * gap_width <= 2 * in_gap * width)
		return false;
	if (in_gap > 0)
		unit = MAX(unit, (b->squares[gap_end] - b->squares[gap]) / in_gap);
	unit = MAX(unit, (b->squares[to] - b->squares[from]) / after);
	unit *= b->unit;
	p = binomial__mid_p(after / unit, in_gap / unit, DEEP * width / (DEEP * width + gap_width)) / 2;
	return p < GAP_P;
}

/* Find a gap below an amount: the widest one. */
static bool bins__find_gap(const struct bins *b, double until, double *from, double *to)
{
	u32 end = until > b->begin && b->nr ? (u32)MIN((double)b->nr, BINS_OF_OCTAVE * log2(until / b->begin))
					    : 0;

	for (u32 nr = WIDEST; nr; nr--)
		for (u32 gap = 0; gap + nr <= end; gap++)
			for (u32 begin = gap + nr; begin < b->nr; begin++)
				for (u32 k = 1; k <= WIDEST / 2 && begin + k <= b->nr; k++)
					if (bins__is_gap(b, gap, gap + nr, begin, begin + k)) {
						*from = bins__edge(b, gap);
						*to = bins__edge(b, gap + nr);
						return true;
					}
	return false;
}

bool span_amounts__has_gap(const struct span_amounts *a, double from, double until)
{
	double low, high;
	struct bins b;

	bins__count(&b, a, from, false);
	return bins__find_gap(&b, until, &low, &high);
}

/* ---- what the distribution of the others would lead to ---- */

/* Return the amount that a part of the spans does not exceed. a is sorted. */
static double quantile(const struct span_amounts *a, double part)
{
	double sum = 0, all = 0;

	for (u32 i = 0; i < a->nr; i++)
		all += a->v[i].weight;
	for (u32 i = 0; i < a->nr; i++) {
		sum += a->v[i].weight;
		if (sum >= part * all)
			return a->v[i].amount;
	}
	return 0;
}

/* Durations are lognormal as far as their median and another quantile tell. */
static double expect_mean(const struct span_amounts *a, double share)
{
	double body = MIN(BODY, 1 - share), median, z, sigma, limit;

	if (!(body > 0.5) || !(share > 0))
		return INFINITY;
	median = quantile(a, 0.5);
	z = normal__quantile(body);
	sigma = MAX(LEAST_SIGMA, log(quantile(a, body) / median) / z);
	limit = normal__quantile(1 - share);
	return median * exp(sigma * sigma / 2) * normal__cdf(sigma - limit) / share;
}

void span_tail__look(struct span_tail *t, const struct span_amounts *durations, double slow)
{
	double all = 0, part = 0, sum = 0;
	struct bins b;

	*t = (struct span_tail){ .share = 0 };
	for (u32 i = 0; i < durations->nr; i++) {
		const struct span_amount *s = &durations->v[i];

		all += s->weight;
		part += s->amount >= slow ? s->weight : 0;
		sum += s->amount >= slow ? s->weight * s->amount : 0;
	}
	if (!(part > 0))
		return;
	t->share = part / all;
	t->mean = sum / part;
	t->expected = expect_mean(durations, t->share);
	bins__count(&b, durations, quantile(durations, 0.5), true);
	t->has_gap = bins__find_gap(&b, t->mean, &t->gap_from, &t->gap_to);
	t->is_detached =
		(t->has_gap && t->mean >= LONG * quantile(durations, 0.5)) || t->mean >= FAR * t->expected;
}
