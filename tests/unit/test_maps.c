/* Address spaces over time: every answer against a scan of all maps, newest first. */
#include "unit.h"

#include "base/memory/arena.h"
#include "model/maps.h"

#include <stdlib.h>

static struct arena arena;
static u32 seed = 1;

static u32 rnd(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static int teardown(void **state)
{
	(void)state;
	arena__exit(&arena);
	return 0;
}

static void add(struct maps *m, u64 start, u64 end, u32 rank, u32 dso)
{
	struct map map = { .start = start, .end = end, .dso = dso };

	maps__add(m, &arena, arena__memdup(&arena, &map, sizeof(map)), rank);
}

static const struct map *oracle(const struct maps *m, u64 addr, u32 version)
{
	for (; m; version = m->parent_version, m = m->parent) {
		for (size_t i = MIN(m->v.nr, (size_t)version); i-- > 0;)
			if (addr >= m->v.v[i].map->start && addr < m->v.v[i].map->end)
				return m->v.v[i].map;
		if (m->parent_end && version >= m->parent_end)
			return NULL;
	}
	return NULL;
}

static void fill(struct maps *m, u32 nr, u32 first_rank, u32 range)
{
	for (u32 i = 0; i < nr; i++) {
		u64 start = rnd(range), len = 1 + rnd(range / 4);

		add(m, start, start + len, first_rank + i, i);
	}
}

/* The answer is right, and the same in all of the span that it is said to hold for, but in no version next to
 * it. */
static void check_version(const struct maps *m, u64 addr, u32 version)
{
	const struct map *expected = oracle(m, addr, version);
	struct maps_span span = { 1, 0 };

	assert_ptr_equal(maps__find_version(m, addr, version, &span), expected);
	assert_true(span.first <= version && version < span.end);
	for (u32 v = span.first; v < span.end && v <= m->v.nr; v++)
		assert_ptr_equal(oracle(m, addr, v), expected);
	if (span.first && expected)
		assert_ptr_not_equal(oracle(m, addr, span.first - 1), expected);
}

static void check(const struct maps *m, u32 range, u32 max_rank)
{
	for (int i = 0; i < 3000; i++) {
		u64 addr = rnd(range + range / 2);
		u32 rank = rnd(max_rank + 2), version = maps__version(m, rank);

		assert_ptr_equal(maps__find(m, addr, rank), oracle(m, addr, version));
		if (i % 20 == 0)
			check_version(m, addr, version);
	}
}

static void test_random_spaces(void **state)
{
	(void)state;
	for (u32 nr = 0; nr < 600; nr += 1 + nr / 8) { /* few are scanned, many filed in a tree */
		struct maps m = { 0 };

		fill(&m, nr, 1, 200);
		check(&m, 200, nr);
		maps__exit(&m);
	}
}

/* The tree over what will be asked for: the same answers, also for what was not expected. */
static void test_expected_addresses(void **state)
{
	(void)state;
	for (u32 nr_points = 1; nr_points < 300; nr_points += 1 + nr_points / 3) {
		u64 *points = calloc(nr_points, sizeof(*points));
		struct maps m = { 0 };

		for (u32 i = 0; i < nr_points; i++)
			points[i] = i ? rnd(400) : UINT64_MAX;
		fill(&m, 500, 1, 300);
		add(&m, 250, UINT64_MAX, 600, 0);
		maps__expect(&m, points, nr_points);
		check(&m, 300, 601);
		check_version(&m, UINT64_MAX, 501);
		maps__exit(&m);
	}
}

/* Enough of them to be sorted by their digits. */
static void test_many_edges(void **state)
{
	struct maps m = { 0 };

	(void)state;
	for (u32 i = 0; i < 5000; i++) {
		u64 start = (u64)rnd(1 << 16) << 32 | rnd(1 << 16);

		add(&m, start, start + (1ull << (20 + rnd(20))), i + 1, i);
	}
	for (u32 i = 0; i < 500; i++) {
		const struct map *map = m.v.v[rnd(5000)].map;
		u32 version = rnd(5001);
		struct maps_span span;

		assert_ptr_equal(maps__find_version(&m, map->start, version, &span),
				 oracle(&m, map->start, version));
		assert_ptr_equal(maps__find_version(&m, map->end, version, &span),
				 oracle(&m, map->end, version));
	}
	maps__exit(&m);
}

static void test_forked_space_sees_parent_as_it_was(void **state)
{
	struct maps parent = { 0 }, child = { .parent = &parent, .parent_version = 75 };

	(void)state;
	fill(&parent, 150, 1, 400);
	fill(&child, 130, 76, 400);
	check(&child, 400, 210);
	maps__exit(&child);
	maps__exit(&parent);
}

static void test_exec_ends_what_was_before(void **state)
{
	struct maps before = { 0 }, after = { .parent = &before, .parent_version = 9, .parent_end = 4 };

	(void)state;
	fill(&before, 10, 1, 100);
	fill(&after, 8, 11, 100);
	check(&after, 100, 20);
	assert_ptr_equal(oracle(&after, 0, 3), oracle(&before, 0, 9));
	maps__exit(&after);
	maps__exit(&before);
}

static void test_lookups_begin_where_something_is_mapped(void **state)
{
	struct maps first = { 0 }, second = { .parent = &first, .parent_version = 5 },
		    third = { .parent = &second, .parent_version = 0 };
	const struct maps *m = &third;
	u32 version = 0;

	(void)state;
	fill(&first, 7, 1, 100);
	fill(&second, 3, 8, 100);
	maps__skip_empty(&m, &version);
	assert_ptr_equal(m, &first);
	assert_int_equal(version, 5);
	m = &second;
	version = 2;
	maps__skip_empty(&m, &version);
	assert_ptr_equal(m, &second);
	assert_int_equal(version, 2);
	maps__exit(&first);
	maps__exit(&second);
}

static void test_reused_address_by_time(void **state)
{
	struct maps m = { 0 };

	(void)state;
	/* One place, mapped again and again: the case that makes a list per address long. */
	for (u32 i = 0; i < 5000; i++)
		add(&m, 0x1000, 0x2000, i + 1, i);
	assert_null(maps__find(&m, 0x1000, 0));
	for (u32 i = 0; i < 5000; i++)
		assert_int_equal(maps__find(&m, 0x1fff, i + 1)->dso, i);
	assert_int_equal(maps__find(&m, 0x1800, UINT32_MAX)->dso, 4999);
	assert_null(maps__find(&m, 0x2000, UINT32_MAX));
	maps__exit(&m);
}

static void test_version_counts_maps_in_force(void **state)
{
	struct maps m = { 0 };

	(void)state;
	for (u32 i = 0; i < 40; i++)
		add(&m, i, i + 1, i * 2 + 1, 0);
	assert_int_equal(maps__version(&m, 0), 0);
	assert_int_equal(maps__version(&m, 1), 1);
	assert_int_equal(maps__version(&m, 2), 1);
	assert_int_equal(maps__version(&m, 3), 2);
	assert_int_equal(maps__version(&m, UINT32_MAX), 40);
	maps__exit(&m);
	for (u32 nr = 0; nr < 4; nr++) { /* of few maps, before, between and after them */
		struct maps few = { 0 };

		for (u32 i = 0; i < nr; i++)
			add(&few, i, i + 1, i * 2 + 5, 0);
		for (u32 rank = 0; rank < 15; rank++)
			assert_int_equal(maps__version(&few, rank),
					 rank < 5 ? 0 : MIN(nr, (rank - 5) / 2 + 1));
		maps__exit(&few);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_random_spaces, teardown),
		cmocka_unit_test_teardown(test_expected_addresses, teardown),
		cmocka_unit_test_teardown(test_many_edges, teardown),
		cmocka_unit_test_teardown(test_forked_space_sees_parent_as_it_was, teardown),
		cmocka_unit_test_teardown(test_exec_ends_what_was_before, teardown),
		cmocka_unit_test_teardown(test_lookups_begin_where_something_is_mapped, teardown),
		cmocka_unit_test_teardown(test_reused_address_by_time, teardown),
		cmocka_unit_test_teardown(test_version_counts_maps_in_force, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
