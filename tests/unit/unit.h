/*
 * What cmocka wants included before itself. A unit test is one program:
 *	static void adds_up(void **state) { (void)state; assert_int_equal(1 + 1, 2); }
 *	int main(void)
 *	{
 *		const struct CMUnitTest tests[] = { cmocka_unit_test(adds_up) };
 *
 *		return cmocka_run_group_tests(tests, NULL, NULL);
 *	}
 */
#ifndef UNIT_H
#define UNIT_H

/* clang-format off */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#ifdef assert_uint_in_range /* cmocka 2 warns of the name that older ones have */
#undef assert_in_range
#define assert_in_range assert_uint_in_range
#endif

/* A broken invariant of the code (base/message/bug.h) ends the test. */
extern bool bugs_are_fatal;
__attribute__((constructor)) static void end_at_bugs(void)
{
	bugs_are_fatal = true;
}

#endif
