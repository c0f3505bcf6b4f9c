#include "profile/causes/span_contrast.h"

#include "base/memory/array.h"
#include "profile/compare/distributions.h"

#include <math.h>
#include <stdlib.h>

#define EDGE 0.2 /* part of a group that is near its limit */

enum {
	BLOCKS = 32, /* of spans in the order of time: those of one block may depend on each other */
	NEAR = 10,   /* spans this many times as near as on average are in one burst */
};

void span_clusters__number(u32 *clusters, const u64 *begins, const u64 *ends, u32 nr)
{
	u64 near = nr ? (begins[nr - 1] - begins[0]) / nr / NEAR : 0, end = 0;

	for (u32 i = 0; i < nr; i++) {
		bool is_new = !i || (begins[i] >= end && begins[i] - begins[i - 1] >= near);

		clusters[i] = is_new ? (i ? clusters[i - 1] + 1 : 0) : clusters[i - 1];
		end = is_new ? ends[i] : end;
	}
}

u32 span_group__nr_clusters(const struct span_group *g)
{
	return !g->nr ? 0 : g->clusters ? g->clusters[g->nr - 1] + 1 : g->nr;
}

double span_group__together(const struct span_group *g)
{
	return g->nr ? (double)g->nr / span_group__nr_clusters(g) : 1;
}

static double group__weight(const struct span_group *g)
{
	double sum = 0;

	for (u32 i = 0; i < g->nr; i++)
		sum += g->weights[i];
	return sum;
}

static double group__mean(const struct span_group *g, const double *x)
{
	double sum = 0, weight = group__weight(g);

	for (u32 i = 0; i < g->nr; i++)
		sum += g->weights[i] * x[i];
	return weight > 0 ? sum / weight : 0;
}

/* ---- the interval ---- */

