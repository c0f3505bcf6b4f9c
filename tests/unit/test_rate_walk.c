/*
 * The rates of events that are sampled in step with nothing: their bounds, their mean, and that none
 * comes again.
 */
#include "unit.h"

#include "record/events/rate_walk.h"

#include <stdlib.h>

enum { STEPS = 5000, FEW = 21 };

static const u64 seeds[] = { 0, 1, 2, 0xdeadbeef, UINT64_MAX };

static int place__compare(const void *a, const void *b)
{
	s32 x = *(const s32 *)a, y = *(const s32 *)b;

	return x < y ? -1 : x > y;
}

/* The largest gap between neighbours, in thousandths of the range. */
static unsigned largest_gap(s32 *places, size_t nr)
{
	const s64 end = (s64)1 << RATE_PLACE_BITS;
	s64 before = -end, gap = 0;

	qsort(places, nr, sizeof(*places), place__compare);
	for (size_t i = 0; i < nr; i++) {
		gap = MAX(gap, places[i] - before);
		before = places[i];
	}
	return (unsigned)(MAX(gap, end - before) * 1000 / (2 * end));
}

static void test_places(void **state)
{
	static s32 all[STEPS];

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(seeds); k++) {
		struct rate_walk w = { seeds[k] };
		s32 few[FEW];

		for (size_t i = 0; i < STEPS; i++) {
			all[i] = rate_walk__next(&w);
			assert_in_range(all[i] + (1 << RATE_PLACE_BITS), 0, 2u << RATE_PLACE_BITS);
			few[i % FEW] = all[i];
			/* two seconds of a recording see all of the range, wherever they begin */
			if (i % FEW == FEW - 1)
				assert_in_range(largest_gap(few, FEW), 0, 100);
		}
		qsort(all, STEPS, sizeof(*all), place__compare);
		for (size_t i = 1; i < STEPS; i++)
			assert_true(all[i] > all[i - 1]);
	}
}

/* The same seed is the same row; another one is another. */
static void test_seed(void **state)
{
	struct rate_walk a = { 42 }, b = { 42 }, c = { 43ull << 40 };
	bool differs = false;

	(void)state;
	for (int i = 0; i < 100; i++) {
		s32 place = rate_walk__next(&a);

		assert_int_equal(place, rate_walk__next(&b));
		differs |= place != rate_walk__next(&c);
	}
	assert_true(differs);
}

/* Equally long at each place, the number of samples is what was asked for, and their periods are the time. */
static void test_mean(void **state)
{
	static const u64 freqs[] = { 99, 997, 1000, 4000, 49999 };

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(freqs) * ARRAY_SIZE(seeds); k++) {
		struct rate_walk w = { seeds[k / ARRAY_SIZE(freqs)] };
		u64 freq = freqs[k % ARRAY_SIZE(freqs)];
		double rates = 0, samples = 0;

		for (int i = 0; i < FEW; i++) {
			s32 place = rate_walk__next(&w);
			u64 period = rate__period_at(freq, RATE_SPREAD, place);
			double rate = 1e9 / (double)period;

			assert_true(rate > .499 * (double)freq && rate < 1.501 * (double)freq);
			/* one is in whole Hz, the other in whole ns */
			assert_true(rate - (double)rate__at(freq, RATE_SPREAD, place) < 1 + rate * 1e-4 &&
				    (double)rate__at(freq, RATE_SPREAD, place) - rate < 1 + rate * 1e-4);
			assert_int_not_equal(period, rate__period(freq));
			rates += rate;
			samples += rate * (double)period;
		}
		assert_true(rates / FEW > .98 * (double)freq && rates / FEW < 1.02 * (double)freq);
		assert_true(samples > FEW * .999e9 && samples < FEW * 1.001e9);
	}
	assert_int_equal(rate__period(4000), 250000);
	assert_int_not_equal(rate__period_at(4000, RATE_SPREAD, 0), 250000);
}

/* Rates stay below the kernel's limit; where there is no room, they do not vary. */
static void test_limit(void **state)
{
	static const struct {
		u64 freq, max;
		u32 spread;
	} cases[] = {
		{ 4000, 0, RATE_SPREAD },    { 4000, 100000, RATE_SPREAD },
		{ 4000, 6000, RATE_SPREAD }, { 4000, 5000, 250 },
		{ 4000, 4200, 50 },          { 4000, 4199, 0 },
		{ 4000, 4000, 0 },           { 100000, 100000, 0 },
		{ 200000, 100000, 0 },       { 0, 4000, 0 },
		{ UINT64_MAX, 4000, 0 },     { 1, 4000, RATE_SPREAD },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 freq = cases[i].freq, max = cases[i].max;
		u32 spread = rate_spread__of(freq, max);

		assert_int_equal(spread, cases[i].spread);
		if (!max || !spread)
			continue;
		assert_true(rate__at(freq, spread, 1 << RATE_PLACE_BITS) <= max);
		assert_true(rate__period_at(freq, spread, 1 << RATE_PLACE_BITS) >= 1000000000 / max);
	}
	assert_true(rate__at(1, RATE_SPREAD, -(1 << RATE_PLACE_BITS)) >= 1);
}

/* Times between changes are about what is asked for, and not always the same. */
static void test_about(void **state)
{
	struct rate_walk w = { 7 };
	u32 least = UINT32_MAX, most = 0;
	u64 sum = 0;

	(void)state;
	for (int i = 0; i < STEPS; i++) {
		u32 ms;

		rate_walk__next(&w);
		ms = rate_walk__about(&w, 100);
		least = MIN(least, ms);
		most = MAX(most, ms);
		sum += ms;
	}
	assert_in_range(least, 75, 80);
	assert_in_range(most, 120, 125);
	assert_in_range(sum / STEPS, 98, 102);
	assert_in_range(rate_walk__about(&w, 1), 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places), cmocka_unit_test(test_seed),  cmocka_unit_test(test_mean),
		cmocka_unit_test(test_limit),  cmocka_unit_test(test_about),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
