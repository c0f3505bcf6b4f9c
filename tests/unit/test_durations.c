/* Statistics of durations: against numbers from textbooks, and constructed dependence. */
#include "unit.h"

#include "profile/causes/durations.h"
#include "profile/compare/distributions.h"

#include <errno.h>
#include <math.h>

static struct durations d;

/* nr durations 1, 2, 3 ... us, in an order that has all of them in all blocks alike */
static void begin_even(u32 nr, u32 step)
{
	durations__init(&d);
	durations__begin_recording(&d);
	for (u32 i = 0; i < nr; i++)
		durations__add_one(
			&d, &(struct duration){ (u64)(i + 1) * 1000, step, i * 7 % DURATION_BLOCKS, 0 });
	durations__finish(&d);
}

static void expect_interval(double share, double low, double high)
{
	struct noise n = durations__noise(&d, share);
	double got_low, got_high;

	durations__interval(&d, share, &n, 0.05, &got_low, &got_high);
	if (got_low != low * 1000 || (isinf(high) ? !isinf(got_high) : got_high != high * 1000))
		fail_msg("p%g: %g to %g, expected %g to %g", share * 100, got_low / 1000, got_high / 1000,
			 low, high);
}

/*
 * Of n independent values the interval of a quantile are those of the ranks l and u with P(X < l) <= 0.025
 * and P(X >= u) <= 0.025, for X of the binomial distribution. Tables of the median: 40 and 61 of 100.
 */
static void test_independent(void **state)
{
	(void)state;
	begin_even(100, 1);
	assert_int_equal(durations__quantile(&d, 0.5), 50000);
	assert_int_equal(durations__quantile(&d, 0.99), 99000);
	expect_interval(0.5, 40, 61);
	expect_interval(0.9, 84, 96);
	expect_interval(0.99, 97, INFINITY); /* 0.99^100 = 37% of such samples have no larger one */
	durations__exit(&d);
	begin_even(5000, 1);
	expect_interval(0.99, 4936, 4964);
	durations__exit(&d);
}

/* Spans that stand for others say no more than themselves. */
static void test_steps(void **state)
{
	(void)state;
	begin_even(100, 50);
	assert_true(d.nr == 5000 && d.nr_independent == 100);
	assert_int_equal(durations__quantile(&d, 0.99), 99000);
	expect_interval(0.5, 40, 61);
	durations__exit(&d);
}

/*
 * All slow ones are in one block of time: that happened once. In each block alike: they are as good as
 * independent.
 */
static void begin_slow(u32 nr_slow, u32 slow_blocks)
{
	durations__init(&d);
	durations__begin_recording(&d);
	for (u32 i = 0; i < 3200; i++)
		durations__add_one(&d, &(struct duration){ 1000000 + i, 1, i % DURATION_BLOCKS, 0 });
	for (u32 i = 0; i < nr_slow; i++)
		durations__add_one(&d, &(struct duration){ 30000000 + i, 1, i % slow_blocks, 0 });
	durations__finish(&d);
}

static double design(double share)
{
	struct noise n = durations__noise(&d, share);

	return n.variance * d.nr_independent / (share * (1 - share));
}

static void test_dependent(void **state)
{
	double of_one, of_four;

	(void)state;
	begin_slow(64, 32);
	assert_true(design(0.9806) == 1);
	durations__exit(&d);
	begin_slow(64, 1);
	of_one = design(0.9803);
	durations__exit(&d);
	begin_slow(64, 4);
	of_four = design(0.9803);
	durations__exit(&d);
	assert_true(of_one > 50 && of_one < 80);   /* about 64: as many depend on each other */
	assert_true(of_four > 12 && of_four < 80); /* at least 16: neighbouring blocks may be one bad time */
}

/* Few spans beyond a quantile borrow from those beyond a lower one. */
static void test_borrows(void **state)
{
	(void)state;
	begin_slow(100, 2);
	assert_true(durations__noise(&d, 0.999).df < 5);
	assert_true(design(0.999) > 1.5);
	durations__exit(&d);
}

