/*
 * The statistics of two programs that run in turns, with values for which formulas on paper give the results:
 * with 2 degrees of freedom, P(|T| > t) = 1 - t / sqrt(2 + t^2). Whether the verdicts are as certain as they
 * say is for make check-diff.
 */
#include "unit.h"

#include "stat/pair_evidence.h"

#include <float.h>
#include <math.h>

enum { ROUNDS_MAX = 1000 };

#define T2 4.302652729911275 /* 97.5% quantile of t, 2 degrees of freedom */

static const struct pair_plan fixed = { .least_change = 0.01 };

static struct pair_evidence weigh(const double *old, const double *new, u32 nr, const struct pair_plan *plan)
{
	struct pair_values values = { old, new };
	struct pair_evidence e;

	pair_evidence__weigh(&e, &values, 1, nr, plan);
	return e;
}

/* Weigh values that are the same in all rounds. */
static struct pair_evidence weigh_constants(double old, double new, u32 nr, const struct pair_plan *plan)
{
	double x[ROUNDS_MAX], y[ROUNDS_MAX];

	for (u32 i = 0; i < nr; i++) {
		x[i] = old;
		y[i] = new;
	}
	return weigh(x, y, nr, plan);
}

/* Fill three rounds whose differences have this p-value: the old value is 100. */
static void fill_for_p(double *old, double *new, double p)
{
	double t = (1 - p) * sqrt(2 / (p * (2 - p)));

	for (u32 i = 0; i < 3; i++) {
		old[i] = 100;
		new[i] = 110 + (i - 1.0) * 10 * sqrt(3) / t;
	}
}

