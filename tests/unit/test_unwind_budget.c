/* How many stacks --off-cpu unwinds: few switches all, many about 2,000 a second, as many of each ring. */
#include "unit.h"

#include "record/stacks/unwind_budget.h"

enum { NR_RINGS = 4 };

static const u64 ms = 1000000;

/* Read rings with a switch each so many ns, for 4 s. Add up taken by ring; return the switches of one. */
static unsigned read_rings(u64 interval, unsigned *taken)
{
	const u64 start = 5000000 * ms, round = 250 * ms;
	struct unwind_budget b = { 0 };
	unsigned nr = 0;

	for (u64 at = start; at < start + 4000 * ms; at += round) {
		for (unsigned ring = 0; ring < NR_RINGS; ring++)
			for (u64 t = 0; t < round; t += interval) {
				taken[ring] += unwind_budget__take(&b, at + t);
				nr++;
			}
		unwind_budget__end_round(&b);
	}
	return nr / NR_RINGS;
}

/* Each of few is unwound, also those of rings that are read last. */
static void few_are_all_unwound(void **state)
{
	unsigned taken[NR_RINGS] = { 0 }, nr = read_rings(20 * ms, taken);

	(void)state;
	for (unsigned i = 0; i < NR_RINGS; i++)
		assert_int_equal(taken[i], nr);
}

static void many_are_unwound_in_part_of_all_rings(void **state)
{
	unsigned taken[NR_RINGS] = { 0 }, sum = 0;

	(void)state;
	read_rings(10000, taken);
	for (unsigned i = 0; i < NR_RINGS; i++) {
		assert_in_range(taken[i], 1600, 2600); /* 2,000, and what was saved up at the beginning */
		sum += taken[i];
	}
	assert_in_range(sum, 7500, 10400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_are_all_unwound),
		cmocka_unit_test(many_are_unwound_in_part_of_all_rings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
