/* Names of registers, as --user-regs takes them. */
#include "unit.h"

#include "event/evsel/reg_names.h"

#include <errno.h>
#include <string.h>

static void names_become_bits(void **state)
{
	const struct reg_names *x86 = reg_names__find("x86_64");
	const char *bad;
	size_t len;
	u64 mask;

	(void)state;
	assert_int_equal(reg_names__parse(x86, "ax", &mask, &bad, &len), 0);
	assert_int_equal(mask, 1);
	assert_int_equal(reg_names__parse(x86, "IP,sp,R15,ip", &mask, &bad, &len), 0);
	assert_int_equal(mask, 1 << 8 | 1 << 7 | 1 << 23);
	assert_int_equal(reg_names__parse(x86, "xmm1", &mask, &bad, &len), 0); /* two words */
	assert_int_equal(mask, 3ull << 34);
	assert_int_equal(reg_names__parse(reg_names__find("aarch64"), "x0,pc", &mask, &bad, &len), 0);
	assert_int_equal(mask, 1ull << 32 | 1);
}

static void other_words_are_named(void **state)
{
	static const struct {
		const char *text, *bad;
	} wrong[] = { { "", "" },   { "ax,", "" },    { ",ax", "" },           { "ax,foo,bx", "foo" },
		      { "a", "a" }, { "axx", "axx" }, { "unknown", "unknown" } };
	const struct reg_names *x86 = reg_names__find("x86_64");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		const char *bad;
		size_t len;
		u64 mask;

		assert_int_equal(reg_names__parse(x86, wrong[i].text, &mask, &bad, &len), -EINVAL);
		assert_int_equal(len, strlen(wrong[i].bad));
		assert_memory_equal(bad, wrong[i].bad, len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_bits),
		cmocka_unit_test(other_words_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
