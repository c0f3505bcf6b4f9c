/* Address spaces over time: every answer against a scan of all maps, newest first. */
#include "model/maps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static u32 seed = 1;

static u32 rnd(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static const struct map *oracle(const struct maps *m, u64 addr, u32 rank)
{
	for (; m; rank = m->parent_rank, m = m->parent)
		for (size_t i = m->v.nr; i-- > 0;)
			if (m->v.v[i].rank <= rank && addr >= m->v.v[i].start && addr < m->v.v[i].end)
				return &m->v.v[i];
	return NULL;
}

static void fill(struct maps *m, u32 nr, u32 first_rank, u32 range)
{
	for (u32 i = 0; i < nr; i++) {
		u64 start = rnd(range), len = 1 + rnd(range / 4);

		maps__add(m, &(struct map){
				     .start = start, .end = start + len, .rank = first_rank + i, .dso = i });
	}
	maps__finish(m);
}

static void check(const struct maps *m, u32 range, u32 max_rank)
{
	for (int i = 0; i < 3000; i++) {
		u64 addr = rnd(range + range / 2);
		u32 rank = rnd(max_rank + 2);

		assert_ptr_equal(maps__find(m, addr, rank), oracle(m, addr, rank));
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

static void test_forked_space_sees_parent_as_it_was(void **state)
{
	struct maps parent = { 0 }, child = { .parent = &parent, .parent_rank = 75 };

	(void)state;
	fill(&parent, 150, 1, 400);
	fill(&child, 130, 76, 400);
	check(&child, 400, 210);
	maps__exit(&child);
	maps__exit(&parent);
}

static void test_reused_address_by_time(void **state)
{
	struct maps m = { 0 };

	(void)state;
	/* One place, mapped again and again: the case that makes a list per address long. */
	for (u32 i = 0; i < 5000; i++)
		maps__add(&m, &(struct map){ .start = 0x1000, .end = 0x2000, .rank = i + 1, .dso = i });
	maps__finish(&m);
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
		maps__add(&m, &(struct map){ .start = i, .end = i + 1, .rank = i * 2 + 1 });
	maps__finish(&m);
	assert_int_equal(maps__version(&m, 0), 0);
	assert_int_equal(maps__version(&m, 1), 1);
	assert_int_equal(maps__version(&m, 2), 1);
	assert_int_equal(maps__version(&m, 3), 2);
	assert_int_equal(maps__version(&m, UINT32_MAX), 40);
	maps__exit(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_spaces),
		cmocka_unit_test(test_forked_space_sees_parent_as_it_was),
		cmocka_unit_test(test_reused_address_by_time),
		cmocka_unit_test(test_version_counts_maps_in_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
