/* Names of registers, as --user-regs takes them. */
#include "unit.h"

#include "event/evsel/reg_names.h"

#include <errno.h>
#include <string.h>

static void names_become_bits(void **state)
{
	const struct reg_names *x86 = reg_names__find("x86_64");
	u64 mask;

	(void)state;
	assert_int_equal(reg_names__parse(x86, "ax", &mask, NULL), 0);
	assert_int_equal(mask, 1);
	assert_int_equal(reg_names__parse(x86, "IP,sp,R15,ip", &mask, NULL), 0);
	assert_int_equal(mask, 1 << 8 | 1 << 7 | 1 << 23);
	assert_int_equal(reg_names__parse(x86, "xmm1", &mask, NULL), 0); /* two words */
	assert_int_equal(mask, 3ull << 34);
	assert_int_equal(reg_names__parse(reg_names__find("aarch64"), "x0,pc", &mask, NULL), 0);
	assert_int_equal(mask, 1ull << 32 | 1);
}

static void other_words_are_named(void **state)
{
	static const struct {
		const char *text, *bad;
	} wrong[] = { { "", "''\n" },
		      { "ax,", "''\n" },
		      { ",ax", "''\n" },
		      { "ax,foo,bx", "'foo'\n" },
		      { "a", "'a'\n" },
		      { "axx", "'axx'\ndid you mean 'AX'?\n" },
		      { "unknown", "'unknown'\n" } };
	const struct reg_names *x86 = reg_names__find("x86_64");
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		u64 mask;

		assert_int_equal(reg_names__parse(x86, wrong[i].text, &mask, &err), -EINVAL);
		assert_non_null(strstr(err.text.buf, wrong[i].bad));
	}
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_bits),
		cmocka_unit_test(other_words_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
