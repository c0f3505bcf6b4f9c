/* The statistics of perf diff against known values, and names of functions in different builds. */
#include "unit.h"

#include "base/memory/hash.h"
#include "profile/compare/core_name.h"
#include "profile/compare/distributions.h"
#include "profile/compare/evidence.h"
#include "profile/compare/in_step.h"

#include <math.h>
#include <string.h>

#define assert_near(x, y) assert_true(fabs((x) - (y)) <= 1e-6 * MAX(1.0, fabs((double)(y))))

/* Quantiles are of the usual tables; the beta distribution has closed forms for whole numbers. */
static void distributions_have_known_values(void **state)
{
	(void)state;
	assert_near(normal__cdf(-1.959963985), 0.025);
	assert_near(normal__quantile(0.975), 1.959963985);
	assert_near(normal__quantile(1e-10), -6.361340902);
	assert_near(beta__cdf(0.3, 2, 5), 0.579825);
	assert_near(beta__cdf(0.5, 1000, 1000), 0.5);
	assert_near(beta__quantile(0.25, 2, 1), 0.5);
	assert_near(beta__cdf(beta__quantile(0.025, 10.5, 20.5), 10.5, 20.5), 0.025);
	assert_near(student__two_sided(2.228138852, 10), 0.05);
	assert_near(student__quantile(0.975, 4), 2.776445105);
	assert_near(student__quantile(0.975, INFINITY), 1.959963985);
	assert_near(digamma(1), -0.5772156649);
	assert_near(trigamma(1), 1.644934067);
	assert_near(trigamma__inverse(trigamma(3.7)), 3.7);
}

static void mid_p_halves_what_was_seen(void **state)
{
	(void)state;
	/* 8 of 10: (P(X > 8) + P(X = 8) / 2) * 2 = (11 + 45 / 2) / 1024 * 2 */
	assert_near(binomial__mid_p(8, 2, 0.5), 67.0 / 1024);
	assert_near(binomial__mid_p(2, 8, 0.5), 67.0 / 1024);
	assert_near(binomial__mid_p(0, 5, 0.5), 1.0 / 32);
	assert_near(binomial__mid_p(5, 5, 0.5), 1.0);
}

enum { ROWS = 6 };

/* Set what a row took, sample by sample, each in a block by chance. */
static void set_cost(double *weights, double *squares, u32 nr, u32 row, u32 recording, u32 samples,
		     double one)
{
	for (u32 i = 0; i < samples; i++)
		weights[(row * nr + recording) * EVIDENCE_BLOCKS +
			hash__u64((u64)i << 32 | row << 8 | recording) % EVIDENCE_BLOCKS] += one;
	squares[row * nr + recording] = samples * one * one;
}

/* ROWS of nr recordings on each side. */
static struct evidence_input input_of(u32 nr, const double *exposure, const double *weights,
				      const double *squares)
{
	return (struct evidence_input){ .nr_rows = ROWS,
					.nr = { nr, nr },
					.exposure = exposure,
					.weights = weights,
					.squares = squares,
					.work_noise = 0.05,
					.least_row = 0.05,
					.least_total = 0.01 };
}

