/*
 * Are the verdicts of perf diff as certain as they say? Simulate programs whose true costs are known, weigh
 * the evidence with the functions that perf diff uses, and count: how often equal programs are told apart,
 * how often the 95% intervals have the truth, how many of the named changes are none, and whether changes
 * are found as often as the power says.
 *	calibrate [PAIRS [SEED]]
 * The exit status is 1 if a figure is out of its limits.
 */
#include "base/memory/mem.h"
#include "profile/compare/evidence.h"
#include "tests/diff/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 200, RECORDINGS_MAX = 11 };

/* A Poisson number: small ones by multiplying, large ones by Hoermann's transformed rejection (1993). */
static double poisson(double mean)
{
	double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b, alpha = 1.1239 + 1.1328 / (b - 3.4);

	if (mean < 10) {
		double product = uniform(), limit = exp(-mean), n = 0;

		for (; product > limit; n++)
			product *= uniform();
		return n;
	}
	for (;;) {
		double u = uniform() - 0.5, v = uniform(), us = 0.5 - fabs(u);
		double k = floor((2 * a / us + b) * u + mean + 0.43);

		if (us < 0.013 && v > us)
			continue;
		if (k >= 0 && log(v * alpha / (a / (us * us) + b)) <= k * log(mean) - mean - lgamma(k + 1))
			return k;
	}
}

struct program {
	u32 nr_rows, nr_runs[2];                 /* runs: recordings of each side */
	double cost[ROWS_MAX], effect[ROWS_MAX]; /* samples a run; log of new / old */
	double begin[ROWS_MAX], end[ROWS_MAX];   /* the phase in which the row runs: parts of the run */
	double bursts[ROWS_MAX], runs[ROWS_MAX]; /* relative noise of a block, of a run */
	double regular[ROWS_MAX];                /* part of the samples' variance that is left; 1: chance */
	double work_noise;                       /* of runs as a whole */
	double longer;                           /* so many times the work in each new recording */
};

static struct program make_program(const u32 nr_runs[2], double least_samples, double longer)
{
	struct program p = { .nr_rows = (u32)log_between(5, ROWS_MAX),
			     .nr_runs = { nr_runs[0], nr_runs[1] },
			     .work_noise = 0.03,
			     .longer = longer };
	double samples = log_between(least_samples, 50000), steepness = between(0.5, 1.5), sum = 0;
	bool has_phases = uniform() < 0.5, has_bursts = uniform() < 0.5, is_regular = uniform() < 0.5;
	double burst = between(0, 0.5), run = between(0, 0.05);

	for (u32 i = 0; i < p.nr_rows; i++)
		sum += p.cost[i] = pow(i + 1, -steepness);
	for (u32 i = 0; i < p.nr_rows; i++) {
		p.cost[i] *= samples / sum;
		p.begin[i] = has_phases ? between(0, 0.8) : 0;
		p.end[i] = has_phases ? between(p.begin[i] + 0.1, 1) : 1;
		p.bursts[i] = has_bursts && uniform() < 0.3 ? burst : 0;
		p.runs[i] = nr_runs[0] > 1 ? run : 0;
		/* samples at equal distances of functions that run for longer than that */
		p.regular[i] = is_regular && p.cost[i] > 500 ? between(0.05, 1) : 1;
	}
	return p;
}

/* The part of block b in which the row runs. */
static double activity(const struct program *p, u32 row, u32 b)
{
	double from = MAX(p->begin[row], (double)b / EVIDENCE_BLOCKS);
	double to = MIN(p->end[row], (b + 1.0) / EVIDENCE_BLOCKS);

	return MAX(to - from, 0.0) / (p->end[row] - p->begin[row]);
}

/* A number of samples whose variance is a part of that of chance. */
static double count(double mean, double part)
{
	return part < 1 && mean > 10 ? floor(MAX(mean + sqrt(part * mean) * gauss(), 0.0) + uniform())
				     : poisson(mean);
}

static void run_program(const struct program *p, struct evidence_input *in, double *weights, double *squares)
{
	u32 nr = p->nr_runs[0] + p->nr_runs[1];

	for (u32 r = 0; r < nr; r++) {
		double machine = exp(p->work_noise * gauss());

		for (u32 i = 0; i < p->nr_rows; i++) {
			double run = exp(p->runs[i] * gauss() - p->runs[i] * p->runs[i] / 2);
			double cost = p->cost[i] * machine * run *
				      (r < p->nr_runs[0] ? 1 : p->longer * exp(p->effect[i]));
			double *w = weights + ((size_t)i * nr + r) * EVIDENCE_BLOCKS, sum = 0;

			for (u32 b = 0; b < EVIDENCE_BLOCKS; b++) {
				double burst = exp(p->bursts[i] * gauss() - p->bursts[i] * p->bursts[i] / 2);

				sum += w[b] = count(cost * activity(p, i, b) * burst + 1e-12, p->regular[i]);
			}
			squares[(size_t)i * nr + r] = sum;
		}
	}
	in->nr_rows = p->nr_rows;
	in->nr[0] = p->nr_runs[0];
	in->nr[1] = p->nr_runs[1];
}

struct score {
	double pairs, accused;       /* pairs with any change named */
	double rows, covered, below; /* tested rows; the truth is in the interval, is below it */
	double named, wrong; /* changes named in pairs; of these, rows without an effect: rates added up */
	double found, power; /* of the changed row; what the power says */
};

