/* What would steer a terminal becomes question marks; all other text stays. */
#include "unit.h"

#include "base/message/err.h"
#include "base/text/mask.h"
#include "base/text/strbuf.h"

#include <string.h>

static void assert_masked(const char *in, const char *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf__add_masked(&sb, in);
	assert_string_equal(sb.buf, out);
	strbuf__exit(&sb);
}

static void controls_are_masked(void **state)
{
	(void)state;
	assert_masked("a\033[2Jb\r\n\t\177c\001", "a?[2Jb????c?");
	assert_masked("", "");
}

/* U+009B begins an escape sequence as ESC [ does. */
static void controls_of_eight_bits_are_masked(void **state)
{
	(void)state;
	assert_masked("a\302\2332J", "a??2J");
	assert_masked("\302\200\302\237\302\240", "????\302\240");
	assert_masked("a\2332J\237", "a?2J?");
	/* Longer than need be, which a lax decoder takes for U+009B, and cut off. */
	assert_masked("\301\2332J", "\301?2J");
	assert_masked("\340\202\233", "\340??");
	assert_masked("\360\200\202\233", "\360???");
	assert_masked("\342\202", "\342?");
	assert_masked("\342\233x", "\342?x");
}

static void other_text_stays(void **state)
{
	static const char text[] =
		"na\303\257ve \342\202\254 \360\237\230\200 \346\227\245\346\234\233 caf\351";

	(void)state;
	assert_masked(text, text);
}

/* A name cannot begin a line of a message; the message can. */
static void names_in_messages_have_no_lines(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	err__set(&err, -1, "no file '%s'", "x'\nperf: error: 'y\033[m");
	assert_string_equal(err.text.buf, "no file 'x'?perf: error: 'y?[m'");
	err__advise(&err, "look for '%s'", "a\nb");
	assert_string_equal(err.text.buf, "no file 'x'?perf: error: 'y?[m'\nlook for 'a?b'");
	err__set(&err, -1, "%s", "one\ntwo\033");
	assert_string_equal(err.text.buf, "one\ntwo?");
	err__exit(&err);
}

/* What is put in front keeps the lines of a message, and makes none. */
static void a_prefix_keeps_lines(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	err__set(&err, -5, "no event '%s'", "x\ny");
	err__advise(&err, "look for %d", 3);
	err__prefix(&err, "option '%s'", "e\n");
	assert_string_equal(err.text.buf, "option 'e?': no event 'x?y'\nlook for 3");
	assert_int_equal(err.code, -5);
	err__prefix(NULL, "nothing");
	/* A newline in a format is no reason to let those of names pass. */
	err__set(&err, -1, "%s:\n", "a\nb");
	assert_null(strchr(err.text.buf, '\n'));
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controls_are_masked),  cmocka_unit_test(controls_of_eight_bits_are_masked),
		cmocka_unit_test(other_text_stays),     cmocka_unit_test(names_in_messages_have_no_lines),
		cmocka_unit_test(a_prefix_keeps_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
