/* Counts in samples of several threads become sums, whose differences are what each sample counted. */
#include "unit.h"

#include "record/events/read_sums.h"

static void each_thread_adds_what_is_new(void **state)
{
	struct read_deltas s = { 0 };

	(void)state;
	assert_int_equal(read_sums__add(&s, 7, 100, 10), 10);
	assert_int_equal(read_sums__add(&s, 7, 101, 3), 13);
	assert_int_equal(read_sums__add(&s, 7, 100, 15), 18);
	assert_int_equal(read_sums__add(&s, 7, 101, 3), 18);
	assert_int_equal(read_sums__add(&s, 8, 100, 1000), 1000);
	assert_int_equal(read_sums__add(&s, 7, 101, 4), 19);
	read_deltas__exit(&s);
}

static void a_number_can_be_of_a_new_thread(void **state)
{
	struct read_deltas s = { 0 };

	(void)state;
	assert_int_equal(read_sums__add(&s, 7, 100, 10), 10);
	assert_int_equal(read_sums__add(&s, 7, 100, 2), 12);
	assert_int_equal(read_sums__add(&s, 7, 100, 5), 15);
	read_deltas__exit(&s);
}

/* Of a task that is about to end, the kernel says no number. */
static void a_thread_without_number_changes_nothing(void **state)
{
	struct read_deltas s = { 0 };

	(void)state;
	assert_int_equal(read_sums__add(&s, 7, 100, 10), 10);
	assert_int_equal(read_sums__add(&s, 7, (u32)-1, 4), 10);
	assert_int_equal(read_sums__add(&s, 7, 101, 3), 13);
	assert_int_equal(read_sums__add(&s, 7, (u32)-1, 50), 13);
	assert_int_equal(read_sums__add(&s, 7, 100, 12), 15);
	read_deltas__exit(&s);
}

static void many_threads(void **state)
{
	struct read_deltas s = { 0 };
	u64 sum = 0;

	(void)state;
	for (u32 round = 1; round <= 3; round++)
		for (u32 tid = 1; tid <= 2000; tid++) {
			sum += tid;
			assert_int_equal(read_sums__add(&s, 1, tid, (u64)round * tid), sum);
		}
	read_deltas__exit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_thread_adds_what_is_new),
					    cmocka_unit_test(a_number_can_be_of_a_new_thread),
					    cmocka_unit_test(a_thread_without_number_changes_nothing),
					    cmocka_unit_test(many_threads) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