#define assert_near(x, want)                                                       \
	do {                                                                       \
		double got = (x), wanted = (want);                                 \
                                                                                   \
		if (!(fabs(got - wanted) <= 1e-6 * MAX(1.0, fabs(wanted))))        \
			fail_msg("%s is %.10g instead of %.10g", #x, got, wanted); \
	} while (0)

static void three_rounds(void **state)
{
	static const double old[] = { 100, 100, 100 }, new[] = { 108, 110, 112 };
	struct pair_evidence e = weigh(old, new, 3, &fixed);
	double t = 10 / (2 / sqrt(3));

	(void)state;
	assert_int_equal(e.nr, 3);
	assert_near(e.mean[0], 100);
	assert_near(e.mean[1], 110);
	assert_near(e.change, 1.1);
	assert_near(e.low, 1.1 - T2 * 0.02 / sqrt(3));
	assert_near(e.high, 1.1 + T2 * 0.02 / sqrt(3));
	/* at least what two values by chance have */
	assert_near(e.p, MAX(1 - t / sqrt(2 + t * t), 0.6 * 2 / 64));
	assert_int_equal(e.verdict, VERDICT_SLOWER);
	e = weigh(new, old, 3, &fixed);
	assert_int_equal(e.verdict, VERDICT_FASTER);
}

static void names_changes_up_to_3_percent(void **state)
{
	double old[3], new[3];

	(void)state;
	for (double p = 0.021; p < 0.06; p += 0.002) {
		struct pair_evidence e;

		fill_for_p(old, new, p);
		e = weigh(old, new, 3, &fixed);
		assert_near(e.p, p);
		assert_int_equal(e.verdict, p < 0.03 ? VERDICT_SLOWER : VERDICT_UNKNOWN);
		assert_int_equal(e.low > 1, p < 0.05); /* the interval is that of 95% */
	}
}

/* Noise that both programs of a round share does not count. */
static void compares_within_rounds(void **state)
{
	static const double old[] = { 100, 150, 80, 120 }, new[] = { 110, 165, 88, 132 };
	struct pair_evidence e = weigh(old, new, 4, &fixed);

	(void)state;
	assert_near(e.low, 1.1);
	assert_near(e.high, 1.1);
	assert_int_equal(e.verdict, VERDICT_SLOWER);
}

/* Fieller's interval is where a t test of y - r x says p = 5%. */
static void interval_is_that_of_a_t_test(void **state)
{
	static const double old[] = { 10, 12, 17 }, new[] = { 21, 19, 33 };
	struct pair_evidence e = weigh(old, new, 3, &fixed);
	double edges[2] = { e.low, e.high };

	(void)state;
	for (u32 k = 0; k < 2; k++) {
		double mean = 0, squares = 0;

		for (u32 i = 0; i < 3; i++)
			mean += (new[i] - edges[k] * old[i]) / 3;
		for (u32 i = 0; i < 3; i++)
			squares += pow(new[i] - edges[k] * old[i] - mean, 2);
		assert_near(fabs(mean), T2 * sqrt(squares / 6));
	}
	assert_true(e.low < e.change && e.change < e.high);
}

static void constants(void **state)
{
	struct pair_plan until = { .max_rounds = 100, .least_change = 0.01 };
	struct pair_evidence e = weigh_constants(50, 50, 3, &fixed);

	(void)state;
	assert_int_equal(e.verdict, VERDICT_SAME);
	assert_true(pair_evidence__is_decided(&e));
	assert_true(e.low == 1 && e.high == 1 && e.p == 1 && e.needs == 0);
	e = weigh_constants(50, 51, 3, &fixed);
	assert_int_equal(e.verdict, VERDICT_SLOWER);
	assert_near(e.low, 1.02);
	assert_near(e.high, 1.02);
	assert_near(e.p, 0.6 * 2 / 64);
	assert_true(e.needs == 0);
	assert_int_equal(weigh_constants(51, 50, 3, &fixed).verdict, VERDICT_FASTER);
	assert_int_equal(weigh_constants(5000, 5001, 3, &fixed).verdict, VERDICT_SAME);
	assert_int_equal(weigh_constants(0.1, 0.3, 7, &fixed).verdict, VERDICT_SLOWER);
	assert_int_equal(weigh_constants(50, 51, 5, &until).verdict, VERDICT_SLOWER);
	/* one value more than nothing is known of */
	e = weigh_constants(50, 51, 2, &fixed);
	assert_int_equal(e.verdict, VERDICT_FEW);
	assert_near(e.needs, 1);
	e = weigh_constants(50, 50, 2, &fixed);
	assert_int_equal(e.verdict, VERDICT_FEW);
}

/* 50 or 51 page faults by chance: rounds that differ are needed, not only a constant side. */
static void two_values(void **state)
{
	static const double old[] = { 50, 50, 50, 50 }, new[] = { 51, 50, 51, 51 };
	struct pair_evidence e = weigh(old, new, 4, &fixed);

	(void)state;
	assert_int_equal(e.verdict, VERDICT_UNKNOWN);
	assert_true(e.low < 1 && e.high > 1.02);
}

static void zeros(void **state)
{
	static const double old[] = { 0, 0, 1 }, new[] = { 100, 101, 99 }, few[] = { 0, 1, 0 };
	struct pair_evidence e = weigh_constants(0, 0, 3, &fixed);

	(void)state;
	assert_int_equal(e.verdict, VERDICT_SAME);
	assert_true(e.mean[0] == 0 && e.mean[1] == 0);
	assert_true(e.change == 1 && e.low == 1 && e.high == 1);
	e = weigh_constants(0, 5, 3, &fixed);
	assert_int_equal(e.verdict, VERDICT_SLOWER);
	assert_true(isinf(e.change) && isinf(e.low) && isinf(e.high));
	e = weigh_constants(5, 0, 3, &fixed);
	assert_int_equal(e.verdict, VERDICT_FASTER);
	assert_true(e.change == 0 && e.low == 0 && e.high == 0);
	/* the old mean may be 0: no limit */
	e = weigh(old, new, 3, &fixed);
	assert_int_equal(e.verdict, VERDICT_SLOWER);
	assert_true(e.low > 1 && e.low < 300 && isinf(e.high));
	e = weigh(old, few, 3, &fixed);
	assert_int_equal(e.verdict, VERDICT_UNKNOWN);
	assert_true(e.low == 0 && isinf(e.high));
	e = weigh(old, (const double[]){ 0, 0, 1.5 }, 3, &fixed);
	assert_true(e.low == 0 && isinf(e.high));
	/* the same, with old values that are all 0 */
	e = weigh((const double[]){ 0, 0, 0 }, few, 3, &fixed);
	assert_int_equal(e.verdict, VERDICT_UNKNOWN);
	assert_true(e.low == 0 && isinf(e.high) && e.needs > 0);
	/* the new mean may be 0 */
	e = weigh((const double[]){ 10, 11, 12 }, few, 3, &fixed);
	assert_true(e.low == 0 && e.high > 1.0 / 33 && e.high < 1);
}

static void leaves_out_rounds_without_a_value(void **state)
{
	static const double old[] = { 100, NAN, 100, 5, 100 }, new[] = { 108, 3, 110, NAN, 112 };
	static const double none[] = { NAN, NAN, NAN, NAN, NAN };
	struct pair_evidence e = weigh(old, new, 5, &fixed);

	(void)state;
	assert_int_equal(e.nr, 3);
	assert_near(e.change, 1.1);
	assert_near(e.high, 1.1 + T2 * 0.02 / sqrt(3));
	assert_int_equal(e.verdict, VERDICT_SLOWER);
	e = weigh(old, none, 5, &fixed);
	assert_int_equal(e.nr, 0);
	assert_int_equal(e.verdict, VERDICT_FEW);
	assert_true(isnan(e.mean[0]) && isnan(e.mean[1]) && isnan(e.change) && isnan(e.low) && isnan(e.high));
	assert_true(e.needs == 0);
	e = weigh(old, new, 0, &fixed);
	assert_int_equal(e.verdict, VERDICT_FEW);
	assert_near(e.needs, 3);
	e = weigh(old, new, 1, &fixed);
	assert_int_equal(e.verdict, VERDICT_FEW);
	assert_near(e.change, 1.08);
	assert_true(e.low == 0 && isinf(e.high) && e.p == 1);
	/* two rounds have an interval, 1 degree of freedom */
	e = weigh(old, (const double[]){ 108, 0, 112 }, 3, &fixed);
	assert_int_equal(e.verdict, VERDICT_FEW);
	assert_near(e.low, 1.1 - 12.70620474 * 0.02);
	assert_near(e.high, 1.1 + 12.70620474 * 0.02);
}

static void unit_does_not_matter(void **state)
{
	static const double old[] = { 10, 12, 17 }, new[] = { 21, 19, 33 };
	struct pair_evidence want = weigh(old, new, 3, &fixed);

	(void)state;
	for (int exponent = -300; exponent <= 300; exponent += 60) {
		double x[3], y[3], unit = pow(10, exponent);
		struct pair_evidence e;

		for (u32 i = 0; i < 3; i++) {
			x[i] = old[i] * unit;
			y[i] = new[i] * unit;
		}
		e = weigh(x, y, 3, &fixed);
		assert_near(e.mean[1] / unit, want.mean[1]);
		assert_near(e.low, want.low);
		assert_near(e.high, want.high);
		assert_near(e.p, want.p);
	}
	assert_int_equal(weigh_constants(DBL_MAX, DBL_MAX, 100, &fixed).verdict, VERDICT_SAME);
}

static void looks(void **state)
{
	static const u32 want[] = { 5, 8, 13, 21, 34, 55, 100, 0 }, want30[] = { 5, 8, 13, 21, 30, 0 };
	struct pair_plan p = { .max_rounds = 100 };
	u32 look = 0;

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(look = pair_plan__next_look(&p, look), want[i]);
	assert_int_equal(pair_plan__next_look(&p, 9), 13);
	p.max_rounds = 30;
	for (u32 i = 0; i < ARRAY_SIZE(want30); i++)
		assert_int_equal(look = pair_plan__next_look(&p, look), want30[i]);
	for (p.max_rounds = 1; p.max_rounds <= 6; p.max_rounds++) {
		assert_int_equal(pair_plan__next_look(&p, 0), p.max_rounds);
		assert_int_equal(pair_plan__next_look(&p, p.max_rounds), 0);
	}
	p.max_rounds = 107; /* not 18 rounds before the last one, but 24 */
	assert_int_equal(pair_plan__next_look(&p, 55), 107);
	p.max_rounds = 113;
	assert_int_equal(pair_plan__next_look(&p, 55), 89);
	p.max_rounds = UINT32_MAX;
	assert_int_equal(pair_plan__next_look(&p, UINT32_MAX - 1), UINT32_MAX);
	assert_int_equal(pair_plan__next_look(&fixed, 0), 0);
}

/* With 13 rounds at most, the look at 5 spends 5/13 of 5%, and so does the last one. */
static void looks_share_the_error_rate(void **state)
{
	/* P(|T| > t) = 0.05 * 5/13 and 0.05 * 3/13, 4 and 7 degrees of freedom */
	static const double limits[] = { 3.7922974454, 3.3938673970 };
	struct pair_plan plan = { .max_rounds = 13, .least_change = 0.01 };

	(void)state;
	for (u32 k = 0; k < 2; k++) {
		u32 nr = k ? 8 : 5;

		for (double t = limits[k] - 0.02; t < limits[k] + 0.03; t += 0.04) {
			double old[8], new[8], squares = 0;
			struct pair_evidence e;

			for (u32 i = 0; i < nr; i++)
				squares += pow(i - (nr - 1) / 2.0, 2);
			for (u32 i = 0; i < nr; i++) {
				old[i] = 100;
				new[i] = 110 + (i - (nr - 1) / 2.0) * 10 / t / sqrt(squares / nr / (nr - 1));
			}
			e = weigh(old, new, nr, &plan);
			assert_int_equal(e.verdict, t > limits[k] ? VERDICT_SLOWER : VERDICT_UNKNOWN);
			assert_near(e.low, 1.1 - 0.1 * limits[k] / t);
			assert_near(e.high, 1.1 + 0.1 * limits[k] / t);
			assert_int_equal(pair_evidence__is_decided(&e), t > limits[k]);
		}
	}
}

/* Hochberg: of two, both up to 3%, or one up to 1.5%. */
static void many_counters(void **state)
{
	static const struct {
		double p[2];
		bool named[2];
	} cases[] = {
		{ { 0.028, 0.025 }, { true, true } },
		{ { 0.022, 0.5 }, { false, false } },
		{ { 0.032, 0.022 }, { false, false } },
	};
	double x[2][8], y[2][8];
	struct pair_values values[8] = { { x[0], y[0] }, { x[1], y[1] } };
	struct pair_evidence e[8];

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		for (u32 k = 0; k < 2; k++)
			fill_for_p(x[k], y[k], cases[i].p[k]);
		pair_evidence__weigh(e, values, 2, 3, &fixed);
		for (u32 k = 0; k < 2; k++)
			assert_int_equal(e[k].verdict, cases[i].named[k] ? VERDICT_SLOWER : VERDICT_UNKNOWN);
	}
	/* counters that are equal in all rounds do not make the others less certain */
	fill_for_p(x[0], y[0], 0.028);
	for (u32 k = 1; k < 8; k++)
		values[k] = (struct pair_values){ x[0], x[0] };
	pair_evidence__weigh(e, values, 8, 3, &fixed);
	assert_int_equal(e[0].verdict, VERDICT_SLOWER);
	assert_int_equal(e[7].verdict, VERDICT_SAME);
	/* nor do those that have too few rounds */
	for (u32 i = 0; i < 3; i++) {
		x[1][i] = 50;
		y[1][i] = i ? 51 : NAN;
	}
	values[1] = (struct pair_values){ x[1], y[1] };
	pair_evidence__weigh(e, values, 2, 3, &fixed);
	assert_int_equal(e[0].verdict, VERDICT_SLOWER);
	assert_int_equal(e[1].verdict, VERDICT_FEW);
	pair_evidence__weigh(e, values, 0, 3, &fixed); /* no counter */
}