static void expect_result(const char *text, enum limit_result result)
{
	struct duration_limit l;
	struct limit_check c;

	assert_int_equal(duration_limit__parse(&l, "--fail-on", text, NULL), 0);
	c = durations__check(&d, &l);
	if (c.result != result)
		fail_msg("%s: %d, expected %d (%g, %g to %g)", text, c.result, result, c.value, c.low,
			 c.high);
	assert_true(c.low <= c.value && c.value <= c.high);
}

static void test_limits(void **state)
{
	(void)state;
	begin_even(200, 1);
	expect_result("p99:197us", LIMIT_EXCEEDED);
	expect_result("p99:198us", LIMIT_KEPT);
	expect_result("p50:99.9us", LIMIT_EXCEEDED);
	expect_result("max:199us", LIMIT_EXCEEDED);
	expect_result("max:200us", LIMIT_KEPT);
	expect_result("mean:100us", LIMIT_EXCEEDED);
	expect_result("mean:101us", LIMIT_KEPT);
	expect_result("p99.9:1s", LIMIT_UNKNOWN);     /* no span is beyond it */
	expect_result("p99.9:195us", LIMIT_EXCEEDED); /* whatever it is, it is more */
	expect_result("p99.9:199.5us", LIMIT_UNKNOWN);
	durations__exit(&d);
	begin_even(0, 1);
	expect_result("p50:1s", LIMIT_UNKNOWN);
	expect_result("max:1s", LIMIT_UNKNOWN);
	expect_result("mean:1s", LIMIT_UNKNOWN);
	durations__exit(&d);
	begin_even(1, 1);
	expect_result("p50:1ns", LIMIT_UNKNOWN);
	expect_result("mean:1s", LIMIT_KEPT);
	durations__exit(&d);
	/* a limit that a value is equal to is kept; just enough spans know a quantile */
	begin_even(100, 1);
	expect_result("mean:50.5us", LIMIT_KEPT);
	expect_result("p50:50us", LIMIT_KEPT);
	expect_result("p99:99us", LIMIT_KEPT);
	expect_result("p99.1:99us", LIMIT_UNKNOWN);
	durations__exit(&d);
}

static void test_wrong_limits(void **state)
{
	static const char *const wrong[] = { "",          "p99",       "p99:",    ":20ms",
					     "p99:p50",   "20ms:20ms", "p101:1s", "max:20",
					     "median:1s", "p99:1ms:2", "P99:1ms" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct err err = ERR_INIT;
		struct duration_limit l;

		if (duration_limit__parse(&l, "--fail-on", wrong[i], &err) != -EINVAL)
			fail_msg("'%s' was taken", wrong[i]);
		assert_non_null(strstr(err.text.buf, "--fail-on: "));
		err__exit(&err);
	}
}

/* The mean of equal blocks is certain; else its variance is that of the blocks. */
static void test_mean(void **state)
{
	double x[DURATION_BLOCKS];
	struct noise n;

	(void)state;
	begin_even(3200, 1);
	for (u32 i = 0; i < DURATION_BLOCKS; i++)
		x[i] = i % 2 ? 100 : 300;
	n = durations__mean_noise(&d, x);
	/* blocks of 100 spans; a standard deviation of 100 each: of the sum of 32, 100 * sqrt(32) */
	assert_true(fabs(n.variance - 32.0 / 31 * 32 * 100 * 100 / (3200.0 * 3200)) < 1e-9);
	for (u32 i = 0; i < DURATION_BLOCKS; i++)
		x[i] = 100;
	assert_true(durations__mean_noise(&d, x).variance == 0);
	durations__exit(&d);
}

