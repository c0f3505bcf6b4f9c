/*
 * What may be named as the reason why spans are slow: of spans whose durations and reasons the test makes.
 * tests/spans/calibrate.c counts how often that is right.
 */
#include "unit.h"

#include "profile/causes/span_verdicts.h"
#include "tests/diff/random.h"

#include <math.h>
#include <stdlib.h>

enum { SPANS = 4000, MOST = SPANS };
enum { WORK, WAIT, NR_REASONS };

static struct span_case c;
static struct span_candidate candidates[NR_REASONS];
static double ns[NR_SPAN_GROUPS][MOST], weights[NR_SPAN_GROUPS][MOST], of[NR_REASONS][NR_SPAN_GROUPS][MOST];
static u32 clusters[MOST];
static double durations[MOST], waits[MOST];
static struct span_amount sorted[MOST];
static double *const waits_of_slow = of[WAIT][SPANS_SLOW];

static int compare_amounts(const void *x, const void *y)
{
	const struct span_amount *a = x, *b = y;

	return a->amount < b->amount ? -1 : a->amount > b->amount;
}

/* Divide the spans at these durations, and judge. */
static enum span_verdict judge(u32 nr, double fast, double slow, bool is_told)
{
	c = (struct span_case){ .is_told = is_told };
	for (u32 i = 0; i < nr; i++) {
		int g = durations[i] >= slow ? SPANS_SLOW : durations[i] <= fast ? SPANS_FAST : SPANS_BETWEEN;
		u32 at = c.groups[g].nr++;

		sorted[i] = (struct span_amount){ durations[i], 1 };
		ns[g][at] = durations[i];
		weights[g][at] = 1;
		of[WAIT][g][at] = waits[i];
		of[WORK][g][at] = durations[i] - waits[i];
		clusters[at] = g == SPANS_SLOW ? at : clusters[at];
	}
	qsort(sorted, nr, sizeof(*sorted), compare_amounts);
	span_tail__look(&c.tail, &(struct span_amounts){ nr, sorted }, slow);
	for (int g = 0; g < NR_SPAN_GROUPS; g++) {
		c.groups[g].ns = ns[g];
		c.groups[g].weights = weights[g];
		c.groups[g].share = is_told ? 0 : (double)c.groups[g].nr / nr;
		for (int i = 0; i < NR_REASONS; i++)
			candidates[i].amounts[g] = of[i][g];
	}
	c.groups[SPANS_SLOW].clusters = clusters;
	return span_case__judge(&c, candidates, NR_REASONS);
}

static double quantile(u32 nr, double share)
{
	for (u32 i = 0; i < nr; i++)
		sorted[i] = (struct span_amount){ durations[i], 1 };
	qsort(sorted, nr, sizeof(*sorted), compare_amounts);
	return sorted[(u32)ceil(share * nr) - 1].amount;
}

static enum span_verdict judge_quantiles(u32 nr)
{
	return judge(nr, quantile(nr, 0.5), quantile(nr, 0.99), false);
}

/* Spans of about 1 ms, of which each n-th waits. */
static void make_spans(u32 nr, double sigma, u32 each, double wait)
{
	state = 1;
	for (u32 i = 0; i < nr; i++) {
		waits[i] = each && i % each == 0 ? wait * between(0.9, 1.1) : 0;
		durations[i] = 1e6 * exp(sigma * gauss()) + waits[i];
	}
}

static void ordinary_variation_is_not_named(void **unused)
{
	(void)unused;
	make_spans(SPANS, 0.1, 0, 0);
	assert_int_equal(judge_quantiles(SPANS), SPANS_ALIKE);
	make_spans(SPANS, 0.6, 0, 0);
	assert_int_equal(judge_quantiles(SPANS), SPANS_ORDINARY);
	assert_false(c.tail.is_detached);
	assert_in_range((u64)(100 * c.tail.mean / c.tail.expected), 80, 120);
	assert_true(candidates[WORK].is_clear); /* it is all that they have more of */
	assert_false(candidates[WORK].is_named);
	/* who asks for it gets it */
	assert_int_equal(judge(SPANS, 1e6, 4e6, true), SPANS_EXPLAINED);
	assert_true(candidates[WORK].is_named);
	assert_false(candidates[WAIT].is_named);
}

