/*
 * Numbers of comparisons of slow and fast spans. What is expected was computed apart from this program, by
 * the formulas in Documentation/comparison.md.
 */
#include "unit.h"

#include "profile/causes/span_contrast.h"

#include <math.h>

enum { MANY = 70 };

static const double ones[MANY] = { [0 ... MANY - 1] = 1 };
static struct span_contrast got;

static void expect_number(double x, double expected, double tolerance)
{
	if (!(fabs(x - expected) <= tolerance))
		fail_msg("%.9g is not %.9g", x, expected);
}

static void make(const struct span_group *fast, const double *of_fast, const struct span_group *slow,
		 const double *of_slow, const struct span_group *between, const double *of_between)
{
	const double *const amounts[NR_SPAN_GROUPS] = { of_fast, of_slow, of_between };
	const struct span_group groups[NR_SPAN_GROUPS] = { *fast, *slow, *between };

	span_contrast__make(&got, groups, amounts);
	expect_number(got.more, got.mean[SPANS_SLOW] - got.mean[SPANS_FAST], 1e-12);
}

static const struct span_group none;

static void expect_interval(double low, double high, double p)
{
	expect_number(got.low, low, 1e-5);
	expect_number(got.high, high, 1e-5);
	expect_number(got.p, p, 1e-6);
}

static void expect_who_has_it(u32 nr, u32 nr_clusters, double mean)
{
	assert_int_equal(got.nr_have, nr);
	assert_int_equal(got.nr_clusters, nr_clusters);
	expect_number(got.have_mean, mean, 1e-6);
}

/* Limits are durations, each span is one. */
static void groups_by_durations(void **state)
{
	static const double ns[] = { 1, 2, 3, 4, 5 }, slow_ns[] = { 20, 21, 22, 23 };
	static const double x[] = { 1, 2, 0, 3, 1 }, slow_x[] = { 9, 1, 12, 8 };
	const struct span_group fast = { .nr = 5, .ns = ns, .weights = ones },
				slow = { .nr = 4, .ns = slow_ns, .weights = ones };

	(void)state;
	make(&fast, x, &slow, slow_x, &none, NULL);
	expect_number(got.mean[SPANS_FAST], 1.4, 1e-12);
	expect_number(got.mean[SPANS_SLOW], 7.5, 1e-12);
	expect_interval(1.8680081, 11.38795, 0.0162037);
	expect_who_has_it(3, 3, 9.6666667);
}

/* Limits are quantiles; spans stand for several, and some are of one cluster. */
static void groups_by_quantiles(void **state)
{
	static const double ns[] = { 5, 3, 4, 2, 6, 1 }, slow_ns[] = { 40, 31, 50, 45, 38, 60, 33 },
			    between_ns[] = { 10, 20, 15, 30, 12 };
	static const double w[] = { 1, 2, 1, 3, 1, 1 }, slow_w[] = { 1, 1, 2, 1, 1, 3, 1 },
			    between_w[] = { 1, 2, 1, 1, 1 };
	static const double x[] = { 1, 0, 2, 1, 0, 3 }, slow_x[] = { 10, 9, 20, 12, 1, 30, 4 },
			    between_x[] = { 2, 5, 1, 6, 3 };
	static const u32 clusters[] = { 0, 0, 1, 2, 2, 3, 4, 4 /* of no span */ };
	const struct span_group fast = { .nr = 6, .ns = ns, .weights = w, .share = 0.5 },
				slow = { .nr = 7,
					 .ns = slow_ns,
					 .weights = slow_w,
					 .clusters = clusters,
					 .share = 0.25 },
				between = { .nr = 5, .ns = between_ns, .weights = between_w };

	(void)state;
	make(&fast, x, &slow, slow_x, &between, between_x);
	expect_number(got.mean[SPANS_FAST], 1, 1e-12);
	expect_number(got.mean[SPANS_SLOW], 16.6, 1e-6);
	expect_interval(9.9935932, 83.7033248, 0.0232641);
	expect_who_has_it(5, 4, 20.125);
	assert_int_equal(span_group__nr_clusters(&slow), 5);
	expect_number(span_group__together(&slow), 7.0 / 5, 1e-12);
	assert_int_equal(span_group__nr_clusters(&fast), 6);
	assert_int_equal(span_group__nr_clusters(&none), 0);
	expect_number(span_group__together(&none), 1, 0);
}

/* The variance is that of blocks of spans that follow each other: two spans each. */
static void many_spans(void **state)
{
	double ns[MANY], slow_ns[MANY], x[MANY], slow_x[MANY];
	const struct span_group fast = { .nr = MANY, .ns = ns, .weights = ones, .share = 0.9 },
				slow = { .nr = MANY, .ns = slow_ns, .weights = ones, .share = 0.1 };

	(void)state;
	for (int i = 0; i < MANY; i++) {
		ns[i] = 100 + i;
		slow_ns[i] = 1000 + i;
		x[i] = i * 7 % 5;
		slow_x[i] = 10 + i * i % 11;
	}
	make(&fast, x, &slow, slow_x, &none, NULL);
	expect_interval(11.1551705, 12.900655, 0);
	expect_who_has_it(70, 70, 13.9714286);
}

