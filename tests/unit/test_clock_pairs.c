/* Times of one clock as those of another, by two moments at which both were read. */
#include "unit.h"

#include "base/system/clock.h"
#include "format/records/clock_pairs.h"
#include "live/perf_clock.h"

#include <errno.h>
#include <string.h>

static void the_distance_changes_evenly(void **state)
{
	const struct clock_pairs p = { { 1000, 5000 }, { 11100, 15000 } }; /* 100 more in 10000 */
	static const struct {
		u64 monotonic, recording;
	} rows[] = { { 5000, 1000 }, { 15000, 11100 }, { 10000, 6050 },
		     { 5001, 1001 }, { 4000, 0 },      { 16000, 12100 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(clock_pairs__to_recording(&p, rows[i].monotonic), rows[i].recording);
}

static void the_other_clock_may_be_ahead_or_slower(void **state)
{
	const struct clock_pairs ahead = { { 90000, 5000 }, { 99900, 15000 } }, same = { 0 },
				 once = { { 70, 50 }, { 70, 50 } };

	(void)state;
	assert_int_equal(clock_pairs__to_recording(&ahead, 10000), 94950);
	assert_int_equal(clock_pairs__to_recording(&same, 123456789), 123456789);
	assert_int_equal(clock_pairs__to_recording(&once, 40), 60);
	assert_int_equal(clock_pairs__to_recording(&once, 60), 80);
}

/* From a hostile file: the distance changes by INT64_MAX, and the last moment, as a double, is the end. */
static void any_distance_can_be_told(void **state)
{
	const u64 span = 1ull << 62;
	const struct clock_pairs p = { { 0, 0 }, { span + INT64_MAX, span } };

	(void)state;
	assert_int_equal(clock_pairs__to_recording(&p, span - 1), span - 1 + INT64_MAX);
	assert_int_equal(clock_pairs__to_recording(&p, span), span + INT64_MAX);
}

static void comes_back_as_it_was_written(void **state)
{
	const struct clock_pairs p = { { 1, UINT64_MAX - 5 }, { UINT64_MAX, UINT64_MAX - 3 } };
	struct strbuf text = STRBUF_INIT;
	struct clock_pairs back;

	(void)state;
	clock_pairs__write(&p, &text);
	assert_int_equal(clock_pairs__read(&back, text.buf, text.len), 0);
	assert_memory_equal(&back, &p, sizeof(p));
	for (size_t i = 0; i < text.len; i++)
		assert_int_equal(clock_pairs__read(&back, text.buf, i), -EBADMSG);
	strbuf__exit(&text);
}

static void other_texts_are_refused(void **state)
{
	static const char *const wrong[] = {
		"begin 1 2\nend 3 1\n",          "begin -1 2\nend 3 4\n",
		"begin 1 2 end 3 4\n",           "begin 99999999999999999999 1\nend 1 1\n",
		"begin 1 2\nstop 3 4\n",         "\n",
		"begin 1 2\nend 3 4\nmore 5 6\n"
	};
	struct clock_pairs p;
	char large[4096];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(clock_pairs__read(&p, wrong[i], strlen(wrong[i])), -EBADMSG);
	memset(large, '1', sizeof(large));
	memcpy(large, "begin ", 6);
	assert_int_equal(clock_pairs__read(&p, large, sizeof(large)), -EBADMSG);
}

/* Real clocks: read twice, the first reading leads to the second within a millisecond. */
static void the_kernels_clock_is_read(void **state)
{
	u64 first_monotonic, first, next, monotonic;
	struct clock_pairs p;

	(void)state;
	first = perf_clock__now_with(&first_monotonic);
	if (!first)
		skip();
	next = perf_clock__now_with(&monotonic);
	assert_true(next > first && monotonic > first_monotonic && monotonic <= clock__ns());
	p = (struct clock_pairs){ { first, first_monotonic }, { first, first_monotonic } };
	assert_true(clock_pairs__to_recording(&p, monotonic) + NS_PER_MS > next);
	assert_true(clock_pairs__to_recording(&p, monotonic) < next + NS_PER_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_distance_changes_evenly),
		cmocka_unit_test(the_other_clock_may_be_ahead_or_slower),
		cmocka_unit_test(any_distance_can_be_told),
		cmocka_unit_test(comes_back_as_it_was_written),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(the_kernels_clock_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
