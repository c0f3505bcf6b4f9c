/* strbuf, strpool, err: text that grows, text with ids, text of failures. */
#include "unit.h"

#include "base/message/err.h"
#include "base/memory/mem.h"
#include "base/text/strbuf.h"
#include "base/memory/strpool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void strbuf_starts_empty_and_terminated(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_string_equal(sb.buf, "");
	assert_int_equal(sb.len, 0);
	strbuf__reset(&sb);
	strbuf__setlen(&sb, 0);
	strbuf__add(&sb, NULL, 0);
	strbuf__addchars(&sb, 'x', 0);
	assert_int_equal(sb.alloc, 0);
	strbuf__exit(&sb);
	assert_string_equal(strbuf__empty, "");
}

static void strbuf_appends(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__addstr(&sb, "one");
	strbuf__addch(&sb, ' ');
	strbuf__addf(&sb, "%s-%d", "two", 3);
	strbuf__addchars(&sb, '.', 3);
	strbuf__add(&sb, "\0z", 2);
	assert_int_equal(sb.len, 14);
	assert_memory_equal(sb.buf, "one two-3...\0z", 15);
	strbuf__setlen(&sb, 3);
	assert_string_equal(sb.buf, "one");
	strbuf__reset(&sb);
	assert_string_equal(sb.buf, "");
	strbuf__exit(&sb);
}

static void strbuf_formats_text_longer_than_its_room(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char big[5000];

	(void)state;
	memset(big, 'b', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	for (size_t n = 1; n < 300; n++) { /* lengths around every growth */
		strbuf__reset(&sb);
		strbuf__addf(&sb, "%.*s", (int)n, big);
		strbuf__addf(&sb, "%s!", big);
		assert_int_equal(sb.len, n + sizeof(big));
		assert_int_equal(strlen(sb.buf), sb.len);
		assert_true(sb.alloc > sb.len);
		if (n % 7 == 0)
			strbuf__exit(&sb);
	}
	strbuf__exit(&sb);
}

static void strbuf_masks_control_characters(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__add_masked(&sb, "a\033[1mb\tc\nd\x7f\xc3\xa4");
	assert_string_equal(sb.buf, "a?[1mb?c?d?\xc3\xa4");
	strbuf__exit(&sb);
}

static void strbuf_writes_hundredths_like_printf(void **state)
{
	static const double odd[] = { 0,   -0.0,       0.005,      0.015, 0.125, 1.005, 2.675,    99.995,
				      100, 999999.994, 999999.996, 1e6,   1e300, -1.5,  0.994999, 0.995001 };
	char expected[400];
	unsigned seed = 1;

	(void)state;
	for (size_t i = 0; i < 200000; i++) {
		double x = i < ARRAY_SIZE(odd) ? odd[i] : 0;
		int width = (int)(i % 9);
		struct strbuf sb = STRBUF_INIT;

		seed = seed * 1664525 + 1013904223;
		if (i >= ARRAY_SIZE(odd))
			x = i % 2 ? (double)(seed >> 8) / 1000 : 100.0 * (seed >> 16) / (1 + i);
		snprintf(expected, sizeof(expected), "%*.2f", width, x);
		strbuf__add_fixed(&sb, x, width);
		assert_string_equal(sb.buf, expected);
		strbuf__exit(&sb);
	}
}

static void strbuf_detaches(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char *s = strbuf__detach(&sb);

	(void)state;
	assert_string_equal(s, "");
	free(s);
	strbuf__addstr(&sb, "mine");
	s = strbuf__detach(&sb);
	assert_string_equal(s, "mine");
	assert_int_equal(sb.alloc, 0);
	free(s);
}

static void strpool_gives_equal_text_one_id(void **state)
{
	struct strpool p;
	u32 a, b;

	(void)state;
	strpool__init(&p);
	assert_int_equal(strpool__intern(&p, ""), 0);
	a = strpool__intern(&p, "comm");
	b = strpool__intern(&p, "common");
	assert_int_not_equal(a, b);
	assert_int_equal(strpool__internn(&p, "common", 4), a);
	assert_int_equal(strpool__internn(&p, "comm\0on", 7), a);
	assert_string_equal(strpool__get(&p, b), "common");
	assert_int_equal(strpool__find(&p, "comm"), a);
	assert_int_equal(strpool__find(&p, "com"), UINT32_MAX);
	strpool__exit(&p);
}

static void strpool_keeps_pointers_while_growing(void **state)
{
	struct strpool p;
	const char *first;
	char text[32];
	u32 id;

	(void)state;
	strpool__init(&p);
	id = strpool__intern(&p, "first");
	first = strpool__get(&p, id);
	for (int i = 0; i < 20000; i++) {
		snprintf(text, sizeof(text), "name %d", i);
		assert_int_equal(strpool__intern(&p, text), id + 1 + (u32)i);
	}
	assert_ptr_equal(strpool__get(&p, id), first);
	assert_string_equal(first, "first");
	assert_int_equal(strpool__intern(&p, "name 12345"), id + 12346);
	strpool__exit(&p);
}

static void err_carries_text_and_advice(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(err__set(NULL, -EINVAL, "nobody listens"), -EINVAL);
	err__advise(NULL, "nor here");
	assert_int_equal(err__set(&e, -ENOENT, "no file '%s'", "a"), -ENOENT);
	err__advise(&e, "type %s", "b");
	assert_string_equal(e.text.buf, "no file 'a'\ntype b");
	err__set(&e, -EPERM, "other");
	assert_string_equal(e.text.buf, "other");
	assert_int_equal(e.code, -EPERM);
	err__exit(&e);
	assert_string_equal(err__str(-ENOENT), strerror(ENOENT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strbuf_starts_empty_and_terminated),
		cmocka_unit_test(strbuf_appends),
		cmocka_unit_test(strbuf_formats_text_longer_than_its_room),
		cmocka_unit_test(strbuf_masks_control_characters),
		cmocka_unit_test(strbuf_writes_hundredths_like_printf),
		cmocka_unit_test(strbuf_detaches),
		cmocka_unit_test(strpool_gives_equal_text_one_id),
		cmocka_unit_test(strpool_keeps_pointers_while_growing),
		cmocka_unit_test(err_carries_text_and_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
