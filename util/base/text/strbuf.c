#include "base/text/strbuf.h"

#include "base/text/mask.h"
#include "base/text/put.h"
#include "base/text/utf8.h"
#include "base/memory/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

char strbuf__empty[1];

void strbuf__init(struct strbuf *sb)
{
	*sb = (struct strbuf)STRBUF_INIT;
}

void strbuf__exit(struct strbuf *sb)
{
	if (sb->alloc)
		free(sb->buf);
	strbuf__init(sb);
}

void strbuf__reset(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->alloc)
		sb->buf[0] = '\0';
}

void strbuf__grow(struct strbuf *sb, size_t more)
{
	size_t need, alloc;

	if (__builtin_add_overflow(sb->len, more, &need) || __builtin_add_overflow(need, 1, &need))
		need = SIZE_MAX;
	if (need <= sb->alloc)
		return;
	alloc = MAX(need, sb->alloc + sb->alloc / 2);
	alloc = MAX(alloc, (size_t)64);
	sb->buf = xreallocarray(sb->alloc ? sb->buf : NULL, alloc, 1);
	sb->alloc = alloc;
	sb->buf[sb->len] = '\0';
}

void strbuf__setlen(struct strbuf *sb, size_t len)
{
	sb->len = len;
	if (sb->alloc)
		sb->buf[len] = '\0';
}

void strbuf__add(struct strbuf *sb, const void *data, size_t size)
{
	if (!size)
		return;
	if (sb->alloc - sb->len <= size)
		strbuf__grow(sb, size);
	mem__copy(sb->buf + sb->len, data, size);
	sb->len += size;
	sb->buf[sb->len] = '\0';
}

void strbuf__addstr(struct strbuf *sb, const char *s)
{
	strbuf__add(sb, s, strlen(s));
}

void strbuf__addchars(struct strbuf *sb, char c, size_t nr)
{
	if (!nr)
		return;
	strbuf__grow(sb, nr);
	memset(sb->buf + sb->len, c, nr);
	strbuf__setlen(sb, sb->len + nr);
}

void strbuf__vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list copy;
	int n;

	strbuf__grow(sb, 64);
	va_copy(copy, ap);
	n = vsnprintf(sb->buf + sb->len, sb->alloc - sb->len, fmt, copy);
	va_end(copy);
	if (n < 0)
		return;
	if ((size_t)n >= sb->alloc - sb->len) {
		strbuf__grow(sb, (size_t)n);
		vsnprintf(sb->buf + sb->len, sb->alloc - sb->len, fmt, ap);
	}
	sb->len += (size_t)n;
}

void strbuf__addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf__vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf__add_digits(struct strbuf *sb, u64 x, unsigned nr)
{
	char digits[PUT_DEC_MAX + 1], *end = digits + sizeof(digits), *p = end;

	for (unsigned i = 0; i < nr; i += 2, x /= 100)
		p = put_2_digits(p, x);
	strbuf__add(sb, end - nr, nr);
}

void strbuf__add_number(struct strbuf *sb, u64 x)
{
	strbuf__end(sb, put_dec(strbuf__begin(sb, PUT_DEC_MAX), x));
}

void strbuf__add_duration(struct strbuf *sb, double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t i = 0;

	for (; i < ARRAY_SIZE(units) - 1 && fabs(ns) >= 999.95; i++)
		ns /= 1000;
	strbuf__addf(sb, fabs(ns) < 9.995 ? "%.2f %s" : "%.1f %s", ns, units[i]);
}

void strbuf__add_fixed(struct strbuf *sb, double x, int width)
{
	char text[16], *end = text + sizeof(text), *p = end;
	bool is_small = !__builtin_signbit(x) && x < 1e6 && width >= 0;
	double hundredths = is_small ? x * 100 : 0, rest;
	u64 n = (u64)hundredths;

	rest = hundredths - (double)n;
	/* Let printf decide when the product may have been rounded to the wrong side of a half. */
	if (!is_small || (rest > 0.499 && rest < 0.501)) {
		strbuf__addf(sb, "%*.2f", width, x);
		return;
	}
	n += rest > 0.5;
	for (int digits = 0; n || digits < 3; n /= 10) {
		*--p = (char)('0' + n % 10);
		if (++digits == 2)
			*--p = '.';
	}
	if (end - p < width)
		strbuf__addchars(sb, ' ', (size_t)(width - (end - p)));
	strbuf__add(sb, p, (size_t)(end - p));
}

void strbuf__add_masked(struct strbuf *sb, const char *s)
{
	size_t start = sb->len;

	strbuf__addstr(sb, s);
	mask_controls(sb->buf + start, sb->len - start, NULL);
}

void strbuf__add_utf8(struct strbuf *sb, const char *s)
{
	size_t size;

	for (; *s; s += MAX(size, 1u)) {
		size = utf8__size(s);
		if (size)
			strbuf__add(sb, s, size);
		else
			strbuf__addstr(sb, UTF8_REPLACEMENT);
	}
}

void strbuf__make_utf8(struct strbuf *sb)
{
	struct strbuf was = *sb;

	if (utf8__is_valid(sb->buf))
		return;
	strbuf__init(sb);
	strbuf__add_utf8(sb, was.buf);
	strbuf__exit(&was);
}

void strbuf__add_json(struct strbuf *sb, const char *s)
{
	size_t size;

	strbuf__addch(sb, '"');
	for (; *s; s += MAX(size, 1u)) {
		unsigned char c = (unsigned char)*s;

		size = utf8__size(s);
		if (c == '"' || c == '\\')
			strbuf__addf(sb, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			strbuf__addf(sb, "\\u%04x", c);
		else if (size == 2 && c == 0xc2 && (u8)s[1] < 0xa0) /* C1 controls: terminals act on some */
			strbuf__addf(sb, "\\u%04x", (u8)s[1]);
		else if (size)
			strbuf__add(sb, s, size);
		else
			strbuf__addstr(sb, UTF8_REPLACEMENT);
	}
	strbuf__addch(sb, '"');
}

void strbuf__add_shell_word(struct strbuf *sb, const char *s)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";

	if (*s && !s[strspn(s, plain)]) {
		strbuf__addstr(sb, s);
		return;
	}
	for (strbuf__addch(sb, '\''); *s; s++)
		strbuf__addstr(sb, *s == '\'' ? "'\\''" : (char[]){ *s, '\0' });
	strbuf__addch(sb, '\'');
}

char *strbuf__detach(struct strbuf *sb)
{
	char *s = sb->alloc ? sb->buf : xstrdup("");

	strbuf__init(sb);
	return s;
}
