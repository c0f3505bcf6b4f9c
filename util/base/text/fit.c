#include "base/text/fit.h"

#include <string.h>

/* Characters that take no column, or two: the first and the last one of each range. */
static const struct {
	u32 first, last;
	unsigned columns;
} widths[] = {
	{ 0x300, 0x36f, 0 },     /* combining marks */
	{ 0x1100, 0x115f, 2 },   /* Hangul */
	{ 0x200b, 0x200f, 0 },   /* marks without width */
	{ 0x20d0, 0x20ff, 0 },   /* combining marks */
	{ 0x2e80, 0xa4cf, 2 },   /* East Asian scripts */
	{ 0xac00, 0xd7a3, 2 },   /* Hangul */
	{ 0xf900, 0xfaff, 2 },   /* East Asian ideographs */
	{ 0xfe00, 0xfe0f, 0 },   /* variation selectors */
	{ 0xfe30, 0xfe6f, 2 },   /* East Asian forms */
	{ 0xff00, 0xff60, 2 },   /* full width */
	{ 0xffe0, 0xffe6, 2 },   /* full width */
	{ 0x1f300, 0x1faff, 2 }, /* emoji */
	{ 0x20000, 0x3fffd, 2 }, /* East Asian ideographs */
};

/* Return the bytes of the character or colour at s, and set its columns. */
static size_t next_character(const char *s, size_t n, unsigned *columns)
{
	u8 c = (u8)s[0];
	size_t len = c < 0xc2 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 1;
	u32 code = len > 1 ? c & (0x7fu >> len) : c;

	*columns = 1;
	if (c == '\033' && n > 1 && s[1] == '[') {
		*columns = 0;
		len = 2 + strspn(s + 2, "0123456789;");
		return MIN(len + 1, n);
	}
	if (len > n)
		return 1;
	for (size_t i = 1; i < len; i++) {
		if (((u8)s[i] & 0xc0) != 0x80)
			return 1;
		code = code << 6 | ((u8)s[i] & 0x3f);
	}
	for (size_t i = 0; i < ARRAY_SIZE(widths) && code >= widths[i].first; i++)
		if (code <= widths[i].last)
			*columns = widths[i].columns;
	return len;
}

unsigned fit__columns(const char *text, size_t n)
{
	unsigned columns = 0, more;

	for (size_t i = 0; i < n; columns += more)
		i += next_character(text + i, n - i, &more);
	return columns;
}

/* Return the bytes of the longest beginning of text that takes at most so many columns. */
static size_t beginning(const char *text, size_t n, unsigned columns)
{
	unsigned used = 0, more;
	size_t i = 0, len;

	while (i < n) {
		len = next_character(text + i, n - i, &more);
		used += more;
		if (used > columns)
			break;
		i += len;
	}
	return i;
}

/* Return the bytes of the shortest beginning of text that takes at least so many columns. */
static size_t skipped(const char *text, size_t n, unsigned columns)
{
	size_t i = beginning(text, n, columns);
	unsigned more;

	if (fit__columns(text, i) < columns && i < n)
		i += next_character(text + i, n - i, &more);
	return i;
}

void fit__shorten(struct strbuf *sb, const char *text, size_t n, unsigned columns)
{
	static const char gap[] = "...";
	unsigned all = fit__columns(text, n), room = columns - (unsigned)strlen(gap), first = room / 3;
	size_t from, end;

	if (all <= columns) {
		strbuf__add(sb, text, n);
		return;
	}
	if (columns <= strlen(gap)) {
		strbuf__add(sb, text, beginning(text, n, columns));
		return;
	}
	from = skipped(text, n, all - (room - first));
	end = beginning(text, n, first);
	/* Dots beside the cut would look like more of the gap. */
	while (end && text[end - 1] == '.')
		end--;
	while (from < n && text[from] == '.')
		from++;
	strbuf__add(sb, text, end);
	strbuf__addstr(sb, gap);
	strbuf__add(sb, text + from, n - from);
}

void fit__binary(struct strbuf *sb, const char *name, size_t n, unsigned columns)
{
	static const char so[] = ".so";
	const char *suffix = memmem(name, n, so, strlen(so));

	if (suffix && suffix > name && fit__columns(name, n) > columns) {
		n = (size_t)(suffix - name) + strlen(so);
		if (fit__columns(name, n) > columns)
			n -= strlen(so);
	}
	fit__shorten(sb, name, n, columns);
}

/* Return the bytes of a line's first part: up to a blank if there is one, at least one character. */
static size_t first_part(const char *line, size_t n, unsigned columns)
{
	size_t len = beginning(line, n, columns), blank = len;
	unsigned more;

	if (len == n)
		return n;
	while (blank && line[blank] != ' ')
		blank--;
	if (blank > strspn(line, "# "))
		return blank;
	return len ? len : next_character(line, n, &more);
}

void fit__wrap(struct strbuf *sb, const char *text, const char *lead, unsigned columns)
{
	for (const char *end; *text; text = end + 1) {
		unsigned room = columns;

		end = strchrnul(text, '\n');
		for (size_t len; text < end; room = columns - fit__columns(lead, strlen(lead))) {
			strbuf__addstr(sb, room < columns ? lead : "");
			len = first_part(text, (size_t)(end - text), room);
			strbuf__add(sb, text, len);
			text += len;
			while (text < end && *text == ' ')
				text++;
			strbuf__addstr(sb, text < end ? "\n" : "");
		}
		if (!*end)
			break;
		strbuf__addch(sb, '\n');
	}
}
