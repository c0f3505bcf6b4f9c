/* The text of configuration files: what it means, and how one value is changed. */
#include "unit.h"

#include "base/command/config.h"

#include <string.h>

static struct strbuf reasons = STRBUF_INIT;

static void note(const char *reason)
{
	strbuf__addstr(&reasons, reason);
	strbuf__addch(&reasons, '\n');
}

static struct config parse(const char *text)
{
	struct config c = { 0 };

	strbuf__reset(&reasons);
	config__parse(&c, "file", text, strlen(text), note);
	return c;
}

static void expect(const char *text, const char *key, const char *value)
{
	struct config c = parse(text);
	const struct config_entry *e = config__find(&c, key);

	if (value) {
		assert_non_null(e);
		assert_string_equal(e->value, value);
	} else {
		assert_null(e);
	}
	config__exit(&c);
}

static void values(void **state)
{
	(void)state;
	expect("[a]\nb=c", "a.b", "c");
	expect("[a]\nb = c d \t# comment\n", "a.b", "c d");
	expect("[a] b = c ; comment\n", "a.b", "c");
	expect("[a]\r\n\tb = c\r\n", "a.b", "c");
	expect("[a]\nb = \" c # d \" e\n", "a.b", " c # d  e");
	expect("[a]\nb = c\\\n d\\t\\\\\\\"\n", "a.b", "c d\t\\\"");
	expect("[a]\nb =\n", "a.b", "");
	expect("[a]\nb = 1\n[c]\nb = 2\n[a]\nb = 3\n", "a.b", "3");
	expect("# [a]\n;[a]\n[x y]\nsort_order = 1\n", "x y.sort_order", "1");
	assert_string_equal(reasons.buf, "");
}

static void bad_lines(void **state)
{
	(void)state;
	expect("[a]\nb\nc = 1\n", "a.c", "1");
	assert_non_null(strstr(reasons.buf, "file, line 2: expected [SECTION] or NAME = VALUE"));
	expect("b = 1\n[a]\nc = 2\n", "a.c", "2");
	assert_non_null(strstr(reasons.buf, "line 1: expected a line [SECTION] before this one"));
	expect("[a\nb = 1\n", "a.b", NULL);
	assert_non_null(strstr(reasons.buf, "line 1: expected ']'"));
	expect("[a]\nb = \"c\nd = 1\n", "a.b", NULL);
	assert_non_null(strstr(reasons.buf, "line 2: expected a '\"'"));
	expect("[a]\nb = c\\\nd \\x\ne = 1\n", "a.e", "1");
	assert_non_null(strstr(reasons.buf, "line 2: expected one of"));
	expect("[a]\nb = c\\\n\nd = x y\nf\n", "a.d", "x y");
	assert_non_null(strstr(reasons.buf, "line 5"));
}

/* A NUL in the name of a section does not make it another section. */
static void nul_in_a_name(void **state)
{
	static const char text[] = "[a]\nb = 1\n[a\0c]\nb = 2\n";
	struct config c = { 0 };

	(void)state;
	strbuf__reset(&reasons);
	config__parse(&c, "file", text, sizeof(text) - 1, note);
	assert_string_equal(config__find(&c, "a.b")->value, "1");
	assert_non_null(strstr(reasons.buf, "line 3: expected ']'"));
	config__exit(&c);
}

static void edit(const char *text, const char *key, const char *value, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf__addstr(&sb, text);
	config__edit(&sb, key, value);
	assert_string_equal(sb.buf, expected);
	expect(sb.buf, key, value);
	strbuf__exit(&sb);
}

static void changes(void **state)
{
	(void)state;
	edit("", "a.b", "1", "[a]\n\tb = 1\n");
	edit("# x\n[a]\n\tb = 0 # y\n\tc = 2\n", "a.b", "1", "# x\n[a]\n\tb = 1\n\tc = 2\n");
	edit("[a]\n\tc = 2\n# end\n[d]\n", "a.b", "1", "[a]\n\tc = 2\n\tb = 1\n# end\n[d]\n");
	edit("[a]", "a.b", "1", "[a]\n\tb = 1\n");
	edit("[a] # x\n[c]\nd = 1", "a.b", "2", "[a] # x\n\tb = 2\n[c]\nd = 1");
	edit("[c]\nd = 1", "a.b", "2", "[c]\nd = 1\n[a]\n\tb = 2\n");
	edit("[a]\nb = 1", "a.b", " x;\"\\ ", "[a]\nb = \" x;\\\"\\\\ \"\n");
	edit("[a]\nb = 1\nb = 2\n", "a.b", "3", "[a]\nb = 1\nb = 3\n");
}

static void booleans(void **state)
{
	(void)state;
	assert_int_equal(config__bool("true"), 1);
	assert_int_equal(config__bool("Yes"), 1);
	assert_int_equal(config__bool("10"), 1);
	assert_int_equal(config__bool("off"), 0);
	assert_int_equal(config__bool("0"), 0);
	assert_int_equal(config__bool(""), -1);
	assert_int_equal(config__bool("less -S"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),  cmocka_unit_test(bad_lines), cmocka_unit_test(nul_in_a_name),
		cmocka_unit_test(changes), cmocka_unit_test(booleans),
	};
	int ret = cmocka_run_group_tests(tests, NULL, NULL);

	strbuf__exit(&reasons);
	return ret;
}