static void changes_are_told_from_chance(void **state)
{
	static const u32 old[ROWS] = { 8000, 4000, 2000, 1000, 500, 0 };
	static const u32 new[ROWS] = { 8800, 4030, 1990, 1010, 0, 400 };
	static const enum verdict want[ROWS] = { VERDICT_SLOWER,  VERDICT_UNKNOWN, VERDICT_UNKNOWN,
						 VERDICT_UNKNOWN, VERDICT_GONE,    VERDICT_NEW };
	double weights[ROWS * 2 * EVIDENCE_BLOCKS] = { 0 }, squares[ROWS * 2] = { 0 };
	const double exposure[] = { 1, 1 };
	const struct evidence_input in = input_of(1, exposure, weights, squares);
	struct evidence e;

	(void)state;
	for (u32 i = 0; i < ROWS; i++) {
		set_cost(weights, squares, 2, i, 0, old[i], 1000);
		/* twice the frequency: half of the weight */
		set_cost(weights, squares, 2, i, 1, 2 * new[i], 500);
	}
	evidence__weigh(&e, &in);
	for (u32 i = 0; i < ROWS; i++)
		assert_int_equal(e.rows[i].verdict, want[i]);
	assert_true(e.rows[0].low < 1.10 && 1.10 < e.rows[0].high);
	assert_near(e.rows[0].cost[0], 8e6);
	assert_near(e.rows[0].cost[1], 8.8e6);
	assert_true(isnan(e.total_low));
	assert_true(fabs(e.common - 1) < 0.02);
	assert_true(evidence_row__power(&e, &e.rows[0], 1.2) > evidence_row__power(&e, &e.rows[0], 1.05));
	evidence__exit(&e);
}

/* All of one recording is 3% slower: that is the machine, and no row is accused. */
static void what_all_rows_share_is_no_change_of_a_row(void **state)
{
	double weights[ROWS * 2 * EVIDENCE_BLOCKS] = { 0 }, squares[ROWS * 2] = { 0 };
	const double exposure[] = { 1, 1 };
	const struct evidence_input in = input_of(1, exposure, weights, squares);
	struct evidence e;

	(void)state;
	for (u32 i = 0; i < ROWS; i++) {
		set_cost(weights, squares, 2, i, 0, 50000, 1);
		set_cost(weights, squares, 2, i, 1, 51500, 1);
	}
	evidence__weigh(&e, &in);
	for (u32 i = 0; i < ROWS; i++)
		assert_int_equal(e.rows[i].verdict, VERDICT_SAME);
	assert_true(e.common_low < 1.03 && 1.03 < e.common_high && e.common_low > 1.01);
	evidence__exit(&e);
}

/* Runs that vary by 10% cannot show a change of 5%; the same change in steady runs can be seen. */
static void runs_that_vary_say_less(void **state)
{
	static const double noise[] = { 0.9, 1.1, 0.95, 1.05, 1.0, 0.9, 1.1, 0.95, 1.05, 1.0 };
	double exposure[10];

	(void)state;
	for (u32 steady = 0; steady < 2; steady++) {
		double weights[ROWS * 10 * EVIDENCE_BLOCKS] = { 0 }, squares[ROWS * 10] = { 0 };
		const struct evidence_input in = input_of(5, exposure, weights, squares);
		struct evidence e;

		for (u32 r = 0; r < 10; r++) {
			exposure[r] = 1;
			for (u32 i = 0; i < ROWS; i++) {
				double x = 20000 * (steady ? 1 : noise[(r + 3 * i) % 10]);

				x *= i == 1 && r >= 5 ? 1.06 : 1;
				set_cost(weights, squares, 10, i, r, (u32)x, 1);
			}
		}
		evidence__weigh(&e, &in);
		assert_int_equal(e.rows[1].verdict, steady ? VERDICT_SLOWER : VERDICT_UNKNOWN);
		assert_false(isnan(e.total_low));
		evidence__exit(&e);
	}
}

/* What one side lacks is new if it is there all the time; a burst may be one that the other side missed. */
static void bursts_that_one_side_missed_are_not_new(void **state)
{
	const double exposure[] = { 1, 1 };

	(void)state;
	for (u32 bursts = 0; bursts < 3; bursts++)
		for (u32 missed = 0; missed < 2; missed++) {
			double weights[ROWS * 2 * EVIDENCE_BLOCKS] = { 0 }, squares[ROWS * 2] = { 0 };
			const struct evidence_input in = input_of(1, exposure, weights, squares);
			double *last = weights + ((ROWS - 1) * 2 + 1) * EVIDENCE_BLOCKS;
			struct evidence e;

			for (u32 i = 0; i + 1 < ROWS; i++)
				for (u32 r = 0; r < 2; r++)
					set_cost(weights, squares, 2, i, r, 2000, 1);
			set_cost(weights, squares, 2, ROWS - 1, 0, missed ? 0 : 1, 1);
			if (bursts)
				for (u32 b = 0; b < 2 * bursts; b += 2)
					last[5 + b] = last[6 + b] = 60; /* in two blocks each */
			else
				set_cost(weights, squares, 2, ROWS - 1, 1, 120, 1);
			squares[(ROWS - 1) * 2 + 1] = 120 * MAX(bursts, 1u);
			evidence__weigh(&e, &in);
			assert_int_equal(e.rows[ROWS - 1].verdict, bursts   ? VERDICT_UNKNOWN
								   : missed ? VERDICT_NEW
									    : VERDICT_SLOWER);
			evidence__exit(&e);
		}
}

