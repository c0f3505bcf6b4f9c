/* Names in Markdown are code that ends where the name ends, in lines and in cells of tables. */
#include "unit.h"

#include "base/text/markdown.h"
#include "base/text/utf8.h"

#include <string.h>

static void assert_code(enum markup place, const char *name, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	markdown__add_code(&sb, name, place);
	assert_string_equal(sb.buf, want);
	strbuf__exit(&sb);
}

static void names_are_code(void **state)
{
	(void)state;
	assert_code(MARKDOWN_LINE, "main", "`main`");
	assert_code(MARKDOWN_LINE, "<b>@user [x](y) $z$ &amp; *", "`<b>@user [x](y) $z$ &amp; *`");
	assert_code(MARKDOWN_LINE, "", "");
	assert_code(MARKDOWN_CELL, "", "");
}

/* The fence is longer than any backticks in the name; blanks keep them apart. */
static void backticks_do_not_end_the_code(void **state)
{
	(void)state;
	assert_code(MARKDOWN_LINE, "a`b", "``a`b``");
	assert_code(MARKDOWN_LINE, "a```b``c", "````a```b``c````");
	assert_code(MARKDOWN_LINE, "`", "`` ` ``");
	assert_code(MARKDOWN_LINE, "a`", "`` a` ``");
	assert_code(MARKDOWN_LINE, "`a", "`` `a ``");
}

/* A reader drops one blank at both ends, unless there is nothing else. */
static void blanks_stay(void **state)
{
	(void)state;
	assert_code(MARKDOWN_LINE, " a ", "`  a  `");
	assert_code(MARKDOWN_LINE, " a", "` a`");
	assert_code(MARKDOWN_LINE, "a ", "`a `");
	assert_code(MARKDOWN_LINE, "  ", "`  `");
	assert_code(MARKDOWN_CELL, " |", "` \\|`");
}

static void bars_do_not_end_the_cell(void **state)
{
	(void)state;
	assert_code(MARKDOWN_LINE, "a|b\\|c", "`a|b\\|c`");
	assert_code(MARKDOWN_CELL, "a|b||c", "`a\\|b\\|\\|c`");
	assert_code(MARKDOWN_CELL, "a\\b\\", "`a\\b\\`");
	assert_code(MARKDOWN_CELL, "a\\|b", "`a\\`&#124;`b`");
	assert_code(MARKDOWN_CELL, "`\\||", "`` `\\ ``&#124;``\\|``");
	assert_code(MARKDOWN_CELL, "\\|", "`\\`&#124;");
}

static void lines_and_controls_are_masked(void **state)
{
	(void)state;
	assert_code(MARKDOWN_LINE, "a\n\n# b\r\tc\033[m", "`a??# b??c?[m`");
	assert_code(MARKDOWN_CELL, "caf\xe9 \xe2\x82\xac", "`caf" UTF8_REPLACEMENT " \xe2\x82\xac`");
}

static void long_names_are_shortened(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char name[10000];

	(void)state;
	memset(name, '`', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	markdown__add_name(&sb, name, MARKDOWN_CELL);
	assert_true(sb.len < 3 * MARKDOWN_NAME_MAX);
	assert_non_null(strstr(sb.buf, "..."));
	strbuf__reset(&sb);
	markdown__add_name(&sb, "short\n", MARKDOWN_CELL);
	assert_string_equal(sb.buf, "`short?`");
	strbuf__exit(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_code),
		cmocka_unit_test(backticks_do_not_end_the_code),
		cmocka_unit_test(blanks_stay),
		cmocka_unit_test(bars_do_not_end_the_cell),
		cmocka_unit_test(lines_and_controls_are_masked),
		cmocka_unit_test(long_names_are_shortened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
