/*
 * The statistics of perf diff against a second program, tests/data/evidence/reference.py, which has
 * other code for the distributions: all figures of rows of many kinds, of one and of several
 * recordings.
 */
#include "unit.h"

#include "base/memory/mem.h"
#include "base/text/strbuf.h"
#include "profile/compare/evidence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 24, FIGURES = 18 };

/* Counts by chance, as class Case of reference.py makes them. */
struct counts {
	u64 state;
	u32 nr_rows, nr[2];
	double factor;
	bool few, has_doubts;
	double *weights, *squares, *exposure, *doubts;
};

static u32 draw(struct counts *c, u32 n)
{
	c->state = c->state * 6364136223846793005 + 1442695040888963407;
	return (u32)((c->state >> 33) % n);
}

static u32 count(struct counts *c, u32 row, u32 mean, u32 block, u32 recording)
{
	u32 kind = row / 2 % 5, n = 0;

	if (row % 11 == 9 && recording >= c->nr[0])
		return block == 7;
	if (kind == 1) /* regular */
		return mean + draw(c, 2);
	if (kind == 2 && row >= 10) /* a burst */
		return block == 0 || block == 5 ? mean * 8 : 0;
	if (kind == 3) /* varies much */
		return draw(c, 2 * mean + 1);
	for (u32 i = 0; i < 4 * mean; i++)
		n += !draw(c, 4);
	return n + (kind == 4 ? mean * recording / 8 : 0);
}

static u32 mean_of(const struct counts *c, u32 row, bool is_new)
{
	static const u32 means[] = { 120, 60, 40, 16, 8, 4, 1, 0 };
	u32 mean = c->few ? 1 : means[row % 8];

	switch (row % 11) {
	case 3:
		mean += is_new ? mean / 4 : 0;
		break;
	case 5:
		mean = is_new ? 0 : 6;
		break;
	case 7:
		mean = is_new ? 6 : 0;
	}
	return is_new ? 2 * mean : mean; /* twice the frequency: half of the weight */
}

static void counts__make(struct counts *c)
{
	u32 nr = c->nr[0] + c->nr[1], seed = (u32)c->state;

	c->weights = xcalloc((size_t)c->nr_rows * nr * EVIDENCE_BLOCKS, sizeof(double));
	c->squares = xcalloc((size_t)c->nr_rows * nr, sizeof(double));
	c->exposure = xcalloc(nr, sizeof(double));
	c->doubts = xcalloc(c->nr_rows, sizeof(double));
	for (u32 r = 0; r < nr; r++)
		c->exposure[r] = 1 + r % 3 * 0.5 * (seed % 2);
	for (u32 i = 0; i < c->nr_rows; i++) {
		c->doubts[i] = c->has_doubts ? 0.01 * (i % 4) : 0;
		for (u32 r = 0; r < nr; r++) {
			bool is_new = r >= c->nr[0];
			double one = is_new ? 1 : 2;

			for (u32 b = 0; b < EVIDENCE_BLOCKS; b++) {
				u32 n = count(c, i, mean_of(c, i, is_new), b, r);

				n = is_new && c->factor > 1 ? n * 9 / 8 : n;
				c->weights[(i * nr + r) * EVIDENCE_BLOCKS + b] = n * one;
				c->squares[i * nr + r] += n * one * one;
			}
		}
	}
}

static void counts__exit(struct counts *c)
{
	free(c->weights);
	free(c->squares);
	free(c->exposure);
	free(c->doubts);
}

static void expect_figures(FILE *f, const double *got, size_t nr, u64 seed, u32 row)
{
	for (size_t i = 0; i < nr; i++) {
		double want,
			x = MIN(got[i], 1e6); /* the upper end of a ratio with 0 may be any large number */

		assert_int_equal(fscanf(f, "%lf", &want), 1);
		if (isnan(want) ? isnan(got[i])
				: fabs(MIN(want, 1e6) - x) <= 3e-5 * MIN(fabs(want), 1e6) + 1e-12)
			continue;
		fail_msg("case %d, row %u, figure %zu: %.10g, expected %.10g", (int)seed, row, i, got[i],
			 want);
	}
}

static void expect_row(FILE *f, const struct evidence *e, u32 i, u64 seed)
{
	const struct evidence_row *r = &e->rows[i];
	const double got[] = { r->verdict,
			       r->samples[0],
			       r->samples[1],
			       r->cost[0],
			       r->cost[1],
			       r->change,
			       r->low,
			       r->high,
			       r->log_error,
			       r->df,
			       r->dispersion,
			       r->doubt,
			       r->interest,
			       r->p,
			       r->finds,
			       r->needs,
			       r->verdict ? evidence_row__power(e, r, 1 / 1.2) : 0,
			       r->is_burst };

	expect_figures(f, got, r->verdict == VERDICT_FEW ? 1 : ARRAY_SIZE(got), seed, i);
}

