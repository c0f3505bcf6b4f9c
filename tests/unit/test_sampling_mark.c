/* What an attr says about how a recording was sampled. */
#include "unit.h"

#include "format/records/sampling_mark.h"
#include "format/records/swap.h"

#include <string.h>

static void test_marks(void **state)
{
	static const struct {
		bool is_merged, is_varied;
		const char *bytes; /* in a little-endian file */
	} cases[] = {
		{ false, false, "\0\0\0\0\0\0\0\0" },
		{ false, true, "PERFVARY" },
		{ true, false, "PERFMERG" },
		{ true, true, "PERFMVAR" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_event_attr attr = { .size = sizeof(attr), .sample_period = 4000, .freq = 1 };

		if (cases[i].is_merged)
			attr__mark_merged(&attr, cases[i].is_varied);
		else if (cases[i].is_varied)
			attr__mark_varied(&attr);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		assert_memory_equal(&attr.sig_data, cases[i].bytes, 8);
#endif
		assert_int_equal(attr__is_merged(&attr), cases[i].is_merged);
		assert_int_equal(attr__is_varied(&attr), cases[i].is_varied);
		/* as a machine of the other byte order wrote it, and as it is read here */
		attr__swap(&attr, sizeof(attr));
		assert_false(attr__is_varied(&attr) || attr__is_merged(&attr));
		attr__swap(&attr, sizeof(attr));
		assert_int_equal(attr__is_varied(&attr), cases[i].is_varied);
	}
}

/* With sigtrap the word is the user's. */
static void test_sigtrap(void **state)
{
	struct perf_event_attr attr = { .sigtrap = 1, .sig_data = VARIED_MARK };

	(void)state;
	assert_false(attr__is_varied(&attr));
	attr.sig_data = MERGED_MARK;
	assert_false(attr__is_merged(&attr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_sigtrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