static void judge(struct score *s, const struct program *p, const struct evidence *e, u32 changed)
{
	double named = 0, wrong = 0;

	for (u32 i = 0; i < p->nr_rows; i++) {
		const struct evidence_row *row = &e->rows[i];
		double truth = exp(p->effect[i]);

		if (row->verdict == VERDICT_FEW)
			continue;
		s->rows++;
		s->covered += row->low <= truth && truth <= row->high;
		s->below += truth < row->low;
		named += verdict__is_change(row->verdict);
		wrong += verdict__is_change(row->verdict) && p->effect[i] == 0;
	}
	s->pairs++;
	s->accused += wrong > 0;
	s->named += named > 0;
	s->wrong += named > 0 ? wrong / named : 0;
	if (changed < p->nr_rows) {
		s->found += verdict__is_change(e->rows[changed].verdict);
		s->power += evidence_row__power(e, &e->rows[changed], exp(p->effect[changed]));
	}
}

enum effect { EFFECT_NONE, EFFECT_ONE, EFFECT_MANY };

static struct score simulate(u32 pairs, const u32 nr_runs[2], enum effect effect, double size, double longer)
{
	static double weights[ROWS_MAX * RECORDINGS_MAX * EVIDENCE_BLOCKS],
		squares[ROWS_MAX * RECORDINGS_MAX];
	double exposure[RECORDINGS_MAX];
	struct evidence_input in = { .exposure = exposure,
				     .weights = weights,
				     .squares = squares,
				     .work_noise = 0.05,
				     .least_row = 0.0,
				     .least_total = 0.0 };
	struct score s = { 0 };

	for (u32 r = 0; r < RECORDINGS_MAX; r++)
		exposure[r] = r < nr_runs[0] ? 1 : longer;
	for (u32 i = 0; i < pairs; i++) {
		struct program p = make_program(nr_runs, effect == EFFECT_NONE ? 300 : 3000, longer);
		u32 changed = UINT32_MAX;
		struct evidence e;

		if (effect == EFFECT_ONE)
			p.effect[changed = (u32)between(0, MIN(p.nr_rows, 5u))] = log1p(size);
		for (u32 k = 0; effect == EFFECT_MANY && k < p.nr_rows; k++)
			p.effect[k] = uniform() < 0.2 ? size * gauss() : 0;
		run_program(&p, &in, weights, squares);
		evidence__weigh(&e, &in);
		judge(&s, &p, &e, changed);
		evidence__exit(&e);
	}
	return s;
}

static int nr_bad;

static void check(const char *what, double value, double from, double to)
{
	bool is_good = value >= from && value <= to;

	printf("%-52s %6.2f%%  (%g to %g) %s\n", what, 100 * value, 100 * from, 100 * to,
	       is_good ? "ok" : "OUT OF LIMITS");
	nr_bad += !is_good;
}

int main(int argc, char **argv)
{
	static const u32 runs[][2] = { { 1, 1 }, { 2, 2 }, { 3, 3 }, { 5, 5 } },
			 baseline[][2] = { { 3, 1 }, { 10, 1 } };
	static const double sizes[] = { 0.03, 0.05, 0.10, 0.20 };
	u32 pairs = argc > 1 ? (u32)atoi(argv[1]) : 10000;
	char what[80];

	state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		struct score s = simulate(pairs, runs[i], EFFECT_NONE, 0, 1);

		snprintf(what, sizeof(what), "%u recordings a side: equal programs told apart", runs[i][0]);
		check(what, s.accused / s.pairs, 0, 0.055);
		check("    95% intervals with the truth", s.covered / s.rows, 0.93, 0.97);
		s = simulate(pairs / 10, runs[i], EFFECT_MANY, 0.3, 1);
		check("    many changes: named ones that are none", s.named ? s.wrong / s.named : 0, 0, 0.05);
		check("    many changes: intervals with the truth", s.covered / s.rows, 0.93, 0.97);
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
			s = simulate(pairs / 10, runs[i], EFFECT_ONE, sizes[k], 1);
			snprintf(what, sizeof(what), "    one %.0f%% slower: found %.1f%%, less power",
				 100 * sizes[k], 100 * s.found / s.pairs);
			check(what, (s.found - s.power) / s.pairs, -0.05, 0.05);
			check("        something else accused", s.accused / s.pairs, 0, 0.055);
		}
	}
	struct score s = simulate(pairs / 10, runs[0], EFFECT_NONE, 0, 100);

	check("1 recording a side, 100 times the work: told apart", s.accused / s.pairs, 0, 0.055);
	check("    95% intervals with the truth", s.covered / s.rows, 0.93, 0.97);
	/* --baseline: several recordings, and a new one */
	for (size_t i = 0; i < ARRAY_SIZE(baseline); i++) {
		s = simulate(pairs, baseline[i], EFFECT_NONE, 0, 1);
		snprintf(what, sizeof(what), "%u of a baseline: equal programs told apart", baseline[i][0]);
		check(what, s.accused / s.pairs, 0, 0.055);
		check("    95% intervals with the truth", s.covered / s.rows, 0.93, 0.97);
	}
	return nr_bad > 0;
}
