/*
 * Text of recordings in JSON and other UTF-8: C1 controls are escaped, bytes outside of characters
 * replaced.
 */
#include "unit.h"

#include "base/text/strbuf.h"
#include "base/text/utf8.h"

static void json_has_no_controls(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__add_json(&sb, "a\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0\x1b\x7f\xff");
	assert_string_equal(sb.buf, "\"a\\u0080\\u009b\\u009f\xc2\xa0\\u001b\\u007f\xef\xbf\xbd\"");
	strbuf__exit(&sb);
}

static void text_is_made_valid(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__make_utf8(&sb);
	strbuf__addstr(&sb, "caf\xc3\xa9");
	strbuf__make_utf8(&sb);
	assert_string_equal(sb.buf, "caf\xc3\xa9");
	strbuf__addstr(&sb, "\xff\xc3");
	assert_false(utf8__is_valid(sb.buf));
	strbuf__make_utf8(&sb);
	assert_string_equal(sb.buf, "caf\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd");
	assert_true(utf8__is_valid(sb.buf));
	strbuf__exit(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(json_has_no_controls),
					    cmocka_unit_test(text_is_made_valid) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
