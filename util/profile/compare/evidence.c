#include "profile/compare/evidence.h"

#include "base/memory/mem.h"
#include "profile/compare/distributions.h"

#include <math.h>
#include <string.h>

/* Part of comparisons that report an unchanged row as changed: below 5%, since much is approximate. */
#define ERROR_RATE 0.03

#define LEAST_DISPERSION 0.05
#define LOPSIDED 4.0       /* times the cost of the other side: as if one side lacked the function */
#define MIN_SHARED_DF 12.0 /* degrees of freedom that a row borrows at least */
#define KINDS_VARIANCE 0.2 /* of the logarithms of the dispersions of rows that are of one kind */
#define MIN_BLOCKS 3.0     /* that the samples of a row must fill, so that blocks show how much they vary */

enum { OUTLIER = 3 }; /* standard deviations from the centre */

/* Intermediate results for a row, on the way to its verdict. */
struct row_state {
	double weight[2], count[2]; /* by side: sum of weights, effective samples */
	double offer[2];       /* expected samples for each unit of cost: exposure / weight of a sample */
	double raw, raw_df;    /* dispersion as observed, and its degrees of freedom; 0: unknown */
	double block_mean;     /* expected samples where the dispersion was observed */
	double dispersion, df; /* as used */
	double doubt;          /* as in struct evidence_row */
	double log_ratio, variance; /* of new / old, with the common change */
	bool is_tested, is_inlier;
	bool is_alone; /* the row varies in its own way: it borrows nothing and lends nothing */
};

struct weigher {
	const struct evidence_input *in;
	struct evidence *e;
	struct row_state *rows;
	u32 nr;                         /* recordings */
	double *factors;                /* by recording: cost of its rows / that of its side */
	double *totals;                 /* by recording, block */
	double sample_weight[2];        /* by side: weight of an effective sample */
	double exposure[2];             /* by side */
	double disagreement;            /* of the rows that make the common change */
	double common, common_variance; /* log */
};

static const double *weights_of(const struct weigher *w, u32 row, u32 recording)
{
	return w->in->weights + ((size_t)row * w->nr + recording) * EVIDENCE_BLOCKS;
}

static double weight_of(const struct weigher *w, u32 row, u32 recording)
{
	const double *v = weights_of(w, row, recording);
	double sum = 0;

	for (u32 b = 0; b < EVIDENCE_BLOCKS; b++)
		sum += v[b];
	return sum;
}

static u32 side_of(const struct weigher *w, u32 recording)
{
	return recording >= w->in->nr[0];
}

