/* Numbers that users type: what is one, and that none wraps or is clamped. */
#include "unit.h"

#include "base/text/number.h"

#include <string.h>

static const char *const not_digits[] = { "",    " 1",   "1 ",      "+1",  "-1", "-18446744073709551615",
					  "0x1", "nan",  "inf",     "1e3", "1.", "1,",
					  "a",   "1\n2", "\xd9\xa1" };

static void whole_numbers_have_a_range(void **state)
{
	static const struct {
		const char *text;
		u64 least, most, value;
		bool good;
	} cases[] = {
		{ "0", 0, 0, 0, true },
		{ "007", 7, 7, 7, true },
		{ "0", 1, 9, 0, false },
		{ "9", 1, 9, 9, true },
		{ "10", 1, 9, 0, false },
		{ "4294967295", 0, UINT32_MAX, UINT32_MAX, true },
		{ "4294967296", 0, UINT32_MAX, 0, false },
		{ "4294967299", 0, UINT32_MAX, 0, false },
		{ "18446744073709551615", 0, UINT64_MAX, UINT64_MAX, true },
		{ "18446744073709551616", 0, UINT64_MAX, 0, false }, /* wraps in the addition */
		{ "18446744073709551620", 0, UINT64_MAX, 0, false }, /* in the multiplication */
		{ "184467440737095516150", 0, UINT64_MAX, 0, false },
		{ "99999999999999999999999", 0, UINT64_MAX, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 x = 77;

		assert_int_equal(number__parse(cases[i].text, cases[i].least, cases[i].most, &x),
				 cases[i].good);
		assert_int_equal(x, cases[i].good ? cases[i].value : 77);
	}
	for (size_t i = 0; i < ARRAY_SIZE(not_digits); i++) {
		u64 x = 77;

		assert_false(number__parse(not_digits[i], 0, UINT64_MAX, &x));
		assert_int_equal(x, 77);
	}
}

static void a_taken_number_ends_at_its_last_digit(void **state)
{
	const char *text = "12,x", *p = text;
	u64 x = 0;

	(void)state;
	assert_false(number__take(&p, 11, &x));
	assert_ptr_equal(p, text);
	assert_true(number__take(&p, 12, &x));
	assert_int_equal(x, 12);
	assert_ptr_equal(p, text + 2);
	assert_false(number__take(&p, 12, &x));
}

static void real_numbers_are_finite(void **state)
{
	static const char *const wrong[] = { "",   ".",  "nan", "inf", "infinity", "1e999",
					     "-0", "+1", " 1",  "0x1", "e3" };
	const char *p = "0.5;", *start = p;
	double x = 0;

	(void)state;
	assert_true(number__take_real(&p, &x));
	assert_true(x == 0.5 && p == start + 3);
	p = ".25";
	assert_true(number__take_real(&p, &x) && x == 0.25);
	p = "1e20";
	assert_true(number__take_real(&p, &x) && x == 1e20 && !*p);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		x = 7;
		p = wrong[i];
		assert_false(number__take_real(&p, &x));
		assert_true(x == 7 && p == wrong[i]);
	}
}

static void percentages_may_have_their_sign(void **state)
{
	double x = 7;

	(void)state;
	assert_true(number__parse_percent("0", &x) && x == 0);
	assert_true(number__parse_percent("12.5%", &x) && x == 12.5);
	assert_false(number__parse_percent("%", &x));
	assert_false(number__parse_percent("1%%", &x));
	assert_false(number__parse_percent("1 %", &x));
	assert_false(number__parse_percent("1;", &x));
	assert_true(x == 12.5);
}

static void sizes_have_units(void **state)
{
	static const struct {
		const char *text;
		u64 bytes;
		bool has_unit;
	} good[] = {
		{ "0", 0, false },
		{ "10", 10, false },
		{ "10B", 10, true },
		{ "4k", 4096, true },
		{ "3M", 3 << 20, true },
		{ "2g", 2ull << 30, true },
		{ "17179869183G", 17179869183ull << 30, true },
		{ "18446744073709551615", UINT64_MAX, false },
	};
	static const char *const wrong[] = {
		"17179869184G", "18446744073709551616", "18014398509481984K", "K", "1T", "1KB", "1 K", "1.5K"
	};
	u64 bytes = 0;
	bool has_unit;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_true(number__parse_size(good[i].text, &bytes, &has_unit));
		assert_int_equal(bytes, good[i].bytes);
		assert_int_equal(has_unit, good[i].has_unit);
	}
	bytes = 7;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(number__parse_size(wrong[i], &bytes, &has_unit));
	for (size_t i = 0; i < ARRAY_SIZE(not_digits); i++)
		assert_false(number__parse_size(not_digits[i], &bytes, &has_unit));
	assert_int_equal(bytes, 7);
}

static void spans_have_units(void **state)
{
	static const struct {
		const char *text;
		u64 ns;
	} good[] = {
		{ "10", 10 },         { "10ns", 10 }, { "3us", 3000 },
		{ "10ms", 10000000 }, { "0s", 0 },    { "18446744073s", 18446744073000000000ull },
		{ "1s", 1000000000 },
	};
	static const char *const wrong[] = {
		"18446744074s", "99999999999999999999999ns", "18446744073709551616", "1m", "1 s", "1sec", "s"
	};
	u64 ns = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_true(number__parse_span(good[i].text, &ns));
		assert_int_equal(ns, good[i].ns);
	}
	ns = 7;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(number__parse_span(wrong[i], &ns));
	for (size_t i = 0; i < ARRAY_SIZE(not_digits); i++)
		assert_false(number__parse_span(not_digits[i], &ns));
	assert_int_equal(ns, 7);
}

static void doubles_end_at_the_largest_number(void **state)
{
	(void)state;
	assert_int_equal(number__u64(0), 0);
	assert_int_equal(number__u64(2.9), 2);
	assert_int_equal(number__u64(0x1p63), 1ull << 63);
	assert_int_equal(number__u64(0x1p64), UINT64_MAX);
	assert_int_equal(number__u64(1e300), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_have_a_range),
		cmocka_unit_test(a_taken_number_ends_at_its_last_digit),
		cmocka_unit_test(real_numbers_are_finite),
		cmocka_unit_test(percentages_may_have_their_sign),
		cmocka_unit_test(sizes_have_units),
		cmocka_unit_test(spans_have_units),
		cmocka_unit_test(doubles_end_at_the_largest_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