/* As many more rounds of the same noise as are needed decide; a quarter of these does not. */
static void needs(void **state)
{
	double old[ROUNDS_MAX], new[ROUNDS_MAX];
	struct pair_evidence e;

	(void)state;
	for (u32 i = 0; i < ROUNDS_MAX; i++) {
		old[i] = 100;
		new[i] = i % 2 ? 103 : 97;
	}
	e = weigh(old, new, 10, &fixed);
	assert_int_equal(e.verdict, VERDICT_UNKNOWN);
	/* (1.96 + 1.28)^2 * (10/9 * 9) + z^2/2, z of 1.5%; in units of the 1% of interest, log(1.01) */
	assert_near(e.needs,
		    ceil(pow((1.959964 + 1.2816) * 0.0316227766 / log(1.01), 2) + 2.170090 * 2.170090 / 2) -
			    10);
	assert_int_equal(weigh(old, new, 10 + (u32)e.needs / 4, &fixed).verdict, VERDICT_UNKNOWN);
	assert_int_equal(weigh(old, new, 10 + (u32)e.needs, &fixed).verdict, VERDICT_SAME);
	/* 2% slower */
	for (u32 i = 0; i < ROUNDS_MAX; i++)
		new[i] += 2;
	e = weigh(old, new, 10, &fixed);
	assert_int_equal(e.verdict, VERDICT_UNKNOWN);
	assert_int_equal(weigh(old, new, 10 + (u32)e.needs, &fixed).verdict, VERDICT_SLOWER);
	/* the near edge is a change of interest, but p is not small enough, z of 1.5% */
	fill_for_p(old, new, 0.04);
	for (u32 k = 0; k < 2; k++) {
		double noise = (new[2] - new[1]) / 110, edge, z = 2.170090;

		e = k ? weigh(new, old, 3, &fixed) : weigh(old, new, 3, &fixed);
		edge = k ? -log(e.high) : log(e.low);
		assert_int_equal(e.verdict, VERDICT_UNKNOWN);
		assert_true(edge > log(1.01));
		assert_near(e.needs, ceil(pow((z + 0.8416) * noise / edge, 2) + z * z / 2) - 3);
	}
	/* noise without end, and no change of interest */
	for (u32 i = 0; i < ROUNDS_MAX; i++) {
		old[i] = i % 2 ? 0 : 100;
		new[i] = i % 2 ? 100 : 0;
	}
	assert_true(weigh(old, new, 10, &fixed).needs > 1e5);
	assert_true(weigh(old, new, 10, &(struct pair_plan){ .least_change = 0 }).needs == 0);
}