static int compare_doubles(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

struct edge { /* what spans near a limit of durations have */
	double sum, weight;
};

/* Add the spans that are the shortest or the longest ones of a group, of this weight together. */
static void edge__add(struct edge *e, const struct span_group *g, const double *x, bool shortest,
		      double weight)
{
	double *sorted, limit, all = group__weight(g);
	u32 nr = all > 0 ? (u32)MIN((double)g->nr, ceil(g->nr * weight / all)) : 0;

	if (!nr)
		return;
	sorted = xmalloc_large(g->nr * sizeof(*sorted));
	memcpy(sorted, g->ns, g->nr * sizeof(*sorted));
	qsort(sorted, g->nr, sizeof(*sorted), compare_doubles);
	limit = shortest ? sorted[nr - 1] : sorted[g->nr - nr];
	free(sorted);
	for (u32 i = 0; i < g->nr; i++) {
		if (shortest ? g->ns[i] > limit : g->ns[i] < limit)
			continue;
		e->sum += g->weights[i] * x[i];
		e->weight += g->weights[i];
	}
}

/*
 * Return the mean amount of the spans near the limit of a group: what a span more or less of it has. If the
 * limit is a duration, spans come and go at no such place: return the mean of all.
 */
static double groups__edge(const struct span_group *groups, const double *const *amounts, int group)
{
	const struct span_group *g = &groups[group], *between = &groups[SPANS_BETWEEN];
	double weight = EDGE * group__weight(g);
	struct edge e = { 0 };

	if (!(g->share > 0) || !g->nr)
		return group__mean(g, amounts[group]);
	edge__add(&e, g, amounts[group], group == SPANS_SLOW, weight);
	edge__add(&e, between, amounts[SPANS_BETWEEN], group != SPANS_SLOW, weight);
	return e.sum / e.weight;
}

struct moments {                /* of a mean */
	double variance, third; /* central moments; third: the sum of the cubes */
	double df;
};

/* Return how many spans from span i on are one cluster. */
static u32 group__cluster(const struct span_group *g, u32 i)
{
	u32 k = i + 1;

	while (g->clusters && k < g->nr && g->clusters[k] == g->clusters[i])
		k++;
	return k - i;
}

/*
 * Return the variance of the mean of a group, by blocks of clusters that follow each other: so clusters may
 * depend on those around.
 */
static double group__variance(const struct span_group *g, const double *x, double *df)
{
	u32 per_block = MAX(1u, span_group__nr_clusters(g) / BLOCKS), in_block = 0;
	double weight = group__weight(g), mean = group__mean(g, x), block = 0, variance = 0;

	*df = -1;
	for (u32 i = 0, nr; i < g->nr; i += nr) {
		nr = group__cluster(g, i);
		for (u32 k = i; k < i + nr; k++)
			block += g->weights[k] * (x[k] - mean) / weight;
		if (++in_block < per_block && i + nr < g->nr)
			continue;
		variance += block * block;
		block = 0;
		in_block = 0;
		(*df)++;
	}
	return *df > 0 ? variance * (*df + 1) / *df : 0;
}

/*
 * Return the moments of the mean of a group. If it is the part of the spans above a quantile, the quantile
 * is a random one, too: with one more span of a kind that is always slow, the group has one less of the
 * others. So what varies is the number of clusters, too, times their difference to the spans at the
 * quantile.
 */
static struct moments group__moments(const struct span_group *g, const double *x, double edge)
{
	double weight = group__weight(g), distance = group__mean(g, x) - edge, squares = 0;
	struct moments m = { .third = 0 };

	for (u32 i = 0, nr; i < g->nr; i += nr) {
		double of_cluster = 0, sum = 0;

		nr = group__cluster(g, i);
		for (u32 k = i; k < i + nr; k++) {
			of_cluster += g->weights[k] / weight;
			sum += g->weights[k] / weight * (x[k] - edge);
		}
		squares += of_cluster * of_cluster;
		m.third += sum * sum * sum;
	}
	m.variance = group__variance(g, x, &m.df) + (1 - g->share) * distance * distance * squares;
	return m;
}

/*
 * Set the interval of the difference. Amounts that few spans have, and these much of, are as skewed as
 * counts of rare events: where the variance depends on the mean, the score interval allows for it (Wilson's
 * idea). With the third moment 0 it is Welch's.
 */
static void contrast__set_interval(struct span_contrast *c, const struct moments m[SPANS_COMPARED])
{
	const struct moments *slow = &m[SPANS_SLOW], *fast = &m[SPANS_FAST];
	double variance = slow->variance + fast->variance, t, df, size, half;

	c->low = -INFINITY;
	c->high = INFINITY;
	if (slow->df < 1 || fast->df < 1)
		return;
	c->low = c->high = c->more;
	if (!(variance > 0))
		return;
	df = variance * variance /
	     (slow->variance * slow->variance / slow->df + fast->variance * fast->variance / fast->df);
	t = student__quantile(0.975, df);
	size = (slow->third - fast->third) / variance;
	half = t * sqrt(variance + size * size * t * t / 4);
	c->low = c->more + size * t * t / 2 - half;
	c->high = c->more + size * t * t / 2 + half;
	if (c->more > 0)
		c->low = MAX(c->low, c->more * exp(-t * sqrt(variance) / c->more));
}

/* ---- the test ---- */

/* Count the clusters of a group that have at least so much, on average. */
static u32 group__count(const struct span_group *g, const double *x, double least)
{
	u32 count = 0;

	for (u32 i = 0, nr; i < g->nr; i += nr) {
		double sum = 0;

		nr = group__cluster(g, i);
		for (u32 k = i; k < i + nr; k++)
			sum += x[k];
		count += sum >= least * nr;
	}
	return count;
}

/*
 * Test whether slow spans have half of the difference, or more, no more often than fast ones. Ranks would not
 * do: where a few slow spans have all of it, the others may have less of it than fast ones.
 */
static double contrast__test(const struct span_contrast *c, const struct span_group *groups,
			     const double *const *amounts)
{
	double least = c->mean[SPANS_FAST] + c->more / 2;
	u32 slow = span_group__nr_clusters(&groups[SPANS_SLOW]),
	    have = group__count(&groups[SPANS_SLOW], amounts[SPANS_SLOW], least),
	    fast = group__count(&groups[SPANS_FAST], amounts[SPANS_FAST], least);

	if (!(c->more > 0) || !have || !groups[SPANS_FAST].nr)
		return 1;
	return beta__cdf((fast + 1.0) / (groups[SPANS_FAST].nr + 1.0), have, slow - have + 1.0);
}

/* ---- all ---- */

static void contrast__count(struct span_contrast *c, const struct span_group *slow, const double *x)
{
	double least = c->mean[SPANS_FAST] + c->more / 2, weight = 0;
	u32 last = UINT32_MAX;

	for (u32 i = 0; i < slow->nr; i++) {
		u32 cluster = slow->clusters ? slow->clusters[i] : i;

		if (x[i] < least || !(c->more > 0))
			continue;
		c->nr_have++;
		c->nr_clusters += cluster != last;
		last = cluster;
		c->have_mean += slow->weights[i] * x[i];
		weight += slow->weights[i];
	}
	if (weight > 0)
		c->have_mean /= weight;
}

void span_contrast__make(struct span_contrast *c, const struct span_group groups[NR_SPAN_GROUPS],
			 const double *const amounts[NR_SPAN_GROUPS])
{
	struct moments m[SPANS_COMPARED];

	*c = (struct span_contrast){ .p = 1 };
	for (int i = 0; i < SPANS_COMPARED; i++) {
		c->mean[i] = group__mean(&groups[i], amounts[i]);
		m[i] = group__moments(&groups[i], amounts[i], groups__edge(groups, amounts, i));
	}
	c->more = c->mean[SPANS_SLOW] - c->mean[SPANS_FAST];
	contrast__set_interval(c, m);
	c->p = contrast__test(c, groups, amounts);
	contrast__count(c, &groups[SPANS_SLOW], amounts[SPANS_SLOW]);
}