/* In the order of CASES of reference.py. */
static void figures_are_those_of_the_second_program(void **state)
{
	static const struct {
		u64 seed;
		u32 nr_rows, nr[2];
		double factor;
		bool few, has_doubts;
	} cases[] = {
		{ 2, 24, { 1, 1 }, 1, false, false },      { 3, 24, { 1, 1 }, 1.125, false, true },
		{ 4, 24, { 2, 3 }, 1, false, false },      { 5, 24, { 3, 3 }, 1.125, false, true },
		{ 6, 24, { 1, 3 }, 1, false, false },      { 7, 24, { 3, 1 }, 1.125, false, false },
		{ 8, 2, { 1, 1 }, 1, false, false },       { 9, 2, { 2, 2 }, 1, false, false },
		{ 10, 230, { 1, 1 }, 1.125, true, false }, { 11, 5, { 1, 1 }, 1, true, false },
		{ 12, 8, { 1, 1 }, 1.125, false, false },  { 13, 3, { 1, 1 }, 1, true, false },
		{ 14, 24, { 1, 2 }, 1, false, false },     { 15, 1, { 1, 1 }, 1, false, false },
		{ 16, 2, { 1, 1 }, 1, true, false },       { 17, 24, { 2, 1 }, 1.125, true, false },
		{ 18, 1, { 2, 2 }, 1.125, false, true },
	};
	const char *src = getenv("PERF_SRC");
	char *path = xasprintf("%s/tests/data/evidence/expected", src ? src : ".");
	FILE *f = fopen(path, "r");
	struct evidence e, before = { 0 };

	(void)state;
	assert_non_null(f);
	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		struct counts counts = { .state = cases[k].seed,
					 .nr_rows = cases[k].nr_rows,
					 .nr = { cases[k].nr[0], cases[k].nr[1] },
					 .factor = cases[k].factor,
					 .few = cases[k].few,
					 .has_doubts = cases[k].has_doubts },
			      *c = &counts;
		const u64 seed = cases[k].seed;
		struct evidence_input in;

		counts__make(c);
		in = (struct evidence_input){ .nr_rows = c->nr_rows,
					      .nr = { c->nr[0], c->nr[1] },
					      .exposure = c->exposure,
					      .weights = c->weights,
					      .squares = c->squares,
					      .doubts = c->has_doubts ? c->doubts : NULL,
					      .others = seed == 12 ? &before : NULL,
					      .work_noise = 0.05,
					      .least_row = 0.05,
					      .least_total = 0.01 };
		evidence__weigh(&e, &in);
		expect_figures(f,
			       (const double[]){ c->nr_rows, e.total[0], e.total[1], e.total_low,
						 e.total_high, e.common, e.common_low, e.common_high,
						 e.common_error, e.alpha },
			       10, seed, 0);
		for (u32 i = 0; i < MIN(c->nr_rows, (u32)SHOWN); i++)
			expect_row(f, &e, i, seed);
		evidence__exit(&before);
		before = e;
		counts__exit(c);
	}
	evidence__exit(&before);
	assert_int_equal(fscanf(f, "%*s"), EOF);
	fclose(f);
	free(path);
}

/* The unit of weights does not matter: nanoseconds say the same as seconds, and as cycles. */
static void any_unit_of_weights_says_the_same(void **state)
{
	static const double units[] = { 1e-9, 1e-3, 1e9 };

	(void)state;
	for (size_t k = 0; k < 2 * ARRAY_SIZE(units); k++) {
		const u32 side = k < ARRAY_SIZE(units) ? 1 : 2;
		const double unit = units[k % ARRAY_SIZE(units)];
		struct counts c = { .state = 3 + k, .nr_rows = 24, .nr = { side, side }, .factor = 1 };
		struct evidence_input in;
		struct evidence e, scaled;

		counts__make(&c);
		in = (struct evidence_input){ .nr_rows = c.nr_rows,
					      .nr = { side, side },
					      .exposure = c.exposure,
					      .weights = c.weights,
					      .squares = c.squares,
					      .work_noise = 0.05,
					      .least_row = 0.05,
					      .least_total = 0.01 };
		evidence__weigh(&e, &in);
		for (size_t i = 0; i < (size_t)c.nr_rows * 2 * side * EVIDENCE_BLOCKS; i++)
			c.weights[i] *= unit;
		for (size_t i = 0; i < (size_t)c.nr_rows * 2 * side; i++)
			c.squares[i] *= unit * unit;
		evidence__weigh(&scaled, &in);
		for (u32 i = 0; i < c.nr_rows; i++) {
			const struct evidence_row *a = &e.rows[i], *b = &scaled.rows[i];

			assert_int_equal(a->verdict, b->verdict);
			assert_true(fabs(a->cost[0] * unit - b->cost[0]) <= 1e-6 * b->cost[0]);
			if (a->verdict == VERDICT_FEW)
				continue;
			assert_true(fabs(a->samples[0] - b->samples[0]) <= 1e-6 * a->samples[0]);
			assert_true(fabs(a->dispersion - b->dispersion) <= 1e-6 * a->dispersion);
			assert_true(fabs(a->interest - b->interest) <= 1e-6 * a->interest);
			assert_true(fabs(a->log_error - b->log_error) <= 1e-6 * a->log_error);
			assert_true(fabs(a->p - b->p) <= 1e-6);
		}
		evidence__exit(&e);
		evidence__exit(&scaled);
		counts__exit(&c);
	}
}

