/* The index of which maps cover an address, compared with a look at each map. */
#include "unit.h"

#include "model/maps_index.h"

#include "base/memory/mem.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 5000, MAPS = 200 };

static u64 seed;

static u64 dice(u64 nr)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % nr;
}

static int compare(const void *x, const void *y)
{
	u64 a = *(const u64 *)x, b = *(const u64 *)y;

	return a < b ? -1 : a > b;
}

/* Points are sorted, each once: whichever of their four pieces of 16 bits differ, however many there are. */
static void points_are_sorted(void **state)
{
	static const u32 numbers[] = { 1, 2, 10, MANY };

	(void)state;
	for (u32 pieces = 1; pieces < 16; pieces++)
		for (size_t n = 0; n < ARRAY_SIZE(numbers); n++) {
			u32 nr = numbers[n], unique = 0;
			u64 *points = xcalloc(nr, sizeof(*points)), *sorted = xcalloc(nr, sizeof(*sorted));
			struct maps_index *ix;

			for (u32 i = 0; i < nr; i++)
				for (u32 k = 0; k < 4; k++)
					points[i] |= (pieces >> k & 1 ? dice(65536) : 7) << 16 * k;
			memcpy(sorted, points, nr * sizeof(*points));
			qsort(sorted, nr, sizeof(*sorted), compare);
			for (u32 i = 1; i < nr; i++)
				if (sorted[i] != sorted[unique])
					sorted[++unique] = sorted[i];
			ix = maps_index__new(NULL, 0, points, nr);
			assert_int_equal(ix->nr_points, unique + 1);
			assert_memory_equal(ix->points, sorted, (unique + 1) * sizeof(*sorted));
			for (u32 i = 0; i <= unique; i++)
				assert_int_equal(maps_index__point(ix, sorted[i]), i);
			assert_int_equal(maps_index__point(ix, UINT64_MAX), unique);
			if (sorted[0])
				assert_int_equal(maps_index__point(ix, sorted[0] - 1), MAPS_INDEX_NONE);
			maps_index__delete(ix);
			free(sorted);
		}
}

static struct map maps[MAPS];
static struct map_since list[MAPS];

static void make_maps(u64 room)
{
	for (u32 i = 0; i < MAPS; i++) {
		maps[i] = (struct map){ .start = dice(room) };
		maps[i].end = maps[i].start + 1 + dice(room / 10);
		list[i] = (struct map_since){ .map = &maps[i] };
	}
}

static void expect_maps(const struct maps_index *ix, u32 point, u64 addr, u32 nr)
{
	u32 best = MAPS_INDEX_NONE, after = MAPS_INDEX_NONE, next;

	for (u32 i = 0; i < MAPS; i++) {
		if (addr < maps[i].start || addr >= maps[i].end)
			continue;
		if (i < nr)
			best = i;
		else
			after = MIN(after, i);
	}
	assert_int_equal(maps_index__last(ix, point, nr, &next), best);
	assert_int_equal(next, after);
}

static void maps_of_points(void **state)
{
	(void)state;
	for (u32 round = 0; round < 20; round++) {
		u32 nr = 1 + (u32)dice(300);
		u64 *points = xcalloc(nr, sizeof(*points)), room = round % 2 ? 1000 : 100000;
		struct maps_index *ix;

		make_maps(room);
		for (u32 i = 0; i < nr; i++)
			points[i] = dice(room);
		ix = maps_index__new(list, MAPS, points, nr);
		for (u32 i = 0; i < ix->nr_points; i++)
			for (u32 k = 0; k < 5; k++)
				expect_maps(ix, i, ix->points[i], k ? (u32)dice(MAPS + 1) : MAPS);
		maps_index__delete(ix);
	}
}

static void maps_of_edges(void **state)
{
	struct maps_index *ix;

	(void)state;
	make_maps(10000);
	ix = maps_index__new_of_edges(list, MAPS);
	for (u64 addr = 0; addr < 11100; addr++) {
		u32 point = maps_index__point(ix, addr);

		if (point != MAPS_INDEX_NONE)
			expect_maps(ix, point, addr, (u32)(addr * 7 % (MAPS + 1)));
		else
			assert_true(addr < ix->points[0]);
	}
	maps_index__delete(ix);
	maps_index__delete(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_sorted),
		cmocka_unit_test(maps_of_points),
		cmocka_unit_test(maps_of_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
