/* fit: text in the columns of a terminal. */
#include "unit.h"

#include "base/text/fit.h"

#include <string.h>

static void columns_are_counted(void **state)
{
	static const struct {
		const char *text;
		unsigned columns;
	} cases[] = {
		{ "", 0 },
		{ "main", 4 },
		{ "größe", 5 },
		{ "名前", 4 },
		{ "e\xcc\x81t", 2 },
		{ "한글", 4 },
		{ "\xf0\x9f\x94\xa5", 2 },
		{ "\xff\xfe", 2 },
		{ "\xe5\x90", 2 },
		{ "\xc3", 1 },
		{ "\033[31m 5.00%\033[m", 6 },
		{ "\033[", 0 },
		{ "\xc3(", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(fit__columns(cases[i].text, strlen(cases[i].text)), cases[i].columns);
}

static void expect_short(const char *text, unsigned columns, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	fit__shorten(&sb, text, strlen(text), columns);
	assert_string_equal(sb.buf, expected);
	assert_true(fit__columns(sb.buf, sb.len) <= columns);
	strbuf__exit(&sb);
}

static void texts_are_shortened_in_the_middle(void **state)
{
	(void)state;
	expect_short("abcdefghij", 10, "abcdefghij");
	expect_short("abcdefghij", 9, "ab...ghij");
	expect_short("abcdefghij", 4, "...j");
	expect_short("abcdefghij", 3, "abc");
	expect_short("abcdefghij", 0, "");
	expect_short("größengrößen", 9, "gr...ößen");
	expect_short("名前名前名前", 10, "名...名前"); /* no half characters */
	expect_short("名前名前名前", 11, "名...前名前");
	/* dots beside the cut */
	expect_short("std::vector<...>::_M_realloc_insert<...>", 35, "std::vecto..._M_realloc_insert<...>");
	expect_short("std::map<...>::operator[]", 22, "std::m...>::operator[]");
	expect_short("abc...defghij", 12, "abc...efghij");
	expect_short("abcd...efghij", 9, "ab...ghij");
	expect_short("ab...cdefghij", 12, "ab...efghij");
}

static void expect_binary(const char *name, unsigned columns, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	fit__binary(&sb, name, strlen(name), columns);
	assert_string_equal(sb.buf, expected);
	strbuf__exit(&sb);
}

static void binaries_lose_their_versions_first(void **state)
{
	(void)state;
	expect_binary("libstdc++.so.6.0.30", 19, "libstdc++.so.6.0.30");
	expect_binary("libstdc++.so.6.0.30", 18, "libstdc++.so");
	expect_binary("libstdc++.so.6.0.30", 11, "libstdc++");
	expect_binary("libstdc++.so.6.0.30", 8, "l...dc++");
	expect_binary("libpython3.11.so.1.0", 13, "libpython3.11");
	expect_binary("a-program-of-a-long-name", 13, "a-p...ng-name");
	expect_binary(".so.1.2", 5, "...2");
}

static void expect_wrapped(const char *text, unsigned columns, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	fit__wrap(&sb, text, "#   ", columns);
	assert_string_equal(sb.buf, expected);
	strbuf__exit(&sb);
}

static void lines_are_wrapped(void **state)
{
	(void)state;
	expect_wrapped("", 20, "");
	expect_wrapped("#\n#\n", 20, "#\n#\n");
	expect_wrapped("# short\n", 20, "# short\n");
	expect_wrapped("# no end", 20, "# no end");
	expect_wrapped("# one two three four five\n", 20, "# one two three four\n#   five\n");
	expect_wrapped("# one two three fours five six seven\n#\n", 20,
		       "# one two three\n#   fours five six\n#   seven\n#\n");
	expect_wrapped("# abcdefghijklmnopqrstuvwxyz\n", 12, "# abcdefghij\n#   klmnopqr\n#   stuvwxyz\n");
	expect_wrapped("# ab abcdefghijklmno\n", 12, "# ab\n#   abcdefgh\n#   ijklmno\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_counted),
		cmocka_unit_test(texts_are_shortened_in_the_middle),
		cmocka_unit_test(binaries_lose_their_versions_first),
		cmocka_unit_test(lines_are_wrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
