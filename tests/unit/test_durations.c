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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_independent), cmocka_unit_test(test_steps),
		cmocka_unit_test(test_dependent),   cmocka_unit_test(test_borrows),
		cmocka_unit_test(test_limits),      cmocka_unit_test(test_wrong_limits),
		cmocka_unit_test(test_mean),        cmocka_unit_test(test_many_p_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