/* Hochberg's procedure: the second of two p-values that are both below the rate names both. */
static void test_many_p_values(void **state)
{
	double both[] = { 0.029, 0.02 }, one[] = { 0.5, 0.014 }, none[] = { 0.5, 0.016 };

	(void)state;
	assert_true(p_values__limit(both, 2, 0.03) == 0.03);
	assert_true(p_values__limit(one, 2, 0.03) == 0.015);
	assert_true(p_values__limit(none, 2, 0.03) == 0.015);
	assert_true(p_values__limit(none, 0, 0.03) == 0.03);
}

/* ---- numbers computed apart from this program, with 30 digits, by the formulas ---- */

static u64 seed;

static u32 dice(u32 nr)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (u32)((seed >> 33) % nr);
}

/* nr durations of 1000 to 1999 ns; slow tenths of those in each eighth block are longer. */
static void begin_any(u32 nr, u32 first, u32 steps, u32 slow, u32 nr_recordings)
{
	seed = first;
	durations__init(&d);
	for (u32 i = 0; i < nr_recordings; i++)
		durations__begin_recording(&d);
	d.nr_recordings = 1; /* blocks are those of all recordings */
	for (u32 i = 0; i < nr; i++) {
		u32 block = dice(DURATION_BLOCKS * nr_recordings);
		u64 ns = 1000 + dice(1000);
		u32 step = 1 + dice(steps);

		if (block % 8 == 3 && dice(10) < slow)
			ns += 5000 + dice(3000);
		durations__add_one(&d, &(struct duration){ ns, step, block, 0 });
	}
	d.nr_recordings = nr_recordings;
	durations__finish(&d);
}

static bool is_near(double x, double expected)
{
	return isinf(expected) ? isinf(x) : fabs(x - expected) <= 1e-8 * fabs(expected);
}

struct expected_noise {
	double share, variance, df;
	double low, high;         /* of 95% */
	double far_low, far_high; /* of 99.9% */
};

static void expect_noise(const struct expected_noise *e)
{
	struct noise n = durations__noise(&d, e->share);
	double low, high, far_low, far_high;

	durations__interval(&d, e->share, &n, 0.05, &low, &high);
	durations__interval(&d, e->share, &n, 0.001, &far_low, &far_high);
	if (!is_near(n.variance, e->variance) || !is_near(n.df, e->df) || !is_near(low, e->low) ||
	    !is_near(high, e->high) || !is_near(far_low, e->far_low) || !is_near(far_high, e->far_high))
		fail_msg("%g: %.12g, %.12g: %g to %g, %g to %g", e->share, n.variance, n.df, low, high,
			 far_low, far_high);
}

/* The last numbers: of the mean of all. */
static void expect_numbers(const struct expected_noise *e, u32 nr, double independent, double variance,
			   double df)
{
	struct noise n;

	assert_true(is_near(d.nr_independent, independent));
	for (u32 i = 0; i < nr; i++)
		expect_noise(&e[i]);
	n = durations__mean_noise(&d, d.ns_in_blocks.v);
	assert_true(is_near(n.variance, variance));
	assert_true(is_near(n.df, df));
	durations__exit(&d);
}

