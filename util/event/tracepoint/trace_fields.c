#include "event/tracepoint/trace_fields.h"

#include "event/tracepoint/trace_lex.h"
#include "event/tracepoint/trace_spans.h"

#include <ctype.h>
#include <string.h>

/* ---- lines ---- */

/* Return the text after key up to the next ';' of a line, or NULL. */
static struct trace_text line__value(const struct trace_text *line, const char *key)
{
	size_t key_len = strlen(key);
	const char *end = line->data + line->size, *p = line->data, *semicolon;

	for (; (size_t)(end - p) > key_len; p++) {
		if (memcmp(p, key, key_len))
			continue;
		p += key_len;
		semicolon = memchr(p, ';', (size_t)(end - p));
		return (struct trace_text){ p, (size_t)((semicolon ? semicolon : end) - p) };
	}
	return (struct trace_text){ NULL, 0 };
}

/* Decimal digits only, at most max. */
static bool line__number(const struct trace_text *line, const char *key, u32 max, u32 *value)
{
	struct trace_text t = line__value(line, key);
	u64 x = 0;

	for (size_t i = 0; i < t.size; i++) {
		if (!isdigit((unsigned char)t.data[i]))
			return false;
		x = x * 10 + (u64)(t.data[i] - '0');
		if (x > max)
			return false;
	}
	*value = (u32)x;
	return t.size;
}

/* ---- declarations ---- */

/* Cut the name, and the array's brackets after it, off the end of a declaration. */
static struct trace_text decl__take_name(struct trace_text *decl, struct trace_text *brackets)
{
	const char *bracket;
	size_t end = decl->size;

	while (end && decl->data[end - 1] == ' ')
		end--;
	*brackets = (struct trace_text){ NULL, 0 };
	if (end && decl->data[end - 1] == ']' && (bracket = memchr(decl->data, '[', end)) &&
	    bracket > decl->data && trace_is_name_char(bracket[-1])) {
		*brackets = (struct trace_text){ bracket + 1, (size_t)(decl->data + end - 1 - bracket - 1) };
		end = (size_t)(bracket - decl->data);
	}
	decl->size = end;
	while (decl->size && trace_is_name_char(decl->data[decl->size - 1]))
		decl->size--;
	return (struct trace_text){ decl->data + decl->size, end - decl->size };
}

static bool type__has(const char *type, const char *word)
{
	return strstr(type, word) != NULL;
}

static u32 type__element_size(const char *type, u8 long_size)
{
	static const struct {
		const char *word;
		u32 size;
	} sizes[] = {
		{ "char", 1 }, { "u8", 1 },  { "s8", 1 },  { "u16", 2 },  { "short", 2 }, { "u32", 4 },
		{ "s32", 4 },  { "u64", 8 }, { "s64", 8 }, { "long", 0 }, { "int", 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (type__has(type, sizes[i].word))
			return sizes[i].size ? sizes[i].size : long_size;
	return 1;
}

/* Parse the number of elements, if the brackets contain a number. */
static u32 brackets__count(const struct trace_text *brackets)
{
	u32 nr = 0;

	for (size_t i = 0;
	     i < brackets->size && isdigit((unsigned char)brackets->data[i]) && nr < TRACE_PAYLOAD_MAX; i++)
		nr = nr * 10 + (u32)(brackets->data[i] - '0');
	return nr;
}

static void field__set_type(struct trace_field *f, const char *type, const struct trace_text *brackets,
			    u8 long_size)
{
	u32 nr = brackets__count(brackets);

	f->is_dynamic = type__has(type, "__data_loc") || type__has(type, "__rel_loc");
	f->is_relative = type__has(type, "__rel_loc");
	f->is_array = f->is_dynamic || brackets->data;
	f->is_text =
		f->is_array && (type__has(type, "char") || type__has(type, "u8") || type__has(type, "s8"));
	f->is_pointer = type__has(type, "*");
	f->is_long = type__has(type, "long");
	f->element_size = nr && !f->is_dynamic ? f->size / nr : type__element_size(type, long_size);
	f->element_size = MAX(f->element_size, 1u);
}

static bool field__parse(struct trace_field *f, const struct trace_text *line, u8 long_size,
			 struct arena *arena)
{
	struct trace_text decl = line__value(line, "field:"), brackets, name;
	u32 is_signed = 0;
	char *type;

	if (!decl.size || !line__number(line, "offset:", TRACE_PAYLOAD_MAX, &f->offset) ||
	    !line__number(line, "\tsize:", TRACE_PAYLOAD_MAX - f->offset, &f->size))
		return false;
	(void)line__number(line, "signed:", 1, &is_signed); /* old kernels do not write it */
	name = decl__take_name(&decl, &brackets);
	if (!name.size)
		return false;
	f->name = arena__strndup(arena, name.data, name.size);
	f->is_signed = is_signed;
	type = arena__strndup(arena, decl.data, decl.size);
	field__set_type(f, type, &brackets, long_size);
	return !f->is_dynamic || f->size == 4;
}

bool trace_fields__parse(struct trace_fields *f, const struct trace_text *format, u8 long_size,
			 struct arena *arena)
{
	const char *p = format->data, *end = format->data + format->size;

	*f = (struct trace_fields){ .nr_common = 0 };
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		struct trace_text line = { p, (size_t)((newline ? newline : end) - p) };
		struct trace_field field = { 0 };

		p = newline ? newline + 1 : end;
		if (line.size < 7 || memcmp(line.data, "\tfield:", 7))
			continue;
		if (!field__parse(&field, &line, long_size, arena))
			return false;
		f->nr_common += f->nr_common == f->v.nr && !strncmp(field.name, "common_", 7);
		array__add(&f->v, field);
	}
	return true;
}

void trace_fields__exit(struct trace_fields *f)
{
	array__exit(&f->v);
}

const struct trace_field *trace_fields__find(const struct trace_fields *f, const char *name)
{
	for (size_t i = 0; i < f->v.nr; i++)
		if (!strcmp(f->v.v[i].name, name))
			return &f->v.v[i];
	return NULL;
}

/* ---- payloads ---- */

u64 trace_payload__number(const struct trace_payload *p, const struct trace_field *f)
{
	u32 size = MIN(f->size, 8u);
	u64 x;

	if (!size || (u64)f->offset + size > p->size)
		return 0;
	x = trace_load(p->data + f->offset, size, p->big_endian);
	if (f->is_signed && size < 8 && x >> (8 * size - 1))
		x |= UINT64_MAX << 8 * size;
	return x;
}

static struct trace_bytes payload__part(const struct trace_payload *p, u64 offset, u64 size)
{
	if (offset >= p->size)
		return (struct trace_bytes){ NULL, 0 };
	return (struct trace_bytes){ p->data + offset, (size_t)MIN(size, p->size - offset) };
}

struct trace_bytes trace_payload__bytes(const struct trace_payload *p, const struct trace_field *f)
{
	u64 word;

	if (!f->is_dynamic)
		return payload__part(p, f->offset, f->size);
	if ((u64)f->offset + f->size > p->size)
		return (struct trace_bytes){ NULL, 0 };
	word = trace_load(p->data + f->offset, f->size, p->big_endian);
	return payload__part(p, (word & 0xffff) + (f->is_relative ? f->offset + f->size : 0),
			     word >> 16 & 0xffff);
}
