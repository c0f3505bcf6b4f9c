/* The compilers that a binary's .comment names. */
#include "unit.h"

#include "binary/elf/compilers.h"

#include <stdlib.h>
#include <string.h>

static struct compilers parse(const char *text, size_t size)
{
	struct compilers c;
	char *copy = calloc(1, size ? size : 1); /* its own block, so that a read after it is seen */

	memcpy(copy, text, size);
	compilers__parse(&c, copy, size);
	free(copy);
	return c;
}

#define PARSE(text) parse(text, sizeof(text))

static void the_newest_gcc_counts(void **state)
{
	(void)state;
	assert_int_equal(PARSE("GCC: (Debian 12.2.0-14+deb12u1) 12.2.0").gcc, 12);
	assert_int_equal(PARSE("GCC: (GNU) 4.8.5 20150623 (Red Hat 4.8.5-44)").gcc, 4);
	assert_int_equal(
		PARSE("GCC: (Ubuntu 9.4.0-1ubuntu1~20.04) 9.4.0\0GCC: (GNU) 14.1.0\0GCC: (GNU) 13.1.0").gcc,
		14);
	assert_int_equal(PARSE("\0\0GCC: (GNU) 11.4\0").gcc, 11);
	assert_false(PARSE("GCC: (GNU) 11.4").clang);
}

static void clang_is_seen(void **state)
{
	struct compilers c = PARSE("GCC: (Debian 12.2.0-14) 12.2.0\0Debian clang version 14.0.6");

	(void)state;
	assert_int_equal(c.gcc, 12);
	assert_true(c.clang);
	assert_int_equal(PARSE("clang version 19.1.7").gcc, 0);
}

static void other_text_is_no_version(void **state)
{
	(void)state;
	assert_int_equal(parse("", 0).gcc, 0);
	assert_int_equal(parse("GCC: (GNU) 14", 13).gcc, 14); /* without an end */
	assert_int_equal(parse("GCC: (GNU) 14", 11).gcc, 0);
	assert_int_equal(parse("GCC: (GN", 8).gcc, 0);
	assert_int_equal(PARSE("GCC: (GNU) 99999999999999999999").gcc, 0);
	assert_int_equal(PARSE("GCC: (GNU) -3").gcc, 0);
	assert_int_equal(PARSE("rustc version 1.80").gcc, 0);
}

static void this_program_has_some(void **state)
{
	struct compilers c;

	(void)state;
	compilers__read(&c, "/proc/self/exe", NULL, NULL, NULL);
	assert_true(c.gcc || c.clang);
	compilers__read(&c, "/dev/null", NULL, NULL, NULL);
	assert_false(c.gcc || c.clang);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_gcc_counts),
		cmocka_unit_test(clang_is_seen),
		cmocka_unit_test(other_text_is_no_version),
		cmocka_unit_test(this_program_has_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
