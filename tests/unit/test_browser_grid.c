/* The browser's grid of cells: text stays in its width, and nothing of it acts on a terminal. */
#include "unit.h"

#include "browser/grid.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Append all rows as lines of text, without blanks at their ends. */
static void grid__dump(const struct grid *g, struct strbuf *sb)
{
	for (unsigned row = 0; row < g->rows; row++) {
		for (unsigned column = 0; column < g->columns; column++)
			grid_cell__add(grid__cell(g, row, column), sb);
		while (sb->len && sb->buf[sb->len - 1] == ' ')
			strbuf__setlen(sb, sb->len - 1);
		strbuf__addch(sb, '\n');
	}
}

static char *drawn(unsigned columns, unsigned width, const char *text)
{
	struct grid g = { .rows = 0 };
	struct strbuf sb = STRBUF_INIT;

	grid__resize(&g, 1, columns);
	grid__text(&g, 0, 0, width, STYLE_TEXT, text, strlen(text));
	grid__dump(&g, &sb);
	strbuf__setlen(&sb, sb.len - 1); /* the newline */
	grid__exit(&g);
	return strbuf__detach(&sb);
}

#define assert_drawn(columns, width, text, expected)              \
	do {                                                      \
		char *drawn_ = drawn((columns), (width), (text)); \
		assert_string_equal(drawn_, (expected));          \
		free(drawn_);                                     \
	} while (0)

static void text_is_cut_to_its_width(void **state)
{
	(void)state;
	assert_drawn(20, 20, "main", "main");
	assert_drawn(20, 4, "main", "main");
	assert_drawn(20, 3, "main", "ma\u2026");
	assert_drawn(3, 20, "main", "ma\u2026");
	assert_drawn(20, 1, "main", "\u2026");
}

static void wide_and_combining_characters_take_their_columns(void **state)
{
	(void)state;
	assert_int_equal(grid__width("\u65e5\u672c"), 4);
	assert_drawn(20, 4, "\u65e5\u672c", "\u65e5\u672c");
	assert_drawn(20, 3, "\u65e5\u672c", "\u65e5\u2026");
	assert_drawn(20, 2, "\u65e5\u672c", "\u2026");
	assert_int_equal(grid__width("e\u0301"), 1);
	assert_drawn(20, 1, "e\u0301", "e\u0301");
	assert_drawn(20, 5, "e\u0301\u0302\u0303\u0304", "e\u0301\u0302"); /* no more than a cell keeps */
	assert_drawn(20, 5, "\u0301x", "x"); /* combines with nothing of another text */
}

static void nothing_acts_on_a_terminal(void **state)
{
	(void)state;
	assert_drawn(40, 40, "a\033[31mb", "a\\x1b[31mb");
	assert_drawn(40, 40, "a\tb\nc\rd", "a\\x09b\\x0ac\\x0dd");
	assert_drawn(40, 40, "a\302\233b", "a\\x9bb"); /* C1: CSI */
	assert_drawn(40, 40, "a\233b\377", "a\\x9bb\\xff");
	assert_drawn(40, 40, "a\u202eb\u2066c", "a\\u202eb\\u2066c");
	assert_drawn(40, 40, "a\u200bb", "a\\u200bb");
	assert_drawn(40, 40, "a\U000e0041", "a\\U0e0041");
	assert_drawn(40, 40, "\355\240\200", "\\xed\\xa0\\x80"); /* a surrogate */
	assert_drawn(40, 6, "a\033b\033", "a\\x1b\u2026");
}

static void half_a_wide_character_becomes_a_blank(void **state)
{
	struct grid g = { .rows = 0 };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	grid__resize(&g, 2, 6);
	grid__field(&g, 0, 0, 6, STYLE_TEXT, "\u65e5\u672c\u8a9e");
	grid__text(&g, 0, 1, 1, STYLE_TEXT, "x", 1);
	grid__text(&g, 1, 0, 6, STYLE_TEXT, "\u65e5\u672c\u8a9e", 9);
	grid__text(&g, 1, 1, 2, STYLE_TEXT, "xy", 2);
	grid__dump(&g, &sb);
	assert_string_equal(sb.buf, " x\u672c\u8a9e\n xy \u8a9e\n");
	strbuf__exit(&sb);
	grid__exit(&g);
}

static void nothing_is_drawn_outside(void **state)
{
	struct grid g = { .rows = 0 };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	grid__resize(&g, 2, 4);
	grid__field(&g, 2, 0, 4, STYLE_TEXT, "row");
	grid__field(&g, 0, 4, 4, STYLE_TEXT, "column");
	grid__field(&g, 1, 2, 40, STYLE_TEXT, "ab");
	grid__select(&g, 1, 3, 40);
	grid__select(&g, 7, 3, 40);
	grid__dump(&g, &sb);
	assert_string_equal(sb.buf, "\n  ab\n");
	assert_int_equal(grid__cell(&g, 1, 3)->style, STYLE_TEXT | STYLE_SELECTED);
	assert_int_equal(grid__cell(&g, 1, 2)->style, STYLE_TEXT);
	strbuf__exit(&sb);
	grid__exit(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_cut_to_its_width),
		cmocka_unit_test(wide_and_combining_characters_take_their_columns),
		cmocka_unit_test(nothing_acts_on_a_terminal),
		cmocka_unit_test(half_a_wide_character_becomes_a_blank),
		cmocka_unit_test(nothing_is_drawn_outside),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
