/*
 * The text of a payload by a print format: what printf would make of it, with the conversions that only the
 * kernel has (%pS, %pI4, %pU ...). A text ends soon after TRACE_TEXT_MAX bytes.
 */
#ifndef EVENT_TRACE_TEXT_H
#define EVENT_TRACE_TEXT_H

#include "event/tracepoint/trace_expr.h"
#include "event/tracepoint/trace_writer.h"

/* One conversion of a format: at '%'. */
struct trace_conversion {
	size_t len;      /* all of it */
	u32 nr_args;     /* of the format's arguments; 0: "%%" */
	char kind;       /* the letter, 'p' for all pointers; 0: none that is known */
	const char *sub; /* behind 'p' */
	char flags[8];
	int width, precision;          /* -1: none */
	bool width_arg, precision_arg; /* are arguments */
	int size;                      /* of numbers: bytes */
};
struct trace_conversion trace_conversion__at(const char *p, u8 long_size);

/* Appends the text of len bytes of the format; first: the argument of its first conversion. */
void trace_print__write(const struct trace_print *print, size_t from, size_t len, size_t first,
			const struct trace_writer *w);
/* Appends a field's plain value, whatever the format says of it. */
void trace_field__write(const struct trace_field *f, const struct trace_writer *w);

#endif
