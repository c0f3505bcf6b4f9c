/* Memory beyond what input justifies: the reserve, and names that share bytes. */
#include "unit.h"

#include "base/memory/reserve.h"

#include <string.h>

static void no_more_is_taken_than_there_is(void **state)
{
	(void)state;
	assert_int_equal(reserve__left(), RESERVE_SIZE);
	assert_true(reserve__take(RESERVE_SIZE - 10));
	assert_false(reserve__take(11));
	assert_true(reserve__take(3));
	reserve__take_at_most(100);
	assert_int_equal(reserve__left(), 0);
	assert_false(reserve__take(1));
	assert_true(reserve__take(0));
	reserve__give(RESERVE_SIZE);
	assert_true(reserve__take(RESERVE_SIZE));
	reserve__give(RESERVE_SIZE);
}

static void long_names_are_cut_when_there_is_no_room(void **state)
{
	char text[1001];
	u64 left = 1500;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[1000] = '\0';
	assert_ptr_equal(name__within(text, &left), text);
	assert_int_equal(left, 500);
	assert_ptr_equal(name__within(text + 500, &left), text + 500);
	assert_int_equal(left, 0);
	assert_ptr_equal(name__within(text, &left), text + 1000 - NAME_SHORT);
	assert_ptr_equal(name__within(text + 744, &left), text + 745); /* 256 bytes */
	assert_ptr_equal(name__within(text + 745, &left), text + 745);
	left = UINT64_MAX;
	assert_ptr_equal(name__within(text, &left), text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_more_is_taken_than_there_is),
		cmocka_unit_test(long_names_are_cut_when_there_is_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
