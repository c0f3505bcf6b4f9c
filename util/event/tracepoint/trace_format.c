#include "event/tracepoint/trace_format.h"

#include "base/memory/hash.h"
#include "event/tracepoint/trace_piece.h"
#include "event/tracepoint/trace_text.h"

#include <string.h>

enum { FORMAT_MAX = 1 << 18 }; /* bytes; kernels have some of 5 KB */

struct field_piece { /* the part of the print format that shows a field */
	bool is_shown;
	struct trace_piece piece;
};

struct trace_event {
	struct trace_formats *formats;
	struct trace_text text;
	u64 config;
	bool was_read, is_readable;
	bool has_print; /* the print format was understood */
	struct trace_fields fields;
	struct trace_print print;
	struct field_piece *pieces; /* by own field */
};

struct string { /* a string that payloads may point to */
	u64 address;
	const char *text;
};

struct trace_formats {
	void *data;
	struct trace_header header;
	ARRAY(struct trace_event) events;
	struct hash_table by_config;
	ARRAY(struct string) strings;
	struct hash_table by_address;
	struct arena arena; /* of all events */
	trace_function_fn function;
	void *function_ctx;
};

/* ---- all of them ---- */

static struct trace_event *formats__find(const struct trace_formats *f, u64 config)
{
	u32 i;

	hash_table__for_each (&f->by_config, hash__u64(config), i)
		if (f->events.v[i].config == config)
			return &f->events.v[i];
	return NULL;
}

static void formats__list(struct trace_formats *f)
{
	for (size_t i = 0; i < f->header.formats.nr; i++) {
		const struct trace_text *text = &f->header.formats.v[i].text;
		u64 config;

		if (!trace_format__id(text, &config) || formats__find(f, config))
			continue;
		hash_table__insert(&f->by_config, hash__u64(config), (u32)f->events.nr);
		array__add(&f->events,
			   ((struct trace_event){ .formats = f, .text = *text, .config = config }));
	}
}

/*
 * Parse `0xADDRESS : "TEXT"`, or without quotes; escapes in the text stay, except that of a newline at its
 * end.
 */
static void formats__add_string(struct trace_formats *f, char *line)
{
	char *text = strchr(line, ':'), *end;
	u64 address = strtoull(line, &end, 16);
	size_t len;

	if (!text || end == line)
		return;
	text += 1 + strspn(text + 1, " ");
	text += *text == '"';
	len = strlen(text);
	if (len && text[len - 1] == '"')
		text[--len] = '\0';
	if (len >= 2 && !strcmp(text + len - 2, "\\n"))
		text[len - 2] = '\0';
	hash_table__insert(&f->by_address, hash__u64(address), (u32)f->strings.nr);
	array__add(&f->strings, ((struct string){ address, text }));
}

static void formats__list_strings(struct trace_formats *f)
{
	struct trace_text t = f->header.printk;
	char *lines = arena__strndup(&f->arena, t.size ? t.data : "", t.size), *save = NULL;

	for (char *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		formats__add_string(f, line);
}

static const char *formats__string(void *ctx, u64 address)
{
	const struct trace_formats *f = ctx;
	u32 i;

	hash_table__for_each (&f->by_address, hash__u64(address), i)
		if (f->strings.v[i].address == address)
			return f->strings.v[i].text;
	return NULL;
}

int trace_formats__new(struct trace_formats **formats, const void *data, size_t size, struct err *err)
{
	struct trace_formats *f = xcalloc(1, sizeof(*f));
	int ret;

	f->data = xmemdup(data, size + !size);
	ret = trace_header__parse(&f->header, f->data, size);
	if (ret && !f->header.formats.nr) {
		trace_formats__delete(f);
		return err__set(err, ret, "the formats of the tracepoints are damaged");
	}
	formats__list(f);
	formats__list_strings(f);
	*formats = f;
	return 0;
}

void trace_formats__delete(struct trace_formats *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->events.nr; i++) {
		trace_fields__exit(&f->events.v[i].fields);
		trace_print__exit(&f->events.v[i].print);
	}
	array__exit(&f->events);
	hash_table__exit(&f->by_config);
	array__exit(&f->strings);
	hash_table__exit(&f->by_address);
	trace_header__exit(&f->header);
	arena__exit(&f->arena);
	free(f->data);
	free(f);
}

bool trace_formats__big_endian(const struct trace_formats *f)
{
	return f->header.big_endian;
}

void trace_formats__set_functions(struct trace_formats *f, trace_function_fn fn, void *ctx)
{
	f->function = fn;
	f->function_ctx = ctx;
}

/* ---- reading one ---- */

static u8 event__long_size(const struct trace_event *e)
{
	return e->formats->header.long_size == 4 ? 4 : 8;
}

/* An event's own fields follow the common ones. */
static size_t event__nr_own(const struct trace_event *e)
{
	return e->fields.v.nr - e->fields.nr_common;
}

static const struct trace_field *event__own(const struct trace_event *e, size_t nr)
{
	return &e->fields.v.v[e->fields.nr_common + nr];
}

static bool expr__uses(const struct trace_expr *e, const struct trace_field *field)
{
	return e && (e->field == field || expr__uses(e->condition, field) || expr__uses(e->left, field) ||
		     expr__uses(e->right, field));
}

