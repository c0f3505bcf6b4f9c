/* Labels of a recording: what perf record --label takes, and what a file's text gives. */
#include "format/file/labels.h"

#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void check_refused(const char *text)
{
	struct strbuf labels = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(labels__add(&labels, text, &err), -EINVAL);
	assert_int_equal(labels.len, 0);
	assert_true(err.text.len > 0);
	err__exit(&err);
	strbuf__exit(&labels);
}

static void test_refused(void **state)
{
	static const char *const texts[] = { "",      "=",        "=x",         "commit", "commit=",
					     "a b=c", "a=b\nc=d", "a=\033[31m", "a/b=c" };
	char longer[1100] = "key=";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		check_refused(texts[i]);
	memset(longer + 4, 'x', 1001);
	check_refused(longer);
	longer[4 + 1000] = '\0';
	struct strbuf labels = STRBUF_INIT;
	struct err err = ERR_INIT;
	assert_int_equal(labels__add(&labels, longer, &err), 0);
	err__exit(&err);
	strbuf__exit(&labels);
}

static void check_value(const char *labels, const char *key, const char *value)
{
	char *found = labels__find(labels, key);

	if (value)
		assert_string_equal(found, value);
	else
		assert_null(found);
	free(found);
}

static void test_found(void **state)
{
	struct strbuf labels = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(labels__add(&labels, "commit=v1.2", &err), 0);
	assert_int_equal(labels__add(&labels, "build.id_1-x=a=b c", &err), 0);
	assert_string_equal(labels.buf, "commit=v1.2\nbuild.id_1-x=a=b c\n");
	check_value(labels.buf, "commit", "v1.2");
	check_value(labels.buf, "build.id_1-x", "a=b c");
	check_value(labels.buf, "commi", NULL);
	check_value(labels.buf, "v1.2", NULL);
	/* the last one counts, as on a command line */
	assert_int_equal(labels__add(&labels, "commit=v1.3", &err), 0);
	check_value(labels.buf, "commit", "v1.3");
	strbuf__exit(&labels);
	err__exit(&err);
}

/* Texts of damaged files. */
static void test_damaged(void **state)
{
	(void)state;
	check_value("", "commit", NULL);
	check_value("\n\n", "commit", NULL);
	check_value("commit", "commit", NULL);
	check_value("commit=", "commit", "");
	check_value("x\ncommit=a", "commit", "a");
	check_value("xcommit=a\n", "commit", NULL);
	check_value("commit=a\033[2Jb\n", "commit", "a?[2Jb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
