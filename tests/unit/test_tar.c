/* tar: what is too large, to be packed and to be unpacked. */
#include "unit.h"

#include "cache/tar.h"

#include <errno.h>

/* The header has room for 8 GiB. */
static void a_member_that_no_header_can_have_is_refused(void **state)
{
	(void)state;
	assert_int_equal(tar__add_fd(NULL, "perf.data", 0600, 0, -1, 8ull << 30), -EFBIG);
	assert_int_equal(tar__add_image(NULL, "elf", 0600, 0, NULL, 8ull << 30), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_member_that_no_header_can_have_is_refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
