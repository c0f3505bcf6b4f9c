#include "stat/pair_evidence.h"

#include "base/memory/mem.h"
#include "profile/compare/distributions.h"

#include <float.h>
#include <math.h>

/* As for perf diff: part of comparisons that name an unchanged counter, below 5%, since t is approximate. */
#define ERROR_RATE 0.03
#define LEVEL 0.05  /* 1 - that of the interval */
#define Z_80 0.8416 /* quantiles of the normal distribution */
#define Z_90 1.2816
#define MOST_ROUNDS 1e6 /* more are not worth a number */

/* What the values of a counter come to. x is old, y is new; both are divided by scale. */
struct sums {
	double nr, scale, mean[2];
	double var_x, var_y, cov; /* of the means */
	double var_difference;    /* of the mean of y - x */
	double var_ratio;         /* of the mean of y * mean[0] - x * mean[1] */
};

static bool is_pair(const struct pair_values *v, u32 i)
{
	return isfinite(v->old[i]) && isfinite(v->new[i]);
}

static struct sums sum_up(const struct pair_values *v, u32 nr_rounds)
{
	struct sums s = { .scale = DBL_MIN };
	double n1;

	for (u32 i = 0; i < nr_rounds; i++) {
		if (!is_pair(v, i))
			continue;
		s.nr++;
		s.scale = MAX(s.scale, MAX(v->old[i], v->new[i]));
	}
	for (u32 i = 0; i < nr_rounds; i++) {
		if (!is_pair(v, i))
			continue;
		s.mean[0] += v->old[i] / s.scale / s.nr;
		s.mean[1] += v->new[i] / s.scale / s.nr;
	}
	n1 = s.nr * MAX(s.nr - 1, 1.0);
	for (u32 i = 0; i < nr_rounds; i++) {
		double x, y, off;

		if (!is_pair(v, i))
			continue;
		x = v->old[i] / s.scale - s.mean[0];
		y = v->new[i] / s.scale - s.mean[1];
		off = y * s.mean[0] - x * s.mean[1];
		s.var_x += x * x / n1;
		s.var_y += y * y / n1;
		s.cov += x * y / n1;
		s.var_difference += (y - x) * (y - x) / n1;
		s.var_ratio += off * off / n1;
	}
	return s;
}

/* ---- how the rounds are made ---- */

bool pair__old_first(u64 seed, u32 round)
{
	/* rounds 0 and 2 differ: the first three are not in step with a drift or a rhythm of 2 or 4 runs */
	u64 x = seed + (round == 2 ? 1 : round + 1ull) * 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (x >> 63) ^ (round == 2);
}

u32 pair_plan__next_look(const struct pair_plan *plan, u32 nr_rounds)
{
	u64 before = PAIR_MIN_ROUNDS, look = 5; /* Fibonacci numbers */

	if (nr_rounds >= plan->max_rounds)
		return 0;
	while (look <= nr_rounds) {
		u64 sum = before + look;

		before = look;
		look = sum;
	}
	/* no look shortly before the last one */
	return look >= plan->max_rounds - plan->max_rounds / 5 ? plan->max_rounds : (u32)look;
}

/*
 * Return the part of the error rate that a look after nr_rounds spends: all looks to the last one spend
 * the rate, each as much of it as there were rounds since the look before.
 */
static double pair_plan__part(const struct pair_plan *plan, u32 nr_rounds)
{
	u32 before = 0, look = 0;

	while (look < nr_rounds && look < plan->max_rounds) {
		before = look;
		look = pair_plan__next_look(plan, look);
	}
	return look ? (double)(look - before) / plan->max_rounds : 1;
}

/* ---- tests ---- */

/*
 * Two values that both programs have by chance, each in any run, are never as sure as t says: all old
 * values are the one and all new ones the other with a probability of up to 2/4^n. That is exact, so it is
 * compared with the whole level instead of the error rate.
 */
static double least_p(double nr)
{
	return 2 * pow(4, -nr) * ERROR_RATE / LEVEL;
}

/* Return the p-value of equal means. */
static double sums__p(const struct sums *s)
{
	double off = fabs(s->mean[1] - s->mean[0]);

	if (!(off > 0))
		return 1;
	return MAX(least_p(s->nr), student__two_sided(off / sqrt(s->var_difference), s->nr - 1));
}

/*
 * Set the interval of new / old (Fieller 1954): the ratios r for which the mean of y - r x is not further
 * from 0 than t standard errors. These are the r between the roots of a r^2 - 2 b r + c, or outside of
 * them if the old mean may be 0.
 */