static void too_little_to_tell(void **state)
{
	static const double ns[] = { 1, 2, 3 }, slow_ns[] = { 9, 9, 9, 9 };
	static const double x[] = { 1, 1, 1 }, slow_x[] = { 4, 6 }, same[] = { 4, 4 };
	static const u32 one[] = { 0, 0 };
	struct span_group fast = { .nr = 3, .ns = ns, .weights = ones },
			  slow = { .nr = 2, .ns = slow_ns, .weights = ones, .clusters = one };

	(void)state;
	/* one cluster has no variance */
	make(&fast, x, &slow, slow_x, &none, NULL);
	assert_true(isinf(got.low) && isinf(got.high) && got.low < 0 && got.high > 0);
	expect_number(got.p, 0.25, 1e-9);
	expect_who_has_it(2, 1, 5);
	/* all are the same */
	slow.clusters = NULL;
	make(&fast, x, &slow, same, &none, NULL);
	expect_interval(3, 3, 0.0625);
	expect_who_has_it(2, 2, 4);
	/* slow ones have less */
	fast.nr = 2;
	make(&fast, (const double[]){ 5, 6 }, &slow, (const double[]){ 4, 3 }, &none, NULL);
	expect_interval(-5.0424349, 1.0424349, 1);
	expect_who_has_it(0, 0, 0);
	make(&fast, (const double[]){ 5, 6 }, &slow, (const double[]){ 5.3, 4 }, &none, NULL);
	expect_number(got.p, 1, 0);
	expect_who_has_it(0, 0, 0);
	/* some of them have much less, and all differ by less than 1 */
	fast.nr = 3;
	slow.nr = 4;
	make(&fast, (const double[]){ 5, 6, 7 }, &slow, (const double[]){ 1, 5, 5.5, 5.25 }, &none, NULL);
	expect_interval(-6.30134645, 0.527738441, 1);
	slow.nr = 3;
	make(&fast, (const double[]){ 0.5, 0.25, 0.75 }, &slow, (const double[]){ 1, 0.75, 1.25 }, &none,
	     NULL);
	expect_interval(0.160955693, 1.06673948, 0.125);
	expect_who_has_it(3, 3, 1);
	/* one fast span, which is half of one */
	fast.nr = 1;
	fast.weights = (const double[]){ 0.5 };
	make(&fast, (const double[]){ 3 }, &slow, (const double[]){ 5, 5, 5 }, &none, NULL);
	expect_number(got.mean[SPANS_FAST], 3, 0);
	fast.weights = ones;
	slow.nr = 2;
	/* there are none, of a part of all spans or by a duration */
	fast.nr = 0;
	fast.share = 0.5;
	make(&fast, NULL, &slow, same, &none, NULL);
	expect_number(got.mean[SPANS_FAST], 0, 0);
	expect_number(got.p, 1, 0);
	assert_true(isinf(got.low) && isinf(got.high));
	make(&none, NULL, &none, NULL, &none, NULL);
	expect_number(got.more, 0, 0);
	expect_number(got.p, 1, 0);
}

/* Spans of 10 ns each, begun at these times. */
static void expect_clusters(const u64 *begins, u32 nr, const u32 *expected)
{
	u64 ends[8];
	u32 clusters[8];

	for (u32 i = 0; i < nr; i++)
		ends[i] = begins[i] + 10;
	span_clusters__number(clusters, begins, ends, nr);
	assert_memory_equal(clusters, expected, nr * sizeof(*clusters));
}

static void clusters_are_numbered(void **state)
{
	(void)state;
	/* spans that overlap the first one of a cluster, not the last one */
	expect_clusters((const u64[]){ 0, 9, 10, 19, 20, 31 }, 6, (const u32[]){ 0, 0, 1, 1, 2, 3 });
	/* a burst: 1020 / 6 / 10 = 17 ns and more are apart */
	expect_clusters((const u64[]){ 0, 16, 32, 49, 1000, 1020 }, 6, (const u32[]){ 0, 0, 0, 1, 2, 3 });
	expect_clusters((const u64[]){ 7 }, 1, (const u32[]){ 0 });
	span_clusters__number(NULL, NULL, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_by_durations),
		cmocka_unit_test(groups_by_quantiles),
		cmocka_unit_test(many_spans),
		cmocka_unit_test(too_little_to_tell),
		cmocka_unit_test(clusters_are_numbered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