/*
 * One recording a side does not show how much the time of a short burst varies: the machine may have been
 * slow.
 */
static void a_change_of_one_burst_needs_several_runs(void **state)
{
	(void)state;
	for (u32 runs = 1; runs <= 3; runs += 2) {
		double weights[ROWS * 6 * EVIDENCE_BLOCKS] = { 0 }, squares[ROWS * 6] = { 0 };
		const double exposure[] = { 1, 1, 1, 1, 1, 1 };
		const struct evidence_input in = input_of(runs, exposure, weights, squares);
		struct evidence e;

		for (u32 r = 0; r < 2 * runs; r++) {
			for (u32 i = 0; i + 1 < ROWS; i++)
				set_cost(weights, squares, 2 * runs, i, r, 4000, 1);
			weights[((ROWS - 1) * 2 * runs + r) * EVIDENCE_BLOCKS] = r < runs ? 130 : 390;
			squares[(ROWS - 1) * 2 * runs + r] = r < runs ? 130 : 390;
		}
		evidence__weigh(&e, &in);
		assert_int_equal(e.rows[ROWS - 1].verdict, runs == 1 ? VERDICT_UNKNOWN : VERDICT_SLOWER);
		assert_int_equal(e.rows[ROWS - 1].is_burst, runs == 1);
		assert_false(e.rows[0].is_burst);
		evidence__exit(&e);
	}
}

/*
 * An error that all recordings share hides a change, of however many samples, and its interval has no
 * change.
 */
static void doubt_is_not_reduced_by_samples(void **state)
{
	double doubts[ROWS] = { 0 };

	(void)state;
	for (u32 doubted = 0; doubted < 2; doubted++) {
		double weights[ROWS * 2 * EVIDENCE_BLOCKS] = { 0 }, squares[ROWS * 2] = { 0 };
		const double exposure[] = { 1, 1 };
		struct evidence_input in = input_of(1, exposure, weights, squares);
		struct evidence e;

		in.doubts = doubts;
		doubts[1] = doubted ? 0.2 * 0.2 : 0;
		doubts[2] = doubted ? 1 : 0;
		for (u32 i = 0; i < ROWS; i++)
			for (u32 r = 0; r < 2; r++)
				set_cost(weights, squares, 2, i, r,
					 i == 1 && r    ? 13000
					 : i == 2 && !r ? 0
							: 10000,
					 1);
		evidence__weigh(&e, &in);
		assert_int_equal(e.rows[1].verdict, doubted ? VERDICT_UNKNOWN : VERDICT_SLOWER);
		assert_int_equal(e.rows[2].verdict, doubted ? VERDICT_UNKNOWN : VERDICT_NEW);
		assert_true((e.rows[1].low < 1) == doubted);
		evidence__exit(&e);
	}
}

enum { VISITS = 400 };

static struct step_counts counts_of(const u32 *starts, double samples)
{
	struct step_counts s;

	step_counts__count(&s, starts, VISITS, samples);
	return s;
}