static void set_interval(struct pair_evidence *e, const struct sums *s, double level)
{
	double t = student__quantile(1 - level / 2, s->nr - 1), q = t * t;
	double a = s->mean[0] * s->mean[0] - q * s->var_x, b = s->mean[0] * s->mean[1] - q * s->cov;
	double d = q * (s->var_ratio - q * (s->var_x * s->var_y - s->cov * s->cov));
	double low, high;

	if (!(s->mean[0] > 0)) { /* a constant 0 */
		bool is_positive = s->mean[1] * s->mean[1] > q * s->var_y;

		e->low = !(s->mean[1] > 0) ? 1 : is_positive ? INFINITY : 0;
		e->high = !(s->mean[1] > 0) ? 1 : INFINITY;
		return;
	}
	low = (b - sqrt(MAX(d, 0.0))) / a;
	high = (b + sqrt(MAX(d, 0.0))) / a;
	e->high = a > 0 ? high : INFINITY;
	/* if the old mean may be 0, high is the smaller root: ratios up to it and from low on are possible */
	e->low = a > 0 || high < 0 ? MAX(low, 0.0) : 0;
}

static void weigh(struct pair_evidence *e, const struct sums *s, double level)
{
	double nan = s->nr ? 1 : NAN;

	*e = (struct pair_evidence){ .nr = (u32)s->nr, .p = 1, .low = 0 * nan, .high = INFINITY * nan };
	for (u32 i = 0; i < 2; i++)
		e->mean[i] = s->mean[i] * s->scale * nan;
	e->change = s->mean[0] > 0 ? s->mean[1] / s->mean[0] : s->mean[1] > 0 ? INFINITY : nan;
	if (s->nr < 2)
		return;
	set_interval(e, s, level);
	e->p = sums__p(s);
}

/*
 * Return the largest p of a change, or the one that the first change would need: no unchanged counter is
 * named in 1 - rate of comparisons (Hochberg 1988), as perf diff does for functions. Counters with equal
 * means cannot be named.
 */
static double control_errors(const struct pair_evidence *rows, u32 nr_counters, double rate)
{
	double *p = xcalloc(nr_counters + 1, sizeof(*p)), limit;
	u32 nr = 0;

	for (u32 i = 0; i < nr_counters; i++)
		if (rows[i].nr >= PAIR_MIN_ROUNDS && rows[i].p < 1)
			p[nr++] = rows[i].p;
	limit = p_values__limit(p, nr, rate);
	free(p);
	return limit;
}

static enum verdict judge(const struct pair_evidence *e, double limit, double least_change)
{
	if (e->nr < PAIR_MIN_ROUNDS)
		return VERDICT_FEW;
	if (e->low * (1 + least_change) >= 1 && e->high <= 1 + least_change)
		return VERDICT_SAME;
	if (e->p > limit)
		return VERDICT_UNKNOWN;
	return e->change > 1 ? VERDICT_SLOWER : VERDICT_FASTER;
}

/*
 * Return how many more rounds decide with 80% power: they show a change of interest, or the near edge of
 * the interval, if that is larger; or else the interval of equal programs gets inside the smallest change
 * of interest. 0: nobody knows. Student's distribution takes z^2 / 2 rounds more than the normal one
 * (Guenther 1981); so many are enough for constants, too.
 */
static double more_rounds(const struct pair_evidence *e, const struct sums *s, double limit, double level,
			  double least_change)
{
	double interest = log1p(least_change), edge = MAX(log(e->low), -log(e->high));
	double noise = sqrt(s->var_difference * s->nr) / MAX(s->mean[0], s->mean[1]); /* of one round */
	double z = normal__quantile(1 - limit / 2), errors = (z + Z_80) / MAX(interest, edge), need;

	if (edge < interest)
		errors = MAX(errors, (normal__quantile(1 - level / 2) + Z_90) / interest);
	need = errors * errors * noise * noise + z * z / 2;
	return need < MOST_ROUNDS ? MAX(ceil(need - s->nr), 1.0) : 0;
}

void pair_evidence__weigh(struct pair_evidence *rows, const struct pair_values *values, u32 nr_counters,
			  u32 nr_rounds, const struct pair_plan *plan)
{
	struct sums *sums = xcalloc(nr_counters + 1, sizeof(*sums));
	double part = pair_plan__part(plan, nr_rounds), limit;

	for (u32 i = 0; i < nr_counters; i++) {
		sums[i] = sum_up(&values[i], nr_rounds);
		weigh(&rows[i], &sums[i], LEVEL * part);
	}
	limit = control_errors(rows, nr_counters, part * (part < 1 ? LEVEL : ERROR_RATE));
	for (u32 i = 0; i < nr_counters; i++) {
		struct pair_evidence *e = &rows[i];

		e->verdict = judge(e, limit, plan->least_change);
		if (e->verdict == VERDICT_FEW)
			e->needs = e->nr || !nr_rounds ? PAIR_MIN_ROUNDS - e->nr : 0;
		else if (e->verdict == VERDICT_UNKNOWN)
			e->needs = more_rounds(e, &sums[i], limit, LEVEL * part, plan->least_change);
	}
	free(sums);
}

bool pair_evidence__is_decided(const struct pair_evidence *e)
{
	return e->verdict == VERDICT_SAME || verdict__is_change(e->verdict);
}