static void rare_waits_are_named(void **unused)
{
	(void)unused;
	make_spans(SPANS, 0.2, 200, 30e6);
	assert_int_equal(judge_quantiles(SPANS), SPANS_EXPLAINED);
	assert_true(candidates[WAIT].is_named);
	assert_true(candidates[WAIT].is_apart);
	assert_false(candidates[WORK].is_named);
	assert_int_equal(candidates[WAIT].contrast.nr_have, 20);
	assert_in_range((u64)candidates[WAIT].contrast.have_mean, 28000000, 32000000);
	assert_in_range((u64)candidates[WAIT].contrast.more, 14000000, 15500000); /* 20 of 41 */
	assert_in_range((u64)candidates[WAIT].contrast.low, 7000000, 11000000);
	assert_in_range((u64)candidates[WAIT].contrast.high, 20000000, 27000000);
	assert_in_range((u64)(1000 * candidates[WAIT].part), 950, 1000);
	/* also where the durations of the others do not show them */
	make_spans(SPANS, 0.7, 200, 10e6);
	assert_int_equal(judge_quantiles(SPANS), SPANS_EXPLAINED);
	assert_false(c.tail.is_detached);
	assert_true(candidates[WAIT].is_apart);
	assert_true(candidates[WAIT].is_named);
}

/* All spans wait for a while; a third of the slow ones for long, which the others are no sign against. */
static void a_third_of_the_slow_is_enough(void **unused)
{
	(void)unused;
	make_spans(SPANS, 0.2, 300, 30e6);
	for (u32 i = 0; i < SPANS; i++) {
		double usual = between(150e3, 250e3), busy = i % 150 == 75 ? between(2e6, 3e6) : 0;

		waits[i] += busy > 0 ? 100e3 : usual;
		durations[i] += busy + (busy > 0 ? 100e3 : usual);
	}
	assert_int_equal(judge_quantiles(SPANS), SPANS_EXPLAINED);
	assert_true(candidates[WAIT].is_named);
	assert_int_equal(candidates[WAIT].contrast.nr_have, 14);
	assert_true(candidates[WAIT].contrast.low > 0);
}

/* That durations are far away is enough, and so is that the amounts are. */
static void one_of_both_is_enough(void **unused)
{
	(void)unused;
	make_spans(SPANS, 0.2, 200, 30e6);
	candidates[WAIT].unit = 10e6; /* the waits are a few samples each */
	assert_int_equal(judge_quantiles(SPANS), SPANS_EXPLAINED);
	assert_true(c.tail.is_detached);
	assert_false(candidates[WAIT].is_apart);
	assert_true(candidates[WAIT].is_named);
	candidates[WAIT].unit = 0;
}

static void fill(u32 nr_fast, u32 nr_slow, double slow)
{
	for (u32 i = 0; i < nr_fast + nr_slow; i++) {
		durations[i] = i < nr_fast ? 1e6 : slow;
		waits[i] = i < nr_fast ? 0 : slow - 1e6;
	}
}

/* So many spans of each kind are needed, which are twice as long. */
static void limits_of_verdicts(void **unused)
{
	(void)unused;
	fill(4, 100, 5e6);
	assert_int_equal(judge(104, 1e6, 5e6, true), SPANS_FEW);
	fill(5, 100, 5e6);
	assert_int_not_equal(judge(105, 1e6, 5e6, true), SPANS_FEW);
	fill(100, 4, 5e6);
	assert_int_equal(judge(104, 1e6, 5e6, true), SPANS_FEW);
	fill(100, 5, 5e6);
	assert_int_equal(judge(105, 1e6, 5e6, true), SPANS_EXPLAINED);
	fill(1000, 20, 2e6);
	assert_int_not_equal(judge(1020, 1e6, 2e6, false), SPANS_ALIKE);
	fill(1000, 20, 1.99e6);
	assert_int_equal(judge(1020, 1e6, 1.99e6, false), SPANS_ALIKE);
	assert_int_not_equal(judge(1020, 1e6, 1.99e6, true), SPANS_ALIKE);
	/* without a candidate */
	assert_int_equal(span_case__judge(&c, candidates, 0), SPANS_UNEXPLAINED);
}