/* A block whose samples are all of one side, or as good as all, tells nothing of how much a row varies. */
static void one_sided_blocks_do_not_count(void **state)
{
	static const struct {
		double old;
		double df; /* blocks that count, - 1 */
	} rows[] = { { 5, 31 }, { 10, 31 }, { 5e-12, 30 }, { 1e-14, 30 }, { 1e-100, 30 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double weights[2 * EVIDENCE_BLOCKS], squares[2] = { 0 }, exposure[2] = { 1, 1 };
		const struct evidence_input in = { .nr_rows = 1,
						   .nr = { 1, 1 },
						   .exposure = exposure,
						   .weights = weights,
						   .squares = squares,
						   .work_noise = 0.01 };
		struct evidence e;

		for (u32 b = 0; b < 2 * EVIDENCE_BLOCKS; b++) {
			weights[b] = b ? 10 : rows[i].old;
			squares[b / EVIDENCE_BLOCKS] += weights[b]; /* each sample has the weight 1 */
		}
		evidence__weigh(&e, &in);
		assert_true(fabs(e.rows[0].df - rows[i].df) < 1e-9);
		evidence__exit(&e);
	}
}

/* Nothing says how much a row varies that is as even as can be, and that the other side lacks. */
static void an_even_row_of_one_side_is_taken_as_independent(void **state)
{
	double weights[2 * EVIDENCE_BLOCKS] = { 0 }, squares[2] = { 0 }, exposure[2] = { 1, 1 };
	const struct evidence_input in = { .nr_rows = 1,
					   .nr = { 1, 1 },
					   .exposure = exposure,
					   .weights = weights,
					   .squares = squares,
					   .work_noise = 0.01 };
	struct evidence e;

	(void)state;
	for (u32 b = EVIDENCE_BLOCKS; b < 2 * EVIDENCE_BLOCKS; b++)
		squares[1] += weights[b] = 10;
	evidence__weigh(&e, &in);
	assert_true(isinf(e.rows[0].df));
	assert_true(fabs(e.rows[0].dispersion - 1) < 1e-9);
	assert_int_equal(e.rows[0].verdict, VERDICT_NEW);
	evidence__exit(&e);
}

/* What all rows share is known of three rows or more. */
static void three_rows_have_something_in_common(void **state)
{
	(void)state;
	for (u32 nr_rows = 1; nr_rows <= 4; nr_rows++) {
		double weights[4 * 2 * EVIDENCE_BLOCKS], squares[4 * 2] = { 0 }, exposure[2] = { 1, 1 };
		const struct evidence_input in = { .nr_rows = nr_rows,
						   .nr = { 1, 1 },
						   .exposure = exposure,
						   .weights = weights,
						   .squares = squares,
						   .work_noise = 1 };
		struct evidence e;

		for (u32 i = 0; i < nr_rows * 2 * EVIDENCE_BLOCKS; i++) {
			weights[i] = i / EVIDENCE_BLOCKS % 2 ? 130 : 100;
			squares[i / EVIDENCE_BLOCKS] += weights[i];
		}
		evidence__weigh(&e, &in);
		assert_true(fabs(e.common - (nr_rows < 3 ? 1 : 1.3)) < 0.01);
		evidence__exit(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(figures_are_those_of_the_second_program),
					    cmocka_unit_test(any_unit_of_weights_says_the_same),
					    cmocka_unit_test(one_sided_blocks_do_not_count),
					    cmocka_unit_test(an_even_row_of_one_side_is_taken_as_independent),
					    cmocka_unit_test(three_rows_have_something_in_common) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