/* Visits by chance, in phases, and at distances that vary show no rhythm; those at few distances do. */
static void equal_distances_are_a_rhythm(void **state)
{
	u32 by_chance[VISITS], phases[VISITS], rounds[VISITS], pairs[VISITS];
	u32 at[4] = { 0 };
	struct step_counts s;

	(void)state;
	for (u32 i = 0; i < VISITS; i++) {
		u64 x = hash__u64(i + 1), y = hash__u64(x);

		at[0] += 2 + (u32)(-20 * log((double)(x >> 11) / 9007199254740992.0 + 1e-9));
		at[1] += 2 +
			 (u32)(-(i / 50 % 2 ? 3 : 60) * log((double)(x >> 11) / 9007199254740992.0 + 1e-9));
		at[2] += 15 + (u32)(x % 2);
		at[3] += i % 2 ? 7 : 8;
		by_chance[i] = at[0];
		phases[i] = at[1];
		rounds[i] = at[2] + (y % 64 == 0);
		pairs[i] = at[3];
	}
	s = counts_of(by_chance, VISITS);
	assert_false(step_counts__show_rhythm(&s));
	s = counts_of(phases, VISITS);
	assert_false(step_counts__show_rhythm(&s));
	s = counts_of(rounds, VISITS);
	assert_true(step_counts__show_rhythm(&s));
	/* at least that of one or no sample a visit; of two recordings together, as of one */
	assert_true(step_counts__variance(&s, 1) >= 1.0 / VISITS &&
		    step_counts__variance(&s, 1) < 4.0 / VISITS);
	assert_near(step_counts__variance(&s, 2), 2 * step_counts__variance(&s, 1));
	/* a clock that is exactly in step takes one place again and again */
	s = counts_of(pairs, VISITS);
	assert_true(step_counts__show_rhythm(&s));
	assert_true(step_counts__variance(&s, 1) > 0.4);
	/* visits of many samples are as uncertain as a part of one */
	s = counts_of(rounds, 5 * VISITS);
	assert_true(step_counts__variance(&s, 1) < 0.01 / VISITS * 10);
}

/* Samples at equal distances: blocks do not vary, so a small change can be seen that chance would hide. */
static void regular_samples_say_more(void **state)
{
	const double exposure[] = { 1, 1 };

	(void)state;
	for (u32 regular = 0; regular < 2; regular++) {
		double weights[ROWS * 2 * EVIDENCE_BLOCKS] = { 0 }, squares[ROWS * 2] = { 0 };
		const struct evidence_input in = input_of(1, exposure, weights, squares);
		struct evidence e;

		for (u32 i = 0; i < ROWS; i++)
			for (u32 r = 0; r < 2; r++) {
				u32 nr = i == 1 && r ? 2160 : 2000;

				set_cost(weights, squares, 2, i, r, nr, 1);
				for (u32 b = 0; b < EVIDENCE_BLOCKS && regular; b++)
					weights[(i * 2 + r) * EVIDENCE_BLOCKS + b] =
						(double)nr / EVIDENCE_BLOCKS;
			}
		evidence__weigh(&e, &in);
		assert_int_equal(e.rows[1].verdict, regular ? VERDICT_SLOWER : VERDICT_UNKNOWN);
		evidence__exit(&e);
	}
}

/*
 * A long recording against a short one: a function that has 100 samples in the long one has 1 in the short
 * one on average, so that it has none there is chance. Its blocks cannot tell how much it varies.
 */
static void no_sample_of_one_expected_is_no_change(void **state)
{
	double weights[ROWS * 2 * EVIDENCE_BLOCKS] = { 0 }, squares[ROWS * 2] = { 0 };
	const double exposure[] = { 1, 100 };
	const struct evidence_input in = input_of(1, exposure, weights, squares);
	struct evidence e;

	(void)state;
	for (u32 i = 0; i < ROWS; i++) {
		set_cost(weights, squares, 2, i, 0, i ? 300 : 0, 1);
		set_cost(weights, squares, 2, i, 1, i ? 30000 : 100, 1);
	}
	evidence__weigh(&e, &in);
	assert_true(e.rows[0].dispersion > 0.9);
	assert_true(e.rows[0].low < 1 && e.rows[0].p > 0.2);
	for (u32 i = 0; i < ROWS; i++)
		assert_false(verdict__is_change(e.rows[i].verdict));
	evidence__exit(&e);
}