/* Of 100 fast spans 40 have more of something, and of 20 slow ones so many. */
static void expect_clear(u32 nr, double slow, bool is_clear)
{
	c = (struct span_case){ .is_told = true };
	c.groups[SPANS_FAST] =
		(struct span_group){ .nr = 100, .ns = ns[SPANS_FAST], .weights = weights[SPANS_FAST] };
	c.groups[SPANS_SLOW] =
		(struct span_group){ .nr = 20, .ns = ns[SPANS_SLOW], .weights = weights[SPANS_SLOW] };
	c.groups[SPANS_BETWEEN] =
		(struct span_group){ .ns = ns[SPANS_BETWEEN], .weights = weights[SPANS_BETWEEN] };
	for (u32 i = 0; i < 100; i++) {
		ns[SPANS_FAST][i] = 10;
		of[WAIT][SPANS_FAST][i] = i % 5 < 2 ? 3 : 1;
		weights[SPANS_FAST][i] = 1;
	}
	for (u32 i = 0; i < 20; i++) {
		ns[SPANS_SLOW][i] = slow;
		of[WAIT][SPANS_SLOW][i] = i < nr ? 3 : 1;
		weights[SPANS_SLOW][i] = 1;
	}
	for (int g = 0; g < NR_SPAN_GROUPS; g++)
		candidates[WAIT].amounts[g] = of[WAIT][g];
	assert_int_equal(span_case__judge(&c, &candidates[WAIT], 1),
			 is_clear ? SPANS_EXPLAINED : SPANS_UNEXPLAINED);
	assert_int_equal(candidates[WAIT].is_clear, is_clear);
	assert_int_equal(candidates[WAIT].is_named, is_clear);
}

static void clear_ones_are_many_and_much(void **unused)
{
	(void)unused;
	expect_clear(12, 12, false); /* 12 and more of 20 are 7% where 40.6% are usual */
	expect_clear(14, 12, true);  /* 14: 0.8% */
	assert_true(fabs(candidates[WAIT].part - 0.6 / 2) < 1e-9);
	expect_clear(14, 15.9, true); /* a tenth of the extra time, and less */
	expect_clear(14, 16.1, false);
	expect_clear(8, 12, false); /* they have no more */
}

static void few_spans_cannot_tell(void **unused)
{
	(void)unused;
	make_spans(300, 0.2, 200, 30e6);
	assert_int_equal(judge_quantiles(300), SPANS_FEW); /* three slow ones */
	make_spans(1000, 0.2, 400, 30e6);
	assert_int_equal(judge_quantiles(1000), SPANS_UNEXPLAINED); /* three of eleven */
	assert_int_equal(judge(0, 0, 0, false), SPANS_FEW);
}

static void swap(double *v, u32 i, u32 k)
{
	double x = v[i];

	v[i] = v[k];
	v[k] = x;
}

/* An event that hits many spans is one that happened. */
static void few_events_are_not_named(void **unused)
{
	u32 nr, with = 0;

	(void)unused;
	make_spans(SPANS, 0.2, 200, 30e6);
	assert_int_equal(judge_quantiles(SPANS), SPANS_EXPLAINED);
	nr = c.groups[SPANS_SLOW].nr;
	for (u32 i = 0; i < nr; i++)
		if (waits_of_slow[i] > 0) {
			swap(ns[SPANS_SLOW], i, with);
			swap(of[WORK][SPANS_SLOW], i, with);
			swap(waits_of_slow, i, with++);
		}
	for (u32 i = 0; i < nr; i++)
		clusters[i] = i < with ? i * 4 / with : i;
	assert_int_equal(span_case__judge(&c, candidates, NR_REASONS), SPANS_UNEXPLAINED);
	assert_int_equal(candidates[WAIT].contrast.nr_have, 20);
	assert_int_equal(candidates[WAIT].contrast.nr_clusters, 4);
	assert_false(candidates[WAIT].is_clear);
	assert_false(candidates[WAIT].is_apart);
	for (u32 i = 0; i < nr; i++)
		clusters[i] = i * 4 / nr;
	assert_int_equal(span_case__judge(&c, candidates, NR_REASONS), SPANS_FEW);
}

static void spans_of_one_time_are_one_cluster(void **unused)
{
	static const u64 begins[] = { 100, 150, 190, 260, 1000, 5000, 9000, 9001, 20000 },
			 ends[] = { 200, 400, 300, 500, 1100, 5100, 9100, 9002, 20001 };
	static const u32 expected[] = { 0, 0, 0, 1, 2, 3, 4, 4, 5 };
	u32 got[ARRAY_SIZE(begins)];

	(void)unused;
	span_clusters__number(got, begins, ends, ARRAY_SIZE(begins));
	/* the fourth one follows the first three at once: a burst */
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		assert_int_equal(got[i] - got[0], expected[i] - (i >= 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_variation_is_not_named),
		cmocka_unit_test(rare_waits_are_named),
		cmocka_unit_test(a_third_of_the_slow_is_enough),
		cmocka_unit_test(one_of_both_is_enough),
		cmocka_unit_test(limits_of_verdicts),
		cmocka_unit_test(clear_ones_are_many_and_much),
		cmocka_unit_test(few_spans_cannot_tell),
		cmocka_unit_test(few_events_are_not_named),
		cmocka_unit_test(spans_of_one_time_are_one_cluster),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
