/* Screens that are text: scrolled in both directions, searched. */
#include "browser/browser.h"

#include <stdarg.h>
#include <string.h>

void text_lines__exit(struct text_lines *t)
{
	if (t->text.buf)
		strbuf__exit(&t->text);
	array__exit(&t->v);
}

void text_lines__reset(struct text_lines *t)
{
	if (!t->text.buf)
		strbuf__init(&t->text);
	strbuf__reset(&t->text);
	t->v.nr = 0;
	t->shift = 0;
}

void text_lines__add(struct text_lines *t, u32 style, const char *fmt, ...)
{
	size_t at = t->text.len;
	va_list ap;

	va_start(ap, fmt);
	strbuf__vaddf(&t->text, fmt, ap);
	va_end(ap);
	array__add(&t->v, ((struct text_line){ .at = at, .size = (u32)(t->text.len - at), .style = style }));
}

void text_lines__add_all(struct text_lines *t, const char *text,
			 u32 (*style_of)(const char *line, size_t size))
{
	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		text_lines__add(t, style_of ? style_of(text, (size_t)(end - text)) : STYLE_TEXT, "%.*s",
				(int)(end - text), text);
	}
}

/* Copy a line, with tabs as blanks and without the columns that are scrolled away. */
static void text_lines__cut(const struct text_lines *t, size_t i, struct strbuf *sb)
{
	const struct text_line *l = &t->v.v[i];
	unsigned column = 0;

	strbuf__reset(sb);
	for (u32 k = 0; k < l->size; k++) {
		char c = t->text.buf[l->at + k];
		bool is_tab = c == '\t';

		do {
			if (column >= t->shift)
				strbuf__addch(sb, is_tab ? ' ' : c);
			column++;
		} while (is_tab && column % 8);
	}
}

/* Mark the columns of what is searched for. ASCII lines only: elsewhere the whole line is marked. */
static void mark_found(struct browser *b, const struct area *a, unsigned row, const char *line)
{
	regmatch_t m;

	if (!b->find.is_set || regexec(&b->find.regex, line, 1, &m, 0) || m.rm_eo <= m.rm_so)
		return;
	for (unsigned c = (unsigned)m.rm_so; c < (unsigned)m.rm_eo && c < a->columns; c++)
		grid__cell(a->grid, row, a->column + c)->style = STYLE_FOUND;
}

void text_lines__draw(struct text_lines *t, struct browser *b, const struct area *a, bool select)
{
	struct strbuf line = STRBUF_INIT;

	list__fit(&t->list, t->v.nr, a->rows);
	for (unsigned i = 0; i < a->rows && t->list.top + i < t->v.nr; i++) {
		size_t at = t->list.top + i;

		text_lines__cut(t, at, &line);
		grid__field(a->grid, a->row + i, a->column, a->columns, t->v.v[at].style, line.buf);
		mark_found(b, a, a->row + i, line.buf);
		if (select && at == t->list.at)
			grid__select(a->grid, a->row + i, a->column, a->columns);
	}
	strbuf__exit(&line);
}

/* Go to the next line, or the one before, that matches. */
static void text_lines__find(struct text_lines *t, struct browser *b, bool backwards)
{
	struct strbuf line = STRBUF_INIT;
	unsigned shift = t->shift;

	t->shift = 0;
	for (size_t i = 1; i <= t->v.nr; i++) {
		size_t at = (t->list.at + (backwards ? t->v.nr - i : i)) % t->v.nr;

		text_lines__cut(t, at, &line);
		if (browser__finds(b, line.buf)) {
			t->list.at = at;
			break;
		}
	}
	t->shift = shift;
	strbuf__exit(&line);
}

bool text_lines__press(struct text_lines *t, struct browser *b, u32 key)
{
	if (key == TERM_LEFT)
		t->shift -= MIN(t->shift, 8u);
	else if (key == TERM_RIGHT)
		t->shift += 8;
	else if ((key == 'n' || key == 'N') && b->find.is_set)
		text_lines__find(t, b, key == 'N');
	else
		return list__key(&t->list, key);
	return true;
}

bool text_lines__page(struct text_lines *t, struct browser *b, u32 key)
{
	struct list *l = &t->list;
	size_t bottom = l->top + l->rows;

	/* The selected line is not shown: from the edge of the page, each key moves the page. */
	if (key == TERM_DOWN)
		l->at = bottom < l->nr ? bottom : l->at;
	else if (key == TERM_UP)
		l->at = l->top ? l->top - 1 : 0;
	else
		return text_lines__press(t, b, key);
	list__fit(l, l->nr, l->rows);
	return true;
}
