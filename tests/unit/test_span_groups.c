/* Which spans are slow, fast and between, and which of many are looked at: of sets that are made here. */
#include "unit.h"

#include "profile/causes/span_groups.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct span_set set;
static struct span_groups groups;

static int compare_durations(const void *x, const void *y)
{
	u64 a = span__ns(&set.v.v[*(const u32 *)x]), b = span__ns(&set.v.v[*(const u32 *)y]);

	return a < b ? -1 : a > b;
}

static void make_set(const struct span *spans, u32 nr)
{
	set = (struct span_set){ .nr = 0 };
	for (u32 i = 0; i < nr; i++) {
		array__add(&set.v, spans[i]);
		array__add(&set.by_duration, i);
		set.nr += spans[i].step;
		set.ns += span__ns(&spans[i]) * spans[i].step;
	}
	if (nr)
		qsort(set.by_duration.v, nr, sizeof(u32), compare_durations);
}

static void forget(void)
{
	span_groups__exit(&groups);
	array__exit(&set.v);
	array__exit(&set.by_duration);
}

static void expect_facts(int group, u64 nr, u64 shortest, u64 longest)
{
	assert_int_equal(groups.facts[group].nr, nr);
	assert_int_equal(groups.facts[group].shortest, shortest);
	assert_int_equal(groups.facts[group].longest, longest);
}

/* The slots of spans, and what is in them. clusters: NULL: none */
static void expect_group(int group, u32 nr, const double *ns, const double *weights, const u32 *clusters)
{
	const struct span_group *g = &groups.verdict.groups[group];

	assert_int_equal(g->nr, nr);
	for (u32 i = 0; i < nr; i++) {
		assert_true(g->ns[i] == ns[i]);
		assert_true(g->weights[i] == weights[i]);
	}
	if (clusters)
		assert_memory_equal(g->clusters, clusters, nr * sizeof(*clusters));
	else
		assert_null(g->clusters);
}

/* The set is in the order of threads: slow spans are put in the order of time. */
static const struct span spans[] = {
	{ 500, 600, 1, 1, 1 },   /* 100 */
	{ 3000, 4000, 1, 1, 2 }, /* 1000 */
	{ 7000, 7500, 1, 1, 1 }, /* 500 */
	{ 3500, 4700, 1, 2, 3 }, /* 1200, overlaps the one of 1000 */
	{ 100, 1200, 1, 3, 1 },  /* 1100, the first one */
	{ 9000, 9300, 1, 3, 5 }, /* 300 */
	{ 3000, 4300, 1, 4, 1 }, /* 1300, begins with that of 1000 */
	{ 100, 600, 1, 5, 1 },   /* 500 */
};

static void spans_are_divided(void **state)
{
	static const struct span_limits limits = { .slower = { .ns = 1000 }, .faster = { .ns = 300 } };
	static const u32 slots[] = { 0, 1, 0, 3, 0, 1, 2, 1 };
	struct err err = ERR_INIT;

	(void)state;
	make_set(spans, ARRAY_SIZE(spans));
	assert_int_equal(span_groups__divide(&groups, &set, &limits, &err), 0);
	assert_int_equal(groups.slow_ns, 1000);
	assert_int_equal(groups.fast_ns, 300);
	assert_int_equal(groups.v.nr, ARRAY_SIZE(spans));
	for (u32 i = 0; i < groups.v.nr; i++) {
		u64 ns = span__ns(&spans[i]);

		assert_int_equal(groups.v.v[i].span, i);
		assert_int_equal(groups.v.v[i].slot, slots[i]);
		assert_int_equal(groups.v.v[i].group, ns >= 1000  ? SPANS_SLOW
						      : ns <= 300 ? SPANS_FAST
								  : SPANS_BETWEEN);
	}
	expect_facts(SPANS_SLOW, 7, 1000, 1300);
	expect_facts(SPANS_FAST, 6, 100, 300);
	expect_facts(SPANS_BETWEEN, 2, 500, 500);
	expect_group(SPANS_SLOW, 4, (const double[]){ 1100, 1000, 1300, 1200 },
		     (const double[]){ 1, 2, 1, 3 }, (const u32[]){ 0, 1, 1, 1 });
	expect_group(SPANS_FAST, 2, (const double[]){ 100, 300 }, (const double[]){ 1, 5 }, NULL);
	expect_group(SPANS_BETWEEN, 2, (const double[]){ 500, 500 }, (const double[]){ 1, 1 }, NULL);
	/* limits are durations */
	assert_true(groups.verdict.is_told);
	assert_true(groups.verdict.groups[SPANS_SLOW].share == 0);
	assert_true(groups.verdict.groups[SPANS_FAST].share == 0);
	/* what is known of the slow ones together: 7 of 15 spans */
	assert_true(fabs(groups.verdict.tail.share - 7.0 / 15) < 1e-9);
	assert_true(fabs(groups.verdict.tail.mean - (1100 + 2 * 1000 + 1300 + 3 * 1200) / 7.0) < 1e-9);
	forget();
}

static struct span_limit quantile(double share)
{
	return (struct span_limit){ .is_quantile = true, .share = share };
}