static void order_is_by_chance(void **state)
{
	u32 old_first[8] = { 0 }, alike[8] = { 0 };

	(void)state;
	for (u64 seed = 0; seed < 10000; seed++) {
		assert_int_not_equal(pair__old_first(seed, 0), pair__old_first(seed, 2));
		for (u32 i = 0; i < 8; i++) {
			old_first[i] += pair__old_first(seed, 20 + i);
			alike[i] += pair__old_first(seed, 20) == pair__old_first(seed, 20 + i);
		}
	}
	for (u32 i = 0; i < 8; i++) { /* 5 standard deviations */
		assert_in_range(old_first[i], 4750, 5250);
		assert_true(i == 0 || (alike[i] >= 4750 && alike[i] <= 5250));
	}
	for (u64 seed = 0; seed < 20; seed++) { /* and within a comparison */
		u32 same = 0;

		for (u32 i = 0; i < 10000; i++)
			same += pair__old_first(seed, i) == pair__old_first(seed, i + 1);
		assert_in_range(same, 4750, 5250);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_rounds),
		cmocka_unit_test(names_changes_up_to_3_percent),
		cmocka_unit_test(compares_within_rounds),
		cmocka_unit_test(interval_is_that_of_a_t_test),
		cmocka_unit_test(constants),
		cmocka_unit_test(two_values),
		cmocka_unit_test(zeros),
		cmocka_unit_test(leaves_out_rounds_without_a_value),
		cmocka_unit_test(unit_does_not_matter),
		cmocka_unit_test(looks),
		cmocka_unit_test(looks_share_the_error_rate),
		cmocka_unit_test(many_counters),
		cmocka_unit_test(needs),
		cmocka_unit_test(order_is_by_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