static void test_numbers(void **state)
{
	static const struct expected_noise few[] = {
		{ 0.3, 0.000525, INFINITY, 1269, 1383, 1222, 1400 },
		{ 0.5, 0.000854838709677, 16.5508504848, 1458, 1572, 1409, 1631 },
		{ 0.9, 0.00110929032258, 5.94414465516, 1882, 8336, 1701, INFINITY },
		{ 0.99, 3.348e-5, 4.91022028772, 7727, INFINITY, 1983, INFINITY },
		{ 0.999, 2.50699509099e-6, 6.28062558189, 8695, INFINITY, 8355, INFINITY },
	};
	static const struct expected_noise stepped[] = {
		{ 0.3, 0.000172844319219, 15, 1279, 1341, 1251, 1366 },
		{ 0.5, 0.000319074432652, 18.1880376597, 1472, 1557, 1439, 1593 },
		{ 0.9, 0.000720567504536, 11.9771598792, 1892, 7490, 1822, 9897 },
		{ 0.99, 2.64553099022e-5, 7.27728506812, 8303, INFINITY, 7392, INFINITY },
		{ 0.999, 4.60366683541e-7, 4.48118235188, 9510, INFINITY, 9006, INFINITY },
	};
	static const struct expected_noise many[] = {
		{ 0.3, 3.31765866667e-5, 15, 1290, 1318, 1279, 1330 },
		{ 0.5, 6.8996e-5, 15, 1494, 1530, 1477, 1546 },
		{ 0.9, 0.00013345723871, 12.5067563496, 1899, 1951, 1871, 1972 },
		{ 0.99, 2.29915220645e-5, 11.5607053478, 7245, INFINITY, 1991, INFINITY },
		{ 0.999, 2.52161930323e-7, 8.08461021481, 9292, INFINITY, 9015, INFINITY },
	};
	static const struct expected_noise three_recordings[] = {
		{ 0.3, 0.000305264681872, 13.1677867285, 1255, 1341, 1227, 1378 },
		{ 0.5, 0.000351260212502, INFINITY, 1468, 1544, 1444, 1568 },
		{ 0.9, 0.000132008823136, 47, 1875, 1931, 1862, 1944 },
		{ 0.99, 1.39099044151e-5, INFINITY, 1985, 1996, 1979, INFINITY },
		{ 0.999, 1.40363580916e-6, INFINITY, 1996, INFINITY, 1995, INFINITY },
	};

	(void)state;
	begin_any(400, 1, 1, 3, 1);
	expect_numbers(few, ARRAY_SIZE(few), 400, 33992.998961, 4.72236144062);
	begin_any(3000, 2, 4, 5, 1);
	expect_numbers(stepped, ARRAY_SIZE(stepped), 2513.67301167658, 32930.6833845, 11.2109277998);
	begin_any(20000, 3, 1, 2, 1);
	expect_numbers(many, ARRAY_SIZE(many), 20000, 6563.42382982, 12.1440438145);
	begin_any(900, 4, 9, 0, 3);
	expect_numbers(three_recordings, ARRAY_SIZE(three_recordings), 711.723079080202, 130.77333624, 47);
}

/* ---- recordings ---- */

static void expect_quantiles(double share, double a, double b, double empty)
{
	double q[3];

	durations__quantiles_of_recordings(&d, share, q);
	assert_true(q[0] == a && q[1] == b && q[2] == empty);
}

static void test_recordings(void **state)
{
	(void)state;
	durations__init(&d);
	durations__begin_recording(&d);
	for (u64 i = 1; i <= 100; i++)
		durations__add_one(&d, &(struct duration){ 101 - i, 1, (u32)i % DURATION_BLOCKS, 0 });
	durations__begin_recording(&d);
	durations__add_one(&d, &(struct duration){ 500, 97, 31, 0.5f });
	durations__add_one(&d, &(struct duration){ 400, 2, 30, 0 });
	durations__add_one(&d, &(struct duration){ 600, 1, 0, 1 });
	durations__begin_recording(&d);
	durations__finish(&d);
	assert_int_equal(d.nr_recordings, 3);
	assert_int_equal(d.in_blocks.nr, 3 * DURATION_BLOCKS);
	assert_true(d.in_blocks.v[2 * DURATION_BLOCKS - 1] == 97 && d.in_blocks.v[DURATION_BLOCKS] == 1);
	assert_true(d.ns_in_blocks.v[2 * DURATION_BLOCKS - 1] == 97 * 500);
	assert_true(d.nr == 200 && d.ns == 5050 + 97 * 500 + 800 + 600);
	expect_quantiles(0.001, 1, 400, 0);
	expect_quantiles(0.02, 2, 400, 0);
	expect_quantiles(0.03, 3, 500, 0);
	expect_quantiles(0.5, 50, 500, 0);
	expect_quantiles(0.99, 99, 500, 0);
	expect_quantiles(0.995, 100, 600, 0);
	/* the part in which threads were ready: of 100 to 500, and of all from 500 on */
	assert_true(fabs(durations__ready_part(&d, 0.5, 0.995) - 0.5 * 97 * 500 / (100 + 800 + 97 * 500)) <
		    1e-9);
	assert_true(fabs(durations__ready_part(&d, 0.9, 1) - (0.5 * 97 * 500 + 600) / (97 * 500 + 600)) <
		    1e-9);
	assert_true(durations__ready_part(&d, 0, 0.5) == 0);
	durations__exit(&d);
	begin_even(0, 1);
	assert_true(durations__ready_part(&d, 0, 1) == 0);
	assert_int_equal(durations__quantile(&d, 0.5), 0);
	durations__exit(&d);
}