static struct span_limit duration(u64 ns)
{
	return (struct span_limit){ .ns = ns };
}

static int divide(struct span_limit slower, struct span_limit faster, struct err *err)
{
	const struct span_limits limits = { slower, faster };

	return span_groups__divide(&groups, &set, &limits, err);
}

static void limits_are_quantiles_or_durations(void **state)
{
	const struct span_group *g = groups.verdict.groups;
	struct err err = ERR_INIT;

	(void)state;
	make_set(spans, ARRAY_SIZE(spans));
	/* 15 spans: 100, 5 of 300, 2 of 500, 2 of 1000, 1100, 3 of 1200, 1300 */
	assert_int_equal(divide(quantile(0.9), quantile(0.4), &err), 0);
	assert_int_equal(groups.slow_ns, 1200);
	assert_int_equal(groups.fast_ns, 300);
	assert_false(groups.verdict.is_told);
	assert_true(g[SPANS_SLOW].share == 4.0 / 15 && g[SPANS_FAST].share == 6.0 / 15);
	assert_true(g[SPANS_BETWEEN].share == 5.0 / 15);
	span_groups__exit(&groups);
	assert_int_equal(divide(duration(1200), quantile(0.4), &err), 0);
	assert_true(groups.verdict.is_told);
	assert_true(g[SPANS_SLOW].share == 0 && g[SPANS_FAST].share == 6.0 / 15);
	span_groups__exit(&groups);
	assert_int_equal(divide(quantile(0.9), duration(300), &err), 0);
	assert_false(groups.verdict.is_told);
	assert_true(g[SPANS_SLOW].share == 4.0 / 15 && g[SPANS_FAST].share == 0);
	span_groups__exit(&groups);
	/* two quantiles may be one duration: its spans are slow; two durations may not */
	assert_int_equal(divide(quantile(0.4), quantile(0.3), &err), 0);
	assert_int_equal(groups.facts[SPANS_FAST].nr, 1);
	assert_int_equal(groups.facts[SPANS_SLOW].nr, 14);
	span_groups__exit(&groups);
	assert_int_equal(divide(quantile(0.4), quantile(0.4), &err), -EINVAL);
	assert_string_equal(
		err.text.buf,
		"--why: slow spans begin at 300.0 ns, and fast ones go up to 300.0 ns: they overlap\n"
		"choose others with --slower and --faster, such as --slower p99 --faster p50");
	err__exit(&err);
	span_groups__exit(&groups);
	assert_int_equal(divide(duration(300), quantile(0.4), &err), -EINVAL);
	err__exit(&err);
	assert_int_equal(divide(quantile(0.4), duration(300), &err), -EINVAL);
	err__exit(&err);
	assert_int_equal(divide(duration(301), duration(300), &err), 0);
	forget();
}

/* Of many spans of a group about so many are looked at; each stands for more then. */
static void many_spans(void **state)
{
	enum { FAST = 25000, SLOW = 8000, BETWEEN = 10000 };
	static const u32 nr[] = { [SPANS_FAST] = FAST, [SPANS_SLOW] = SLOW, [SPANS_BETWEEN] = BETWEEN },
			 most[] = { [SPANS_FAST] = 10000, [SPANS_SLOW] = 4000, [SPANS_BETWEEN] = BETWEEN };
	struct span *v = xcalloc(FAST + SLOW + BETWEEN, sizeof(*v));
	struct err err = ERR_INIT;
	u32 last = 0;

	(void)state;
	for (u32 i = 0; i < FAST + SLOW + BETWEEN; i++) {
		u64 ns = i < FAST ? 100 : i < FAST + SLOW ? 1000 : 500;

		v[i] = (struct span){ 10000ull * i, 10000ull * i + ns, 1, 1, 1 };
	}
	make_set(v, FAST + SLOW + BETWEEN);
	assert_int_equal(divide(duration(1000), duration(100), &err), 0);
	for (int g = 0; g < NR_SPAN_GROUPS; g++) {
		const struct span_group *x = &groups.verdict.groups[g];
		double sum = 0;

		assert_in_range(x->nr, most[g] - most[g] / 20, most[g] + most[g] / 20);
		for (u32 i = 0; i < x->nr; i++)
			sum += x->weights[i];
		assert_true(fabs(sum - nr[g]) < 1e-6 * nr[g]);
		assert_int_equal(groups.facts[g].nr, nr[g]);
	}
	assert_int_equal(groups.verdict.groups[SPANS_BETWEEN].nr, BETWEEN);
	for (size_t i = 1; i < groups.v.nr; i++) {
		assert_true(groups.v.v[i].span > last);
		last = groups.v.v[i].span;
	}
	free(v);
	forget();
}

static void no_spans(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	make_set(NULL, 0);
	assert_int_equal(divide(duration(1000), duration(100), &err), 0);
	assert_int_equal(groups.v.nr, 0);
	expect_group(SPANS_SLOW, 0, NULL, NULL, (const u32[]){ 0 });
	forget();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_are_divided),
		cmocka_unit_test(limits_are_quantiles_or_durations),
		cmocka_unit_test(many_spans),
		cmocka_unit_test(no_spans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