/*
 * Three runs each cannot name a change of 50%: what is missing is what finds it, not what would find one of
 * 5%, which the interval excludes.
 */
static void what_decides_is_less_where_the_change_is_large(void **state)
{
	static const double noise[] = { 0.9, 1.15, 0.97, 1.1, 0.85, 1.03 };
	const double exposure[] = { 1, 1, 1, 1, 1, 1 };
	double weights[ROWS * 6 * EVIDENCE_BLOCKS] = { 0 }, squares[ROWS * 6] = { 0 };
	const struct evidence_input in = input_of(3, exposure, weights, squares);
	struct evidence e;

	(void)state;
	for (u32 i = 0; i < ROWS; i++)
		for (u32 r = 0; r < 6; r++)
			set_cost(weights, squares, 6, i, r,
				 (u32)(2000 * noise[(r + i) % 6] * (i == 1 && r > 2 ? 1.6 : 1)), 1);
	evidence__weigh(&e, &in);
	for (u32 i = 0; i < ROWS; i++) {
		const struct evidence_row *row = &e.rows[i];
		double nearest = MAX(row->interest, MAX(log(row->low), -log(row->high)));

		assert_int_equal(row->verdict, VERDICT_UNKNOWN);
		assert_near(row->needs, row->finds * row->finds / (nearest * nearest));
	}
	assert_true(e.rows[1].low > 1.05 && e.rows[1].needs < e.rows[0].needs * 0.75);
	evidence__exit(&e);
}

static void nothing_is_no_evidence(void **state)
{
	const double exposure[] = { 1, 1 };
	const struct evidence_input in = { .nr = { 1, 1 }, .exposure = exposure, .work_noise = 0.05 };
	struct evidence e;

	(void)state;
	evidence__weigh(&e, &in);
	evidence__exit(&e);
}

static void names_of_two_builds_are_equal(void **state)
{
	static const char *const rows[][2] = {
		{ "sort", "sort" },
		{ "sort.isra.0", "sort" },
		{ "sort.part.12", "sort" },
		{ "sort.constprop.0.isra.0", "sort" },
		{ "sort.cold", "sort" },
		{ "sort.cold.3", "sort" },
		{ "sort.llvm.1234567890", "sort" },
		{ "f(int) [clone .cold]", "f(int)" },
		{ "f(int) [clone .constprop.0] [clone .isra.0]", "f(int)" },
		{ "core::fmt::write::h0123456789abcdef", "core::fmt::write" },
		{ "main::{lambda(int)#12}::operator()(int) const",
		  "main::{lambda(int)}::operator()(int) const" },
		{ "file.part", "file" },
		{ ".part.0", ".part.0" },
		{ "part", "part" },
		{ "version.1", "version.1" },
		{ "", "" },
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		strbuf__reset(&sb);
		core_name__add(&sb, rows[i][0]);
		assert_string_equal(sb.buf, rows[i][1]);
	}
	strbuf__exit(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distributions_have_known_values),
		cmocka_unit_test(mid_p_halves_what_was_seen),
		cmocka_unit_test(changes_are_told_from_chance),
		cmocka_unit_test(what_all_rows_share_is_no_change_of_a_row),
		cmocka_unit_test(bursts_that_one_side_missed_are_not_new),
		cmocka_unit_test(a_change_of_one_burst_needs_several_runs),
		cmocka_unit_test(doubt_is_not_reduced_by_samples),
		cmocka_unit_test(equal_distances_are_a_rhythm),
		cmocka_unit_test(runs_that_vary_say_less),
		cmocka_unit_test(regular_samples_say_more),
		cmocka_unit_test(no_sample_of_one_expected_is_no_change),
		cmocka_unit_test(what_decides_is_less_where_the_change_is_large),
		cmocka_unit_test(nothing_is_no_evidence),
		cmocka_unit_test(names_of_two_builds_are_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
