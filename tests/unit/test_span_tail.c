/*
 * Are the slowest spans a kind of their own? What is expected was computed apart from this program, by the
 * formulas in Documentation/comparison.md.
 */
#include "unit.h"

#include "profile/causes/span_tail.h"

#include <math.h>

enum { MOST = 4000 };

static struct span_amount v[MOST];
static struct span_amounts a = { .v = v };
static struct span_tail tail;

static void add(u32 nr, double first, double step, double weight)
{
	for (u32 i = 0; i < nr; i++)
		v[a.nr++] = (struct span_amount){ first + step * i, weight };
}

/* 40 spans of 100 to 139 ns and 10 of 1600 to 1609 ns. */
static void two_kinds(double weight, double weight_of_slow)
{
	a = (struct span_amounts){ .v = v };
	add(40, 100, 1, weight);
	add(10, 1600, 1, weight_of_slow);
}

static void expect(double x, double expected)
{
	if (!(fabs(x - expected) <= 1e-7 * fabs(expected)))
		fail_msg("%.12g is not %.12g", x, expected);
}

static void a_kind_of_its_own(void **state)
{
	(void)state;
	two_kinds(1, 1);
	span_tail__look(&tail, &a, 1000);
	expect(tail.share, 0.2);
	expect(tail.mean, 1604.5);
	expect(tail.expected, 177.22495676777302);
	assert_true(tail.has_gap && tail.is_detached);
	expect(tail.gap_from, 124);
	expect(tail.gap_to, 1402.8998538741105);
	/* if ten at a time count as one, there are too few for a gap; they are far away all the same */
	a.together = 9.5;
	span_tail__look(&tail, &a, 1000);
	assert_false(tail.has_gap);
	assert_true(tail.is_detached);
	expect(tail.expected, 177.22495676777302);
	/* each stands for several */
	two_kinds(2, 4);
	span_tail__look(&tail, &a, 1000);
	expect(tail.share, 1.0 / 3);
	expect(tail.mean, 1604.5);
	expect(tail.expected, 10194611387.47686);
	assert_true(tail.has_gap);
	two_kinds(400, 800); /* that changes nothing */
	span_tail__look(&tail, &a, 1000);
	assert_true(tail.has_gap);
	expect(tail.share, 1.0 / 3);
	/* most of them: there is nothing to go on from */
	two_kinds(1, 1);
	span_tail__look(&tail, &a, 110);
	expect(tail.share, 0.8);
	expect(tail.mean, 494.5);
	assert_true(isinf(tail.expected));
	assert_true(tail.has_gap && tail.is_detached);
	expect(tail.gap_from, 147.4616822603374);
	expect(tail.gap_to, 417.0846219658424);
}

static void no_kind_of_its_own(void **state)
{
	(void)state;
	a.nr = 0;
	a.together = 0;
	add(90, 100, 10, 1);
	add(10, 1000, 100, 1);
	span_tail__look(&tail, &a, 1000);
	expect(tail.share, 0.1);
	expect(tail.mean, 1450);
	expect(tail.expected, 1216.632028830989);
	assert_false(tail.has_gap);
	assert_false(tail.is_detached);
	/* one alone is far away, but no gap */
	a.nr = 0;
	add(400, 100, 1, 1);
	add(1, 5000, 0, 1);
	span_tail__look(&tail, &a, 1000);
	expect(tail.expected, 848.9141407792907);
	assert_false(tail.has_gap);
	assert_true(tail.is_detached);
	/* there are none */
	span_tail__look(&tail, &a, 6000);
	expect(tail.share, 0);
	expect(tail.mean, 0);
	assert_false(tail.has_gap || tail.is_detached);
	a.nr = 0;
	span_tail__look(&tail, &a, 1);
	assert_false(tail.is_detached);
	/* part of a span */
	add(3, 10, 1, 0.1);
	span_tail__look(&tail, &a, 11);
	expect(tail.share, 2.0 / 3);
	expect(tail.mean, 11.5);
}

static void gaps_of_amounts(void **state)
{
	(void)state;
	two_kinds(1, 1);
	assert_true(span_amounts__has_gap(&a, 124, 1604));
	assert_true(span_amounts__has_gap(&a, 110, 1604));
	assert_false(span_amounts__has_gap(&a, 124, 147)); /* one would end above */
	assert_false(span_amounts__has_gap(&a, 124, 100));
	assert_false(span_amounts__has_gap(&a, 1700, 2000)); /* nothing is above */
	assert_false(span_amounts__has_gap(&a, 5000, 9000));
	assert_false(span_amounts__has_gap(&a, 0, 1000));
	/* so many after an empty bin are a gap; a few that stand for many are not */
	for (u32 nr = 12; nr <= 13; nr++) {
		a.nr = 0;
		add(nr, 125, 0, 1);
		assert_int_equal(span_amounts__has_gap(&a, 100, 120), nr == 13);
	}
	a.nr = 0;
	add(3, 125, 0, 100);
	assert_false(span_amounts__has_gap(&a, 100, 120));
	/* amounts of 100 to 118 and up to 141 ns, in bins of 18.9 and 22.5 ns: twice as dense is a gap */
	for (u32 nr = 2300; nr <= 2500; nr += 200) {
		a.nr = 0;
		add(1000, 100, 0.018, 1);
		add(nr, 120, 0.008, 1);
		assert_int_equal(span_amounts__has_gap(&a, 100, 400), nr == 2500);
	}
	a.nr = 0;
	assert_false(span_amounts__has_gap(&a, 1, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kind_of_its_own),
		cmocka_unit_test(no_kind_of_its_own),
		cmocka_unit_test(gaps_of_amounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
