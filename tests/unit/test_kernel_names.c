/* Names of the kernel, from texts as /proc/kallsyms has them. */
#include "unit.h"

#include "base/text/strbuf.h"
#include "record/target/kernel_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char with_data[] = "ffffffff81000000 T _stext\n"
				"ffffffff81001000 t helper\n"
				"ffffffff81001040 T vfs_read\n"
				"ffffffff81001400 t helper\n"
				"ffffffff82a00000 D jiffies\n"
				"ffffffff82a00008 d last_value\n"
				"ffffffff82b00000 B counter\n"
				"ffffffffc0000000 t module_work\t[some_module]\n"
				"ffffffffc0001000 b counter\t[some_module]\n"
				"ffffffffc0001004 b after\t[some_module]\n";

static const char without_data[] = "ffffffff81000000 T _stext\n"
				   "ffffffff81001040 T vfs_read\n"
				   "ffffffff82400000 D __start_rodata\n"
				   "ffffffff83783000 B __init_begin\n";

static const char hidden[] = "0000000000000000 T _stext\n"
			     "0000000000000000 D jiffies\n";

static int find(const char *text, const char *name, kernel_name_array *found, struct err *err)
{
	return kernel_names__find(text, strlen(text), name, found, err);
}

static void test_variables_and_functions(void **state)
{
	kernel_name_array found = { 0 };

	(void)state;
	assert_int_equal(find(with_data, "jiffies", &found, NULL), 0);
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.v[0].addr, 0xffffffff82a00000);
	assert_int_equal(found.v[0].size, 8);
	assert_false(found.v[0].is_function);
	assert_string_equal(found.v[0].module, "");

	assert_int_equal(find(with_data, "vfs_read", &found, NULL), 0);
	assert_int_equal(found.nr, 1);
	assert_true(found.v[0].is_function);
	assert_int_equal(found.v[0].size, 0x3c0);

	assert_int_equal(find(with_data, "after", &found, NULL), 0);
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.v[0].size, 0); /* nothing behind it */
	array__exit(&found);
}

static void test_several_places(void **state)
{
	kernel_name_array found = { 0 };

	(void)state;
	assert_int_equal(find(with_data, "helper", &found, NULL), 0);
	assert_int_equal(found.nr, 2);
	assert_int_equal(find(with_data, "counter", &found, NULL), 0);
	assert_int_equal(found.nr, 2);
	assert_string_equal(found.v[1].module, "some_module");
	assert_true(found.v[0].is_global);
	assert_false(found.v[1].is_global);
	assert_int_equal(found.v[1].size, 4);
	array__exit(&found);
}

static void test_nothing(void **state)
{
	kernel_name_array found = { 0 };
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(find(with_data, "jiffie", &found, &err), 0);
	assert_int_equal(found.nr, 0);
	assert_int_equal(find(without_data, "vfs_read", &found, &err), 0);
	assert_int_equal(found.nr, 1);
	assert_int_equal(find(without_data, "jiffies", &found, &err), -ENODATA);
	assert_non_null(strstr(err.text.buf, "/proc/kallsyms has no data symbols"));
	assert_non_null(strstr(err.text.buf, "mem:0xADDR"));
	assert_int_equal(find(hidden, "jiffies", &found, &err), -EPERM);
	assert_non_null(strstr(err.text.buf, "addresses are hidden"));
	assert_int_equal(find("", "jiffies", &found, &err), -ENODATA);
	array__exit(&found);
	err__exit(&err);
}

static void test_suggestions(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_true(kernel_names__suggest(with_data, strlen(with_data), "jifies", &err));
	assert_string_equal(err.text.buf, "\ndid you mean 'jiffies'?");
	assert_false(kernel_names__suggest(with_data, strlen(with_data), "nothing_like_it", &err));
	err__exit(&err);
}

static void test_any_bytes(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		size_t len = (size_t)rand_r(&seed) % sizeof(with_data);
		char *copy = malloc(len + 1);
		kernel_name_array found = { 0 };
		struct err err = ERR_INIT;

		memcpy(copy, with_data, len);
		for (int i = 0; i < 4 && len; i++)
			copy[(size_t)rand_r(&seed) % len] = (char)rand_r(&seed);
		kernel_names__find(copy, len, "counter", &found, NULL);
		kernel_names__suggest(copy, len, "countr", &err);
		err__exit(&err);
		array__exit(&found);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables_and_functions),
		cmocka_unit_test(test_several_places),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_suggestions),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