static void event__find_pieces(struct trace_event *e)
{
	e->pieces = arena__zalloc(&e->formats->arena, (event__nr_own(e) + 1) * sizeof(*e->pieces));
	for (size_t i = 0; e->has_print && i < event__nr_own(e); i++) {
		struct field_piece *p = &e->pieces[i];

		if (!trace_piece__find(&p->piece, e->print.format, event__own(e, i)->name))
			continue;
		for (size_t k = 0; k < p->piece.nr_args && p->piece.first_arg + k < e->print.args.nr; k++)
			p->is_shown |= expr__uses(e->print.args.v[p->piece.first_arg + k], event__own(e, i));
	}
}

static void event__read(struct trace_event *e)
{
	struct arena *arena = &e->formats->arena;
	struct trace_text print;
	u8 long_size = event__long_size(e);

	e->was_read = true;
	if (e->text.size > FORMAT_MAX)
		return;
	e->is_readable = trace_fields__parse(&e->fields, &e->text, long_size, arena);
	print = trace_format__value(&e->text, "print fmt");
	print.size =
		/* it may have several lines */
		print.data ? (size_t)(e->text.data + e->text.size - print.data) : 0;
	e->has_print = e->is_readable && print.size &&
		       trace_print__parse(&e->print, &print, &e->fields, long_size, arena);
	if (e->is_readable)
		event__find_pieces(e);
}

struct trace_event *trace_formats__event(struct trace_formats *f, u64 config)
{
	struct trace_event *e = formats__find(f, config);

	if (e && !e->was_read)
		event__read(e);
	return e && e->is_readable ? e : NULL;
}

const struct trace_field *trace_event__fields(const struct trace_event *e, size_t *nr)
{
	*nr = event__nr_own(e);
	return *nr ? e->fields.v.v + e->fields.nr_common : NULL;
}

/* ---- the bytes that texts depend on ---- */

static void spans__add_field(trace_spans *spans, const struct trace_field *f)
{
	const struct trace_span span = { f->offset, f->size, f->is_dynamic, f->is_relative };

	trace_spans__add(spans, &span);
}

static void spans__add_expr(trace_spans *spans, const struct trace_expr *e)
{
	if (!e)
		return;
	if (e->field)
		spans__add_field(spans, e->field);
	spans__add_expr(spans, e->condition);
	spans__add_expr(spans, e->left);
	spans__add_expr(spans, e->right);
}

void trace_event__needs(const struct trace_event *e, trace_spans *spans)
{
	for (size_t i = 0; i < event__nr_own(e); i++)
		spans__add_field(spans, event__own(e, i));
	for (size_t i = 0; e->has_print && i < e->print.args.nr; i++)
		spans__add_expr(spans, e->print.args.v[i]);
}

void trace_event__field_needs(const struct trace_event *e, size_t nr, trace_spans *spans)
{
	const struct field_piece *p = &e->pieces[nr];

	spans__add_field(spans, event__own(e, nr));
	for (size_t k = 0; p->is_shown && k < p->piece.nr_args && p->piece.first_arg + k < e->print.args.nr;
	     k++)
		spans__add_expr(spans, e->print.args.v[p->piece.first_arg + k]);
}

/* ---- text and values ---- */

static struct trace_payload event__payload(const struct trace_event *e, const void *payload, size_t size)
{
	return (struct trace_payload){ payload, size, e->formats->header.big_endian, event__long_size(e) };
}

static struct trace_writer event__writer(const struct trace_event *e, const void *payload, size_t size,
					 struct strbuf *out)
{
	return (struct trace_writer){
		.payload = event__payload(e, payload, size),
		.function = e->formats->function,
		.function_ctx = e->formats->function_ctx,
		.string = formats__string,
		.string_ctx = e->formats,
		.out = out,
	};
}

void trace_event__print(const struct trace_event *e, const void *payload, size_t size, bool raw,
			struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	struct trace_writer w = event__writer(e, payload, size, &text);

	if (!raw && e->has_print) {
		trace_print__write(&e->print, 0, strlen(e->print.format), 0, &w);
	} else {
		strbuf__addstr(&text, raw ? "" : "[FAILED TO PARSE]");
		for (size_t i = 0; i < event__nr_own(e) && text.len < TRACE_TEXT_MAX; i++) {
			strbuf__addf(&text, " %s=", event__own(e, i)->name);
			trace_field__write(event__own(e, i), &w);
		}
	}
	strbuf__add(out, text.buf, text.len);
	strbuf__exit(&text);
}

void trace_event__print_field(const struct trace_event *e, size_t nr, const void *payload, size_t size,
			      bool raw, struct strbuf *out)
{
	const struct field_piece *p = &e->pieces[nr];
	struct strbuf text = STRBUF_INIT;
	struct trace_writer w = event__writer(e, payload, size, &text);

	if (!raw && p->is_shown)
		trace_print__write(&e->print, p->piece.from, p->piece.len, p->piece.first_arg, &w);
	else
		trace_field__write(event__own(e, nr), &w);
	strbuf__add(out, text.buf, text.len);
	strbuf__exit(&text);
}

bool trace_event__number(const struct trace_event *e, size_t nr, const void *payload, size_t size, u64 *value)
{
	struct trace_payload p = event__payload(e, payload, size);
	const struct trace_field *f = event__own(e, nr);

	if (!trace_field__is_number(f) || f->offset + f->size > size)
		return false;
	*value = trace_payload__number(&p, f);
	return true;
}