static int compare_doubles(const void *x, const void *y)
{
	const double *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

static double squares_of(const struct weigher *w, u32 row, u32 recording)
{
	return w->in->squares[(size_t)row * w->nr + recording];
}

/* ---- sums ---- */

/*
 * Sum up both sides. Samples with different weights w are worth (sum of w)^2 / (sum of w^2) equal ones, each
 * of the weight (sum of w^2) / (sum of w).
 */
static void weigher__sum_sides(struct weigher *w)
{
	double weight[2] = { 0 }, squares[2] = { 0 };

	for (u32 r = 0; r < w->nr; r++)
		w->exposure[side_of(w, r)] += w->in->exposure[r];
	for (u32 i = 0; i < w->in->nr_rows; i++)
		for (u32 r = 0; r < w->nr; r++) {
			const double *v = weights_of(w, i, r);

			for (u32 b = 0; b < EVIDENCE_BLOCKS; b++)
				w->totals[r * EVIDENCE_BLOCKS + b] += v[b];
			weight[side_of(w, r)] += weight_of(w, i, r);
			squares[side_of(w, r)] += squares_of(w, i, r);
		}
	for (u32 s = 0; s < 2; s++) {
		w->sample_weight[s] = weight[s] > 0 ? squares[s] / weight[s] : 1;
		w->e->total[s] = weight[s] / w->exposure[s];
	}
}

static void weigher__sum_row(struct weigher *w, u32 row)
{
	struct row_state *s = &w->rows[row];
	double squares[2] = { 0 };

	for (u32 r = 0; r < w->nr; r++) {
		s->weight[side_of(w, r)] += weight_of(w, row, r);
		squares[side_of(w, r)] += squares_of(w, row, r);
	}
	for (u32 i = 0; i < 2; i++) {
		double one = s->weight[i] > 0 ? squares[i] / s->weight[i] : w->sample_weight[i];

		s->count[i] = s->weight[i] / one;
		s->offer[i] = w->exposure[i] / one;
	}
	s->is_tested = s->count[0] + s->count[1] >= EVIDENCE_MIN_SAMPLES;
	s->log_ratio = log((s->count[1] + 0.5) / s->offer[1]) - log((s->count[0] + 0.5) / s->offer[0]);
}

/* ---- dispersion: how much more counts vary than those of independent samples ---- */

/*
 * Is the row a function that ran once, for a short time? The machine may have been slow just then, and other
 * rows, which run all the time, do not show it. Count one sample for each block that its samples fill.
 * squares: sum of squares of the samples in its blocks.
 */
static bool weigher__mark_burst(struct weigher *w, u32 row, double squares)
{
	struct row_state *s = &w->rows[row];
	double sum = s->count[0] + s->count[1];

	if (sum * sum >= MIN_BLOCKS * squares)
		return false;
	s->raw = squares / sum;
	s->raw_df = 1;
	s->is_alone = w->e->rows[row].is_burst = true;
	return true;
}

/*
 * With one recording a side, compare the blocks of both in the order of time. Phases that both programs have
 * do not count then, only differences between blocks: the new recording's part of the row's samples in a
 * block depends only on its part of all rows' samples there.
 */
static void weigher__disperse_blocks(struct weigher *w, u32 row)
{
	struct row_state *s = &w->rows[row];
	const double *old = weights_of(w, row, 0), *new = weights_of(w, row, 1);
	const double *t1 = w->totals, *t2 = w->totals + EVIDENCE_BLOCKS;
	double u1 = w->exposure[0] / s->offer[0], u2 = w->exposure[1] / s->offer[1];
	double n[EVIDENCE_BLOCKS], offer[EVIDENCE_BLOCKS], odds = 1, chi2 = 0, nr = 0, squares = 0;

	for (u32 b = 0; b < EVIDENCE_BLOCKS; b++) {
		n[b] = old[b] / u1 + new[b] / u2;
		offer[b] = t1[b] > 0 && t2[b] > 0 ? (t2[b] / u2) / (t1[b] / u1) : 1;
		squares += n[b] * n[b];
	}
	/* If one side has no samples, the other has them all in every block, however they vary. */
	if (weigher__mark_burst(w, row, squares) || !(s->count[0] > 0 && s->count[1] > 0))
		return;
	for (int step = 0; step < 20; step++) { /* until the expected sum is the observed one */
		double expected = 0, slope = 0;

		for (u32 b = 0; b < EVIDENCE_BLOCKS; b++) {
			double q = odds * offer[b] / (1 + odds * offer[b]);

			expected += n[b] * q;
			slope += n[b] * q * (1 - q);
		}
		if (slope < 1e-9)
			return;
		odds *= exp(MAX(-3.0, MIN(3.0, (s->count[1] - expected) / slope)));
	}
	for (u32 b = 0; b < EVIDENCE_BLOCKS; b++) {
		double q = odds * offer[b] / (1 + odds * offer[b]), off = new[b] / u2 - n[b] * q;

		if (n[b] > 0 && q * (1 - q) > 1e-12) {
			chi2 += off * off / (n[b] * q * (1 - q));
			nr++;
		}
	}
	if (nr < 3)
		return;
	s->raw_df = nr - 1;
	s->raw = chi2 / s->raw_df;
	s->block_mean = squares / 2 / (s->count[0] + s->count[1]);
}

/*
 * Return the dispersion of a row among the blocks of one side's recordings, of width blocks each, against
 * what all rows have there. Set *df to its degrees of freedom.
 */
static double weigher__disperse_side(const struct weigher *w, u32 row, u32 side, u32 width, double *df)
{
	double one = w->exposure[side] / w->rows[row].offer[side], chi2 = 0;

	*df = 0;
	for (u32 r = 0; r < w->nr; r++) {
		const double *v = weights_of(w, row, r), *all = w->totals + r * EVIDENCE_BLOCKS;
		double count = weight_of(w, row, r) / one, total = 0, nr = 0;

		if (side_of(w, r) != side || !(count > 0))
			continue;
		for (u32 b = 0; b < EVIDENCE_BLOCKS; b++)
			total += all[b];
		for (u32 b = 0; b < EVIDENCE_BLOCKS; b += width) {
			double expected = 0, n = 0;

			for (u32 i = b; i < b + width; i++) {
				expected += count * all[i] / total;
				n += v[i] / one;
			}
			chi2 += expected > 0 ? (n - expected) * (n - expected) / expected : 0;
			nr += expected > 0;
		}
		*df += MAX(nr - 1, 0.0);
	}
	return *df > 0 ? chi2 / *df : 0;
}

/*
 * A row that one side lacks, or nearly so, fits any blocks of both: its samples may come from one burst,
 * which the other side missed. The blocks of the side that has the samples show it; wider blocks show bursts
 * that last for several blocks.
 */
static void weigher__disperse_alone(struct weigher *w, u32 row)
{
	struct row_state *s = &w->rows[row];
	double costs[2] = { s->count[0] / s->offer[0], s->count[1] / s->offer[1] };
	u32 side = costs[1] > costs[0];

	if (costs[side] < LOPSIDED * costs[!side] || w->in->nr[side] > 1)
		return;
	for (u32 width = 1; width <= 4; width *= 2) {
		double df, dispersion = weigher__disperse_side(w, row, side, width, &df);

		if (!(df > 0) || dispersion <= MAX(s->raw, 1.0))
			continue;
		s->raw = dispersion;
		s->raw_df = df;
		s->is_alone = true;
	}
}

/* Compare several recordings of a side with each other. */
static void weigher__disperse_recordings(struct weigher *w, u32 row)
{
	struct row_state *s = &w->rows[row];
	double chi2 = 0, offered[2] = { 0 }, nr = 0, mean = 0;

	for (u32 r = 0; r < w->nr; r++)
		offered[side_of(w, r)] += w->in->exposure[r] * w->factors[r];
	for (u32 r = 0; r < w->nr; r++) {
		u32 side = side_of(w, r);
		double one = w->exposure[side] / s->offer[side];
		double expected = s->count[side] * w->in->exposure[r] * w->factors[r] / offered[side];
		double off = weight_of(w, row, r) / one - expected;

		if (w->in->nr[side] < 2 || expected <= 0)
			continue;
		chi2 += off * off / expected;
		mean += expected * expected;
		nr += 1.0 - 1.0 / w->in->nr[side];
	}
	if (nr <= 0)
		return;
	s->raw_df = nr;
	s->raw = chi2 / nr;
	s->block_mean = mean / (s->count[0] + s->count[1]);
}

/*
 * Noise that multiplies costs makes the dispersion grow with the number of samples, as 1 + slope * mean.
 * Return the slope that fits the rows best.
 */
static double weigher__dispersion_slope(const struct weigher *w)
{
	double slope = 0;

	for (int step = 0; step < 30; step++) {
		double sum = 0, weight = 0;

		for (u32 i = 0; i < w->in->nr_rows; i++) {
			const struct row_state *s = &w->rows[i];
			double trend = 1 + slope * s->block_mean, weigh;

			if (!s->is_tested || !s->raw_df || s->is_alone)
				continue;
			weigh = s->raw_df * s->block_mean * s->block_mean / (trend * trend);
			/* a row that is far off tells little about the others */
			weigh /= MAX(1.0, s->raw / trend / 3);
			sum += weigh * (s->raw - 1) / s->block_mean;
			weight += weigh;
		}
		slope = weight > 0 ? MAX(0.0, sum / weight) : 0;
	}
	return slope;
}

/* Return the logarithm of the row's dispersion relative to the trend. */
static double row_state__log_dispersion(const struct row_state *s, double slope)
{
	double half = s->raw_df / 2;

	return log(MAX(s->raw / (1 + slope * s->block_mean), 1e-3)) - digamma(half) + log(half);
}

/*
 * Set aside rows that vary far more than most, such as work that is done once, for a short time: they would
 * make all other rows look uncertain.
 */
static void weigher__part_outliers(struct weigher *w, double slope)
{
	double *logs = xcalloc(w->in->nr_rows, sizeof(*logs)), median = 0;
	u32 nr = 0;

	for (u32 i = 0; i < w->in->nr_rows; i++) {
		const struct row_state *s = &w->rows[i];

		if (s->is_tested && s->raw_df > 0 && !s->is_alone)
			logs[nr++] = row_state__log_dispersion(s, slope);
	}
	if (nr) {
		qsort(logs, nr, sizeof(*logs), compare_doubles);
		median = logs[nr / 2];
	}
	for (u32 i = 0; i < w->in->nr_rows; i++) {
		struct row_state *s = &w->rows[i];

		if (s->is_tested && s->raw_df > 0)
			s->is_alone |= row_state__log_dispersion(s, slope) - median >
				       OUTLIER * sqrt(KINDS_VARIANCE + trigamma(s->raw_df / 2));
	}
	free(logs);
}

struct prior {
	double df, scale;
};

/*
 * Fit a scaled F distribution to the dispersions of all rows, relative to the trend (Smyth 2004): rows then
 * borrow from each other. The prior of few rows is no stronger than the rows together.
 */
static struct prior weigher__fit_prior(const struct weigher *w, double slope)
{
	double sum = 0, squares = 0, noise = 0, df = 0, nr = 0, mean, variance;
	struct prior p = { 0, 1 };

	for (u32 i = 0; i < w->in->nr_rows; i++) {
		const struct row_state *s = &w->rows[i];
		double x;

		if (!s->is_tested || !s->raw_df || s->is_alone)
			continue;
		x = row_state__log_dispersion(s, slope);
		sum += x;
		squares += x * x;
		noise += trigamma(s->raw_df / 2);
		df += s->raw_df;
		nr++;
	}
	if (nr < 2)
		return p;
	mean = sum / nr;
	variance = (squares - nr * mean * mean) / (nr - 1) - noise / nr;
	p.df = variance > 1e-6 ? 2 * trigamma__inverse(variance) : INFINITY;
	p.scale = exp(mean + (isinf(p.df) ? 0 : digamma(p.df / 2) - log(p.df / 2)));
	p.df = MIN(p.df, df * (nr - 1) / nr);
	return p;
}

/* Return the variance of the logarithm of a row's ratio if its samples are independent. */
static double row_state__chance(const struct row_state *s)
{
	return 1 / (s->count[0] + 0.5) + 1 / (s->count[1] + 0.5);
}

static void weigher__disperse(struct weigher *w)
{
	bool has_replicates = w->nr > 2;
	struct prior prior;
	double slope;

	for (u32 i = 0; i < w->in->nr_rows; i++) {
		if (!w->rows[i].is_tested)
			continue;
		if (has_replicates)
			weigher__disperse_recordings(w, i);
		else
			weigher__disperse_blocks(w, i);
		weigher__disperse_alone(w, i);
	}
	slope = weigher__dispersion_slope(w);
	weigher__part_outliers(w, slope);
	prior = weigher__fit_prior(w, slope);
	for (u32 i = 0; i < w->in->nr_rows; i++) {
		struct row_state *s = &w->rows[i];
		double trend = (1 + slope * s->block_mean) * prior.scale;
		double prior_df = s->is_alone ? 0 : prior.df;

		/*
		 * A row that varies more than the others may be of another kind: give its own dispersion more
		 * weight, and most when the others are more regular than chance, as samples of long functions
		 * are. With one recording a side, only the row's own blocks can show that it is as regular.
		 */
		if (s->raw_df > 0 && (s->raw > trend || (trend < 1 && !has_replicates)))
			prior_df = MIN(prior_df, MAX(s->raw_df, MIN_SHARED_DF) / (trend < 1 ? 4 : 1));
		if (!has_replicates)
			trend = MAX(trend, 1.0);
		s->df = prior_df + s->raw_df;
		s->dispersion = s->df > 0 ? (prior_df * trend + s->raw_df * s->raw) / s->df : 1;
		s->dispersion = MAX(s->dispersion, LEAST_DISPERSION);
		s->doubt = w->in->doubts ? w->in->doubts[i] : 0;
		/* doubt is the whole error of one recording; the dispersion has a part of it already */
		s->variance = MAX(s->dispersion * row_state__chance(s), s->doubt);
	}
}

/* ---- what all rows share ---- */

enum {
	MAX_CANDIDATES = 200, /* rows that are tried as the centre */
	MIN_SHARING = 3,      /* rows; fewer do not show what they share */
};

static double weigher__misfit(const struct weigher *w, double centre, double prior_variance)
{
	double sum = centre * centre / (2 * prior_variance);

	for (u32 i = 0; i < w->in->nr_rows; i++) {
		const struct row_state *s = &w->rows[i];
		double off = s->log_ratio - centre;

		if (s->is_tested)
			sum += MIN(off * off / s->variance, (double)OUTLIER * OUTLIER) / 2;
	}
	return sum;
}

/* Set the centre to the weighted mean of the rows near it, and return the weight. */
static double weigher__average(struct weigher *w, double *centre, double prior_variance)
{
	double weight = 1 / prior_variance, sum = 0;

	for (u32 i = 0; i < w->in->nr_rows; i++) {
		struct row_state *s = &w->rows[i];
		double off = s->log_ratio - *centre;

		s->is_inlier = s->is_tested && off * off < OUTLIER * OUTLIER * s->variance;
		if (s->is_inlier) {
			sum += s->log_ratio / s->variance;
			weight += 1 / s->variance;
		}
	}
	*centre = sum / weight;
	return weight;
}

/* Return by how much the rows near the centre disagree: 1 or more; 1 is what their errors explain. */
static double weigher__disagreement(const struct weigher *w)
{
	double chi2 = 0, nr = 0;

	for (u32 i = 0; i < w->in->nr_rows; i++) {
		const struct row_state *s = &w->rows[i];
		double off = s->log_ratio - w->common;

		chi2 += s->is_inlier ? off * off / s->variance : 0;
		nr += s->is_inlier;
	}
	return nr > 1 ? MAX(1.0, chi2 / (nr - 1)) : 1;
}

/*
 * Find the change that most rows share: of the machine, the load or the input. It is the centre that the
 * fewest rows disagree with; a changed row counts as one, however large it is.
 */
static void weigher__find_common(struct weigher *w)
{
	const u32 *nr = w->in->nr;
	double prior = w->in->work_noise * w->in->work_noise * (1.0 / nr[0] + 1.0 / nr[1]);
	double best = 0, least = weigher__misfit(w, 0, prior), limit = INFINITY;
	u32 nr_tested = 0;

	for (u32 i = 0; i < w->in->nr_rows; i++)
		nr_tested += w->rows[i].is_tested;
	if (nr_tested < MIN_SHARING) {
		w->common = 0;
		w->common_variance = prior;
		w->disagreement = 1;
		return;
	}
	if (nr_tested > MAX_CANDIDATES) { /* those with most samples: a part of the average */
		double mean = 0;

		for (u32 i = 0; i < w->in->nr_rows; i++)
			mean += w->rows[i].is_tested ? 1 / w->rows[i].variance : 0;
		limit = nr_tested / mean;
	}
	for (u32 i = 0, tried = 0; i < w->in->nr_rows && tried < MAX_CANDIDATES; i++) {
		double misfit;

		if (!w->rows[i].is_tested || w->rows[i].variance > limit)
			continue;
		tried++;
		misfit = weigher__misfit(w, w->rows[i].log_ratio, prior);
		if (misfit < least) {
			least = misfit;
			best = w->rows[i].log_ratio;
		}
	}
	w->common = best;
	for (int step = 0; step < 10; step++)
		w->common_variance = 1 / weigher__average(w, &w->common, prior);
	w->disagreement = weigher__disagreement(w);
}

/*
 * If a side has several recordings, find by how much all rows of each differ from its side: the same machine
 * is not always equally fast.
 */
static void weigher__find_factors(struct weigher *w)
{
	struct weigher part = *w;
	struct row_state *rows = xcalloc(w->in->nr_rows, sizeof(*rows));

	part.rows = rows;
	for (u32 r = 0; r < w->nr; r++) {
		u32 side = side_of(w, r);
		double share = w->in->exposure[r] / w->exposure[side];

		w->factors[r] = 1;
		if (w->in->nr[side] < 2)
			continue;
		for (u32 i = 0; i < w->in->nr_rows; i++) {
			const struct row_state *s = &w->rows[i];
			double one = w->exposure[side] / s->offer[side];
			double expected = s->count[side] * share;
			double count = weight_of(w, i, r) / one;

			rows[i].is_tested = s->is_tested && expected >= 5;
			rows[i].log_ratio = log((count + 0.5) / (expected + 0.5));
			rows[i].variance = 1 / (expected + 0.5) + 0.0001;
		}
		weigher__find_common(&part);
		w->factors[r] = exp(part.common);
	}
	free(rows);
}

/* Return the spread of log(x[r]) within the sides, and its degrees of freedom. */
static double weigher__spread(const struct weigher *w, const double *x, double *df)
{
	double sum[2] = { 0 }, squares[2] = { 0 };

	for (u32 r = 0; r < w->nr; r++) {
		double v = log(MAX(x[r], 1e-12));

		sum[side_of(w, r)] += v;
		squares[side_of(w, r)] += v * v;
	}
	*df = (double)w->nr - 2;
	for (u32 s = 0; s < 2; s++)
		squares[s] -= sum[s] * sum[s] / w->in->nr[s];
	return *df > 0 ? sqrt(MAX(squares[0] + squares[1], 0.0) / *df) : NAN;
}

/* Set the totals. Only several recordings tell how the total and the common change vary from run to run. */
static void weigher__set_totals(struct weigher *w)
{
	double *costs = xcalloc(w->nr, sizeof(*costs)), df, spread, half;
	double several = 1.0 / w->in->nr[0] + 1.0 / w->in->nr[1];
	struct evidence *e = w->e;

	for (u32 r = 0; r < w->nr; r++) {
		for (u32 b = 0; b < EVIDENCE_BLOCKS; b++)
			costs[r] += w->totals[r * EVIDENCE_BLOCKS + b];
		costs[r] /= w->in->exposure[r];
	}
	spread = weigher__spread(w, costs, &df);
	half = df > 0 ? student__quantile(0.975, df) * sqrt(several) : NAN;
	e->total_low = e->total[1] / e->total[0] * exp(-half * spread);
	e->total_high = e->total[1] / e->total[0] * exp(half * spread);
	half *= weigher__spread(w, w->factors, &df);
	if (!(df > 0))
		half = 0;
	half = hypot(half, 1.96 * sqrt(w->common_variance * w->disagreement));
	e->common = exp(w->common);
	e->common_error = sqrt(w->common_variance);
	e->common_low = exp(w->common - half);
	e->common_high = exp(w->common + half);
	free(costs);
}

/* ---- tests ---- */

/*
 * Set the interval of the ratio new / old. The new side's part of all samples has the distribution of
 * Jeffreys' posterior. If there are many samples, the logarithm of the ratio is normal.
 */
static void set_interval(struct evidence_row *row, double k1, double k2, double unit)
{
	double t = student__quantile(0.975, row->df), tail = 1 - normal__cdf(t);

	if (k1 > 500 && k2 > 500) {
		double half = t * sqrt(1 / k1 + 1 / k2);

		row->low = unit * k2 / k1 * exp(-half);
		row->high = unit * k2 / k1 * exp(half);
		return;
	}
	row->low = k2 > 0 ? beta__quantile(tail, k2 + 0.5, k1 + 0.5) : 0;
	row->high = k1 > 0 ? beta__quantile(1 - tail, k2 + 0.5, k1 + 0.5) : 1;
	row->low *= unit / (1 - row->low);
	row->high = row->high < 1 ? row->high * unit / (1 - row->high) : INFINITY;
}

/*
 * Return doubt as a dispersion. If one side has few samples, chance alone is wide: take the numbers that both
 * sides would have without a change.
 */
static double row_state__doubt(const struct row_state *s)
{
	double offers = s->offer[0] + s->offer[1];
	double equal = (s->count[0] + s->count[1]) * s->offer[0] * s->offer[1] / (offers * offers);

	return s->doubt * MAX(equal, 1 / row_state__chance(s));
}

static void weigher__test(struct weigher *w, u32 i)
{
	const struct row_state *s = &w->rows[i];
	struct evidence_row *row = &w->e->rows[i];
	double weight = 1 / w->common_variance, common, variance, spread, unit, z, k1, k2;
	double largest = MAX(row->cost[0], row->cost[1]);

	/* the change that the other rows share */
	weight -= s->is_inlier ? 1 / s->variance : 0;
	common = (w->common / w->common_variance - (s->is_inlier ? s->log_ratio / s->variance : 0)) / weight;
	variance = w->disagreement / weight;
	spread = MAX(s->dispersion, row_state__doubt(s)) + variance / row_state__chance(s);
	k1 = s->count[0] / spread;
	k2 = s->count[1] / spread;
	unit = s->offer[0] / (s->offer[1] * exp(common)); /* turns the odds of counts into a ratio of costs */
	row->df = s->df > 0 ? s->df : INFINITY;
	row->dispersion = s->dispersion;
	row->doubt = s->doubt;
	row->log_error = sqrt(s->variance + variance);
	row->change = s->count[0] > 0 ? unit * s->count[1] / s->count[0] : INFINITY;
	set_interval(row, k1, k2, unit);
	row->p = binomial__mid_p(k2, k1, 1 / (1 + unit));
	z = normal__quantile(MAX(row->p / 2, 1e-300));
	row->p = student__two_sided(z, row->df);
	row->interest =
		log1p(MIN(w->in->least_row, largest > 0 ? w->in->least_total * w->e->total[0] / largest : 1));
}

/*
 * Limit false changes: 95% of comparisons report no unchanged row (Hochberg 1988), which also keeps the false
 * discovery rate below 5%. Return the largest p of a change, or the p that the first one would need.
 */
static double weigher__control_errors(const struct weigher *w)
{
	double *p = xcalloc(w->in->nr_rows, sizeof(*p)), limit;
	u32 nr = 0;

	for (u32 i = 0; i < w->in->nr_rows; i++)
		if (w->rows[i].is_tested)
			p[nr++] = w->e->rows[i].p;
	limit = p_values__limit(p, nr, ERROR_RATE);
	free(p);
	return limit;
}

bool verdict__is_change(enum verdict v)
{
	return v >= VERDICT_FASTER;
}

static enum verdict judge(const struct weigher *w, const struct row_state *s, const struct evidence_row *row)
{
	if (!s->is_tested)
		return VERDICT_FEW;
	if (row->low > exp(-row->interest) && row->high < exp(row->interest))
		return VERDICT_SAME;
	if (row->p > w->e->alpha)
		return VERDICT_UNKNOWN;
	if (row->change > 1)
		return s->count[0] > 0 ? VERDICT_SLOWER : VERDICT_NEW;
	return s->count[1] > 0 ? VERDICT_FASTER : VERDICT_GONE;
}

double evidence_row__power(const struct evidence *e, const struct evidence_row *row, double ratio)
{
	double t = student__quantile(1 - e->alpha / 2, row->df);

	return normal__cdf(fabs(log(ratio)) / row->log_error - t);
}

void evidence__weigh(struct evidence *e, const struct evidence_input *in)
{
	struct weigher w = { .in = in, .e = e, .nr = in->nr[0] + in->nr[1] };

	*e = (struct evidence){ .rows = xcalloc(in->nr_rows, sizeof(*e->rows)) };
	w.rows = xcalloc(in->nr_rows, sizeof(*w.rows));
	w.factors = xcalloc(w.nr, sizeof(*w.factors));
	w.totals = xcalloc((size_t)w.nr * EVIDENCE_BLOCKS, sizeof(*w.totals));
	weigher__sum_sides(&w);
	for (u32 i = 0; i < in->nr_rows; i++) {
		weigher__sum_row(&w, i);
		for (u32 s = 0; s < 2; s++) {
			e->rows[i].samples[s] = w.rows[i].count[s];
			e->rows[i].cost[s] = w.rows[i].weight[s] / w.exposure[s];
		}
	}
	weigher__find_factors(&w);
	weigher__disperse(&w);
	if (in->others) {
		w.common = log(in->others->common);
		w.common_variance = in->others->common_error * in->others->common_error;
		w.disagreement = 1;
	} else {
		weigher__find_common(&w);
	}
	weigher__set_totals(&w);
	for (u32 i = 0; i < in->nr_rows; i++)
		if (w.rows[i].is_tested)
			weigher__test(&w, i);
	e->alpha = weigher__control_errors(&w);
	for (u32 i = 0; i < in->nr_rows; i++) {
		struct evidence_row *row = &e->rows[i];
		double least; /* log of the smallest change of interest that the interval allows */

		row->verdict = judge(&w, &w.rows[i], row);
		if (row->verdict == VERDICT_FEW)
			continue;
		row->finds = (student__quantile(1 - e->alpha / 2, row->df) + 0.8416) * row->log_error;
		least = MAX(row->interest, MAX(log(row->low), -log(row->high)));
		row->needs = row->finds * row->finds / (least * least);
	}
	free(w.rows);
	free(w.factors);
	free(w.totals);
}

void evidence__exit(struct evidence *e)
{
	free(e->rows);
	e->rows = NULL;
}
