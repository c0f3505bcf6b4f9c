#include "event/tracepoint/trace_text.h"

#include "base/text/utf8.h"
#include "event/tracepoint/trace_pointer.h"
#include "event/tracepoint/trace_spans.h"

#include <ctype.h>
#include <string.h>

enum { WIDTH_MAX = 999 };
#define NOT_TEXT SIZE_MAX

typedef unsigned long long ull;

/* ---- conversions ---- */

/* Parse a number, or '*'. -1: none. */
static int read_number(const char **p, bool *is_arg)
{
	int x = -1;

	*is_arg = **p == '*';
	*p += *is_arg;
	for (; !*is_arg && isdigit((unsigned char)**p); ++*p)
		x = MIN(MAX(x, 0) * 10 + (**p - '0'), WIDTH_MAX);
	return x;
}

static int read_size(const char **p, u8 long_size)
{
	static const struct {
		char text[3];
		int size;
	} sizes[] = {
		{ "hh", 1 }, { "h", 2 }, { "ll", 8 }, { "l", 0 }, { "L", 8 },
		{ "q", 8 },  { "j", 8 }, { "z", 0 },  { "t", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (!strncmp(*p, sizes[i].text, strlen(sizes[i].text))) {
			*p += strlen(sizes[i].text);
			return sizes[i].size ? sizes[i].size : long_size;
		}
	return 4;
}

struct trace_conversion trace_conversion__at(const char *start, u8 long_size)
{
	struct trace_conversion c = { .precision = -1 };
	const char *p = start + 1;
	size_t nr_flags = strspn(p, "-+ #0");

	memcpy(c.flags, p, MIN(nr_flags, sizeof(c.flags) - 1));
	p += nr_flags;
	c.width = read_number(&p, &c.width_arg);
	if (*p == '.') {
		p++;
		c.precision = read_number(&p, &c.precision_arg);
		c.precision = MAX(c.precision, 0);
	}
	c.size = read_size(&p, long_size);
	if (*p && strchr("diuoxXcsp%", *p))
		c.kind = *p++;
	c.sub = p;
	if (c.kind == 'p')
		while (isalnum((unsigned char)*p))
			p++;
	c.len = (size_t)(p - start);
	c.nr_args = c.kind == '%' || !c.kind ? 0 : 1u + c.width_arg + c.precision_arg;
	return c;
}

/* ---- texts ---- */

static void add_flags(struct strbuf *out, const struct trace_expr *e, u64 value)
{
	bool first = true;

	for (u32 i = 0; i < e->nr_names; i++) {
		const struct trace_name *n = &e->names[i];

		if (!n->is_known || (n->value & value) != n->value || (!n->value && value))
			continue;
		if (!n->value && !first)
			continue;
		strbuf__addf(out, "%s%s", first ? "" : e->text, n->text);
		first = false;
		value &= ~n->value;
	}
	if (value)
		strbuf__addf(out, "%s0x%llx", first ? "" : e->text, (ull)value);
}

static void add_symbol(struct strbuf *out, const struct trace_expr *e, u64 value, u64 shown)
{
	for (u32 i = 0; i < e->nr_names; i++)
		if (e->names[i].is_known && e->names[i].value == value) {
			strbuf__addstr(out, e->names[i].text);
			return;
		}
	strbuf__addf(out, "0x%llx", (ull)shown);
}

static void add_hex(struct strbuf *out, struct trace_bytes b, u64 nr, const char *between)
{
	for (size_t i = 0; i < MIN(nr, b.size) && out->len < TRACE_TEXT_MAX; i++)
		strbuf__addf(out, "%s%02x", i ? between : "", b.data[i]);
}

static void add_ints(struct strbuf *out, const struct trace_payload *p, struct trace_bytes b, u64 nr,
		     u64 size)
{
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return;
	for (size_t i = 0; i < MIN(nr, b.size / size) && out->len < TRACE_TEXT_MAX; i++)
		strbuf__addf(out, "%s%llu", i ? " " : "",
			     (ull)trace_load(b.data + i * size, (u32)size, p->big_endian));
}

/* An array of characters, up to a NUL. */
static void add_chars(struct strbuf *out, struct trace_bytes b)
{
	if (b.size)
		strbuf__add(out, b.data, strnlen((const char *)b.data, b.size));
}

static void expr__add_text(const struct trace_expr *e, const struct trace_writer *w, struct strbuf *out);

/* The string at a pointer, if the recording has it. */
static void add_string_at(const struct trace_writer *w, u64 address, struct strbuf *out)
{
	const char *text = w->string ? w->string(w->string_ctx, address) : NULL;

	if (text)
		strbuf__addstr(out, text);
	else
		strbuf__addf(out, "%llx", (ull)address);
}

static void expr__add_text(const struct trace_expr *e, const struct trace_writer *w, struct strbuf *out)
{
	const struct trace_payload *p = &w->payload;

	switch (e->kind) {
	case TRACE_TEXT:
		strbuf__addstr(out, e->text);
		break;
	case TRACE_FIELD:
		if (e->field->is_array)
			add_chars(out, trace_payload__bytes(p, e->field));
		else
			add_string_at(w, trace_expr__value(e, p), out);
		break;
	case TRACE_CAST:
		expr__add_text(e->right, w, out);
		break;
	case TRACE_CHOICE:
		expr__add_text(trace_expr__value(e->condition, p) ? e->left : e->right, w, out);
		break;
	case TRACE_FLAGS:
		add_flags(out, e, trace_expr__narrow_value(e->left, p));
		break;
	case TRACE_SYMBOL:
		add_symbol(out, e, trace_expr__value(e->left, p), trace_expr__narrow_value(e->left, p));
		break;
	case TRACE_HEX:
		add_hex(out, trace_expr__bytes(e->left, p), trace_expr__value(e->right, p), e->text);
		break;
	case TRACE_INTS:
		add_ints(out, p, trace_expr__bytes(e->left, p), trace_expr__value(e->condition, p),
			 trace_expr__value(e->right, p));
		break;
	case TRACE_BITMASK:
		trace_pointer__add_bitmask(out, p, trace_payload__bytes(p, e->field));
		break;
	case TRACE_CPUMASK:
		trace_pointer__add_bit_list(out, p, trace_payload__bytes(p, e->field), UINT64_MAX);
		break;
	default:
		strbuf__addf(out, "0x%llx", (ull)trace_expr__value(e, p));
		break;
	}
}

/* ---- one conversion ---- */

static void add_padded(const struct trace_conversion *c, const struct strbuf *text, struct strbuf *out)
{
	size_t len = c->precision >= 0 ? MIN(text->len, (size_t)c->precision) : text->len;
	size_t pad = c->width > 0 && (size_t)c->width > len ? (size_t)c->width - len : 0;
	bool left = strchr(c->flags, '-');

	strbuf__addchars(out, ' ', left ? 0 : pad);
	strbuf__add(out, text->buf, len);
	strbuf__addchars(out, ' ', left ? pad : 0);
}

static void write_text(const struct trace_conversion *c, const struct trace_expr *e,
		       const struct trace_writer *w)
{
	struct strbuf text = STRBUF_INIT;

	expr__add_text(e, w, &text);
	add_padded(c, &text, w->out);
	strbuf__exit(&text);
}

static void write_number(const struct trace_conversion *c, const struct trace_expr *e,
			 const struct trace_writer *w)
{
	u64 x = trace_expr__value(e, &w->payload);
	bool is_signed = c->kind == 'd' || c->kind == 'i';
	struct strbuf format = STRBUF_INIT;

	if (c->size < 8)
		x = is_signed ? (u64)((s64)(x << (64 - 8 * c->size)) >> (64 - 8 * c->size))
			      : x & ((1ull << 8 * c->size) - 1);
	strbuf__addf(&format, "%%%s", c->flags);
	if (c->width >= 0)
		strbuf__addf(&format, "%d", c->width);
	if (c->precision >= 0)
		strbuf__addf(&format, ".%d", c->precision);
	strbuf__addf(&format, "ll%c", c->kind);
	strbuf__addf(w->out, format.buf, (ull)x);
	strbuf__exit(&format);
}

static void write_char(const struct trace_conversion *c, const struct trace_expr *e,
		       const struct trace_writer *w)
{
	char x = (char)trace_expr__value(e, &w->payload);
	struct strbuf text = STRBUF_INIT;

	if (x)
		strbuf__addch(&text, x);
	add_padded(c, &text, w->out);
	strbuf__exit(&text);
}

static void write_pointer(const struct trace_conversion *c, const struct trace_expr *e, u64 nr,
			  const struct trace_writer *w)
{
	struct strbuf text = STRBUF_INIT;

	trace_pointer__add(&text, c->sub, e, nr, w);
	add_padded(c, &text, w->out);
	strbuf__exit(&text);
}

static void conversion__write(struct trace_conversion c, const struct trace_print *print, size_t arg,
			      const struct trace_writer *w)
{
	const struct trace_expr *e;
	u64 width = 0, precision;

	if (c.nr_args > print->args.nr || arg > print->args.nr - c.nr_args)
		return; /* the format has more conversions than arguments */
	if (c.width_arg)
		width = trace_expr__value(print->args.v[arg++], &w->payload);
	if (c.width_arg && c.kind != 'p')
		c.width = (int)MIN(width, (u64)WIDTH_MAX);
	if (c.precision_arg) {
		precision = trace_expr__value(print->args.v[arg++], &w->payload);
		c.precision = (int)MIN(precision, (u64)TRACE_TEXT_MAX);
	}
	e = print->args.v[arg];
	if (c.kind == 's')
		write_text(&c, e, w);
	else if (c.kind == 'p')
		write_pointer(&c, e, c.width_arg ? width : UINT64_MAX, w);
	else if (c.kind == 'c')
		write_char(&c, e, w);
	else
		write_number(&c, e, w);
}

void trace_print__write(const struct trace_print *print, size_t from, size_t len, size_t arg,
			const struct trace_writer *w)
{
	const char *p = print->format + from, *end = p + len;

	while (p < end && w->out->len < TRACE_TEXT_MAX) {
		struct trace_conversion c;

		if (*p != '%') {
			strbuf__addch(w->out, *p++);
			continue;
		}
		c = trace_conversion__at(p, w->payload.long_size);
		if (c.nr_args)
			conversion__write(c, print, arg, w);
		else if (c.kind)
			strbuf__addch(w->out, '%');
		else
			strbuf__add(w->out, p, c.len);
		arg += c.nr_args;
		p += c.len;
	}
}

/* ---- plain values ---- */

/* Is this the beginning of a UTF-8 character, and nothing more? */
static bool is_cut_character(const char *text)
{
	const u8 *s = (const u8 *)text;
	size_t nr = strlen(text), whole = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	for (size_t i = 1; i < nr; i++)
		if ((s[i] & 0xc0) != 0x80)
			return false;
	return s[0] >= 0xc2 && s[0] < 0xf5 && nr < whole;
}

/*
 * Return how many bytes at the start are text: UTF-8 without control characters but blanks, up to a NUL. If
 * the text fills a field of fixed size, its last character may be cut, as in names of threads, and does not
 * count. NOT_TEXT: it is something else.
 */
static size_t text_size(struct trace_bytes b, bool is_fixed)
{
	struct strbuf text = STRBUF_INIT; /* ends in NUL, for utf8__size */
	size_t i = 0, len = 1, size = b.size ? strnlen((const char *)b.data, b.size) : 0;

	while (i < size && (isprint(b.data[i]) || isspace(b.data[i])))
		i++;
	if (i == size) /* nearly always */
		return size;
	strbuf__add(&text, b.data, size);
	while (i < text.len && len) {
		const u8 *c = (const u8 *)text.buf + i;

		len = utf8__size(text.buf + i);
		if (len == 1 && !isprint(*c) && !isspace(*c))
			len = 0;
		if (len == 2 && c[0] == 0xc2 && c[1] < 0xa0) /* C1 controls */
			len = 0;
		i += len;
	}
	if (!len && !(is_fixed && text.len + 1 >= b.size && is_cut_character(text.buf + i)))
		i = NOT_TEXT;
	strbuf__exit(&text);
	return i;
}

static void field__write_array(const struct trace_field *f, const struct trace_writer *w)
{
	struct trace_bytes b = trace_payload__bytes(&w->payload, f);
	size_t size;

	if (f->is_text && (size = text_size(b, !f->is_dynamic)) != NOT_TEXT) {
		strbuf__add(w->out, b.size ? (const void *)b.data : "", size);
		return;
	}
	strbuf__addstr(w->out, "ARRAY[");
	for (size_t i = 0; i < b.size && w->out->len < TRACE_TEXT_MAX; i++)
		strbuf__addf(w->out, "%s%02x", i ? ", " : "", b.data[i]);
	strbuf__addstr(w->out, "]");
}

void trace_field__write(const struct trace_field *f, const struct trace_writer *w)
{
	u64 x = trace_payload__number(&w->payload, f);

	if (f->is_array)
		field__write_array(f, w);
	else if (f->is_pointer || (f->is_long && !f->is_signed))
		strbuf__addf(w->out, "0x%llx", (ull)x);
	else if (f->is_signed)
		strbuf__addf(w->out, "%*lld", f->size == 2 ? 2 : 1, (long long)x);
	else
		strbuf__addf(w->out, "%llu", (ull)x);
}
