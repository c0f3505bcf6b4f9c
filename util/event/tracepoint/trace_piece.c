#include "event/tracepoint/trace_piece.h"

#include "event/tracepoint/trace_lex.h"
#include "event/tracepoint/trace_text.h"

#include <string.h>

/* Return the length of the label with the name at p, or 0. */
static size_t label_length(const char *p, const char *name)
{
	size_t len = strlen(name);

	if (!len || strncmp(p, name, len))
		return 0;
	if (p[len] == '=' || p[len] == ' ')
		return len + 1;
	return p[len] == ':' ? len + 1 + (p[len + 1] == ' ') : 0;
}

/* A character, or a conversion. */
static size_t step(const char *p, u32 *nr_args)
{
	struct trace_conversion c;

	if (*p != '%')
		return 1;
	c = trace_conversion__at(p, 8);
	*nr_args += c.nr_args;
	return c.len;
}

/* The value after the label at p->from. */
static bool piece__read(struct trace_piece *p, const char *format)
{
	const char *start = format + p->from, *end = start;

	while (*end && *end != ' ')
		end += step(end, &p->nr_args);
	p->len = (size_t)(end - start);
	p->len -= p->nr_args && strchr(",;", end[-1]);
	return p->nr_args;
}

bool trace_piece__find(struct trace_piece *p, const char *format, const char *name)
{
	char before = ' ';
	u32 arg = 0;

	for (const char *at = format; *at;) {
		size_t label = trace_is_name_char(before) ? 0 : label_length(at, name);
		u32 first = arg;

		*p = (struct trace_piece){ .from = (size_t)(at - format) + label, .first_arg = arg };
		if (label && piece__read(p, format))
			return true;
		before = *at;
		at += step(at, &arg);
		before = arg > first ? 'x' : before;
	}
	return false;
}
