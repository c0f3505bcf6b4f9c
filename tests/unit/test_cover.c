/* Covering bytes with watchpoints: exactly these bytes, and as few as can be. */
#include "unit.h"

#include "record/watch/cover.h"

enum { BYTES = 40 };

/* The fewest for [addr, end), by trying every aligned length at every byte. */
static size_t fewest(u64 addr, u64 end)
{
	size_t best[BYTES + 1] = { 0 };

	for (u64 at = end; at-- > addr;) {
		best[at] = SIZE_MAX;
		for (u64 len = 1; len <= 8; len *= 2)
			if (!(at % len) && at + len <= end)
				best[at] = MIN(best[at], 1 + best[at + len]);
	}
	return best[addr];
}

static void check(u64 addr, u64 size)
{
	struct watch_piece pieces[BYTES];
	size_t nr = cover(addr, size, pieces, BYTES);
	u64 at = addr;

	assert_int_equal(nr, fewest(addr, addr + size));
	for (size_t i = 0; i < nr; i++) {
		assert_true(pieces[i].len == 1 || pieces[i].len == 2 || pieces[i].len == 4 ||
			    pieces[i].len == 8);
		assert_int_equal(pieces[i].addr % pieces[i].len, 0);
		assert_int_equal(pieces[i].addr, at);
		at += pieces[i].len;
	}
	assert_int_equal(at, addr + size);
	/* However many are asked for. */
	for (size_t max = 0; max < 5; max++)
		assert_int_equal(cover(addr, size, pieces, max), nr);
}

static void test_every_small_range(void **state)
{
	(void)state;
	for (u64 addr = 0; addr < BYTES; addr++)
		for (u64 size = 0; addr + size <= BYTES; size++)
			check(addr, size);
}

static void test_only_what_there_is_room_for(void **state)
{
	struct watch_piece pieces[3] = { { 9, 9 }, { 9, 9 }, { 9, 9 } };

	(void)state;
	assert_int_equal(cover(1, 15, pieces, 2), 4); /* 1, 2-3, 4-7, 8-15 */
	assert_int_equal(pieces[0].addr, 1);
	assert_int_equal(pieces[1].addr, 2);
	assert_int_equal(pieces[1].len, 2);
	assert_int_equal(pieces[2].addr, 9);
}

static void test_huge_ranges(void **state)
{
	struct watch_piece pieces[4];

	(void)state;
	assert_int_equal(cover(8, (u64)1 << 40, pieces, 4), (u64)1 << 37);
	assert_int_equal(cover(4, ((u64)1 << 40) + 7, pieces, 4), 1 + ((u64)1 << 37) + 2);
	assert_int_equal(cover(UINT64_MAX - 7, 8, pieces, 4), 1);
}

static void test_reach_is_the_most(void **state)
{
	(void)state;
	assert_int_equal(cover__reach(8, 4), 32);
	assert_int_equal(cover__reach(1, 4), 15);
	assert_int_equal(cover__reach(8, 1), 8);
	assert_int_equal(cover__reach(7, 1), 1);
	assert_int_equal(cover__reach(7, 0), 0);
	for (u64 addr = 0; addr < 8; addr++)
		for (size_t nr = 1; nr <= 4; nr++) {
			u64 reach = cover__reach(addr, nr);

			assert_true(fewest(addr, addr + reach) <= nr);
			for (u64 more = reach + 1; addr + more <= BYTES; more++)
				assert_true(fewest(addr, addr + more) > nr);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_small_range),
		cmocka_unit_test(test_only_what_there_is_room_for),
		cmocka_unit_test(test_huge_ranges),
		cmocka_unit_test(test_reach_is_the_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
