#include "browser/grid.h"

#include "base/memory/mem.h"
#include "base/text/utf8.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

bool grid__locale_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

void grid__resize(struct grid *g, unsigned rows, unsigned columns)
{
	free(g->cells);
	g->rows = rows;
	g->columns = columns;
	g->cells = xcalloc((size_t)rows * columns + 1, sizeof(*g->cells));
	grid__clear(g);
}

void grid__exit(struct grid *g)
{
	free(g->cells);
	g->cells = NULL;
}

void grid__clear(struct grid *g)
{
	for (size_t i = 0; i < (size_t)g->rows * g->columns; i++)
		g->cells[i] = (struct grid_cell){ .c = ' ' };
}

/* ---- characters ---- */

/* Decode a character of size bytes, which are well-formed. */
static u32 decode(const unsigned char *s, size_t size)
{
	u32 c = size == 1 ? s[0] : s[0] & (0xffu >> (size + 1));

	for (size_t i = 1; i < size; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

/* Return the size of the character at s, at most n bytes; 0: there is none. */
static size_t char_size(const char *s, size_t n)
{
	char buf[5] = { 0 };

	memcpy(buf, s, MIN(n, sizeof(buf) - 1));
	return utf8__size(buf);
}

/* Characters that change how others are shown, or that cannot be seen. */
static bool is_format(u32 c)
{
	static const struct {
		u32 first, last;
	} ranges[] = {
		{ 0xad, 0xad },     { 0x34f, 0x34f },   { 0x61c, 0x61c },     { 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f },   { 0x2028, 0x202e },
		{ 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
		{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

struct glyph { /* the form in which the next character of a text is shown */
	u32 c;
	int width;       /* -1: the escape instead; 0: combines with the character before */
	char escape[12]; /* as \u202e */
};

/* Read the next character of n bytes. Return its size in bytes. */
static size_t glyph__read(struct glyph *g, const char *s, size_t n)
{
	size_t size = char_size(s, n);

	if (!size) {
		g->width = -1;
		snprintf(g->escape, sizeof(g->escape), "\\x%02x", (unsigned)(unsigned char)*s);
		return 1;
	}
	g->c = decode((const unsigned char *)s, size);
	g->width = g->c < 0x20 || g->c == 0x7f || is_format(g->c) ? -1 : wcwidth((wchar_t)g->c);
	if (g->width < 0)
		snprintf(g->escape, sizeof(g->escape),
			 g->c < 0x100     ? "\\x%02x"
			 : g->c < 0x10000 ? "\\u%04x"
					  : "\\U%06x",
			 g->c);
	return size;
}

static unsigned glyph__columns(const struct glyph *g)
{
	return g->width < 0 ? (unsigned)strlen(g->escape) : (unsigned)g->width;
}

static unsigned text_width(const char *text, size_t n)
{
	struct glyph g;
	unsigned width = 0;

	for (size_t i = 0; i < n;) {
		i += glyph__read(&g, text + i, n - i);
		width += glyph__columns(&g);
	}
	return width;
}

unsigned grid__width(const char *text)
{
	return text_width(text, strlen(text));
}

/* ---- drawing ---- */

/* Cells of a wide character that is half overwritten become blanks. */
static void cut_wide(struct grid *g, unsigned row, unsigned column)
{
	if (column < g->columns && !grid__cell(g, row, column)->c) {
		grid__cell(g, row, column)->c = ' ';
		if (column)
			grid__cell(g, row, column - 1)->c = ' ';
	}
}

static void put(struct grid *g, unsigned row, unsigned column, u32 style, u32 c)
{
	*grid__cell(g, row, column) = (struct grid_cell){ .c = c, .style = style };
}

static void add_mark(struct grid_cell *cell, u32 c)
{
	for (size_t i = 0; i < CELL_MARKS; i++)
		if (!cell->marks[i]) {
			cell->marks[i] = c;
			return;
		}
}

/* Draw one character at a column, which has room for it. base: column of the character before. */
static void put_glyph(struct grid *g, unsigned row, unsigned column, unsigned base, u32 style,
		      const struct glyph *glyph)
{
	if (!glyph->width) {
		if (base != column)
			add_mark(grid__cell(g, row, base), glyph->c);
		return;
	}
	for (const char *e = glyph->escape; glyph->width < 0 && *e; e++)
		put(g, row, column++, style, (unsigned char)*e);
	if (glyph->width > 0)
		put(g, row, column, style, glyph->c);
	if (glyph->width == 2)
		put(g, row, column + 1, style, 0);
}

unsigned grid__text(struct grid *g, unsigned row, unsigned column, unsigned width, u32 style,
		    const char *text, size_t n)
{
	unsigned at = column, base = column, end;
	bool fits;

	if (row >= g->rows || column >= g->columns || !width)
		return 0;
	width = MIN(width, g->columns - column);
	end = column + width;
	fits = text_width(text, n) <= width;
	cut_wide(g, row, column);
	cut_wide(g, row, end);
	for (size_t i = 0; i < n;) {
		struct glyph glyph;

		i += glyph__read(&glyph, text + i, n - i);
		if (at + glyph__columns(&glyph) > (fits ? end : end - 1))
			break;
		put_glyph(g, row, at, base, style, &glyph);
		if (glyph.width)
			base = at;
		at += glyph__columns(&glyph);
	}
	if (!fits)
		put(g, row, at++, style, g->is_ascii ? '>' : 0x2026);
	return at - column;
}

void grid__field(struct grid *g, unsigned row, unsigned column, unsigned width, u32 style, const char *text)
{
	unsigned taken = grid__text(g, row, column, width, style, text, strlen(text));

	if (row >= g->rows)
		return;
	cut_wide(g, row, column + width);
	for (; taken < width && column + taken < g->columns; taken++)
		put(g, row, column + taken, style, ' ');
}

void grid__print(struct grid *g, unsigned row, unsigned column, unsigned width, u32 style, const char *fmt,
		 ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf__vaddf(&text, fmt, ap);
	va_end(ap);
	grid__field(g, row, column, width, style, text.buf);
	strbuf__exit(&text);
}

void grid__select(struct grid *g, unsigned row, unsigned column, unsigned width)
{
	for (unsigned i = column; row < g->rows && i < g->columns && i - column < width; i++)
		grid__cell(g, row, i)->style |= STYLE_SELECTED;
}

/* ---- as text ---- */

static void add_char(u32 c, struct strbuf *sb)
{
	if (c < 0x80) {
		strbuf__addch(sb, (char)c);
		return;
	}
	if (c < 0x800) {
		strbuf__addch(sb, (char)(0xc0 | c >> 6));
	} else if (c < 0x10000) {
		strbuf__addch(sb, (char)(0xe0 | c >> 12));
		strbuf__addch(sb, (char)(0x80 | (c >> 6 & 0x3f)));
	} else {
		strbuf__addch(sb, (char)(0xf0 | c >> 18));
		strbuf__addch(sb, (char)(0x80 | (c >> 12 & 0x3f)));
		strbuf__addch(sb, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	strbuf__addch(sb, (char)(0x80 | (c & 0x3f)));
}

void grid_cell__add(const struct grid_cell *c, struct strbuf *sb)
{
	if (c->c)
		add_char(c->c, sb);
	for (size_t i = 0; c->c && i < CELL_MARKS && c->marks[i]; i++)
		add_char(c->marks[i], sb);
}