static void test_set(void **state)
{
	struct span v[] = {
		{ 100, 200, 1, 1, 1 }, { 50, 150, 1, 1, 2 }, { 3000, 3300, 1, 1, 3 }, { 90, 90, 1, 1, 1 }
	};
	u32 order[] = { 3, 0, 1, 2 };
	const u64 ready[] = { 25, 100, 0, 5 };
	const struct span_set s = { .v = { v, 4 }, .by_duration = { order, 4 }, .first = 100, .last = 3300 };

	(void)state;
	/* blocks of 100 ns */
	assert_int_equal(span_set__block(&s, &v[0]), 1);
	assert_int_equal(span_set__block(&s, &v[1]), 0);
	assert_int_equal(span_set__block(&s, &v[2]), 31);
	assert_int_equal(span_set__block(&s, &v[3]), 0); /* before the first sample */
	assert_int_equal(span_set__block(&s, &(struct span){ .end = 299 }), 1);
	assert_int_equal(
		span_set__block(&(struct span_set){ .first = 5, .last = 5 }, &(struct span){ .end = 5 }), 0);
	assert_int_equal(
		span_set__block(&(struct span_set){ .first = 5, .last = 5 }, &(struct span){ .end = 6 }), 31);
	durations__init(&d);
	durations__add(&d, &s, ready);
	durations__add(&d, &s, NULL);
	for (u32 i = 0; i < 8; i++) {
		const struct duration *x = &d.v.v[i];
		u32 at = order[i % 4];

		assert_int_equal(x->ns, span__ns(&v[at]));
		assert_int_equal(x->step, v[at].step);
		assert_int_equal(x->block, span_set__block(&s, &v[at]) + i / 4 * DURATION_BLOCKS);
		assert_true((double)x->ready == (i >= 4 || at > 1 ? 0 : at ? 1 : 0.25));
	}
	assert_int_equal(d.v.nr, 8);
	durations__finish(&d);
	for (u32 i = 1; i < 8; i++)
		assert_true(d.v.v[i - 1].ns <= d.v.v[i].ns);
	assert_true(d.upto[7] == 14);
	durations__exit(&d);
}

static void expect_name(const char *text, const char *name)
{
	struct strbuf sb = STRBUF_INIT;
	struct duration_limit l;

	assert_int_equal(duration_limit__parse(&l, "--fail-on", text, NULL), 0);
	duration_limit__add_name(&l, &sb);
	assert_string_equal(sb.buf, name);
	strbuf__exit(&sb);
}

static void test_names(void **state)
{
	(void)state;
	expect_name("p99.9:1s", "p99.9");
	expect_name("p50:1s", "p50");
	expect_name("max:1s", "max");
	expect_name("mean:1s", "mean");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_independent), cmocka_unit_test(test_steps),
		cmocka_unit_test(test_dependent),   cmocka_unit_test(test_borrows),
		cmocka_unit_test(test_limits),      cmocka_unit_test(test_wrong_limits),
		cmocka_unit_test(test_mean),        cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_recordings),  cmocka_unit_test(test_set),
		cmocka_unit_test(test_names),       cmocka_unit_test(test_many_p_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
