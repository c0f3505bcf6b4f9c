#include "base/text/markdown.h"

#include "base/text/fit.h"

#include <string.h>

/* Return the length of the longest sequence of backticks. */
static size_t longest_backticks(const char *text)
{
	size_t longest = 0, nr = 0;

	for (; *text; text++) {
		nr = *text == '`' ? nr + 1 : 0;
		longest = MAX(longest, nr);
	}
	return longest;
}

/*
 * Append n bytes as one code span, between so many backticks. A reader drops one blank at each end: these
 * blanks keep backticks of the text apart from the others, and save the blanks of a text that has them at
 * both ends.
 */
static void add_span(struct strbuf *sb, const char *text, size_t n, size_t nr_backticks, enum markup place)
{
	bool has_backtick = text[0] == '`' || text[n - 1] == '`';
	bool has_blanks = text[0] == ' ' && text[n - 1] == ' ' && strspn(text, " ") < n;
	bool is_padded = has_backtick || has_blanks;

	strbuf__addchars(sb, '`', nr_backticks);
	strbuf__addchars(sb, ' ', is_padded);
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '|' && place == MARKDOWN_CELL)
			strbuf__addch(sb, '\\');
		strbuf__addch(sb, text[i]);
	}
	strbuf__addchars(sb, ' ', is_padded);
	strbuf__addchars(sb, '`', nr_backticks);
}

/*
 * Return the bytes of a span at text. In a cell, "\|" is a '|' of the text. Programs do not agree on what
 * "\\|" is, so a span ends between a backslash and '|'.
 */
static size_t span_size(const char *text, enum markup place)
{
	const char *end = place == MARKDOWN_CELL ? strstr(text, "\\|") : NULL;

	return end ? (size_t)(end + 1 - text) : strlen(text);
}

void markdown__add_code(struct strbuf *sb, const char *text, enum markup place)
{
	struct strbuf clean = STRBUF_INIT, valid = STRBUF_INIT;
	const char *at;
	size_t nr_backticks;

	strbuf__add_masked(&clean, text);
	strbuf__add_utf8(&valid, clean.buf);
	nr_backticks = longest_backticks(valid.buf) + 1;
	for (at = valid.buf; *at;) {
		size_t n = span_size(at, place);

		add_span(sb, at, n, nr_backticks, place);
		at += n;
		if (*at) { /* the '|' after a backslash */
			strbuf__addstr(sb, "&#124;");
			at++;
		}
	}
	strbuf__exit(&clean);
	strbuf__exit(&valid);
}

void markdown__add_name(struct strbuf *sb, const char *name, enum markup place)
{
	struct strbuf masked = STRBUF_INIT, text = STRBUF_INIT;

	strbuf__add_masked(&masked, name); /* fit.h takes ESC for a colour */
	fit__shorten(&text, masked.buf, masked.len, MARKDOWN_NAME_MAX);
	markdown__add_code(sb, text.buf, place);
	strbuf__exit(&masked);
	strbuf__exit(&text);
}
