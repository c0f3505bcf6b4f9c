/*
 * A payload as text by a print format: as printf would print it, with the conversions that only the kernel
 * has (%pS, %pI4, %pU ...). A text ends soon after TRACE_TEXT_MAX bytes.
 */
#ifndef EVENT_TRACE_TEXT_H
#define EVENT_TRACE_TEXT_H

#include "event/tracepoint/trace_expr.h"
#include "event/tracepoint/trace_writer.h"

/* One conversion of a format: at '%'. */
struct trace_conversion {
	size_t len;      /* all of it */
	u32 nr_args;     /* of the format's arguments; 0: "%%" */
	char kind;       /* the letter, 'p' for all pointers; 0: unknown */
	const char *sub; /* after 'p' */
	char flags[8];
	int width, precision;          /* -1: none */
	bool width_arg, precision_arg; /* are arguments */
	int size;                      /* of numbers: bytes */
};
struct trace_conversion trace_conversion__at(const char *p, u8 long_size);

/* Append the text of len bytes of the format; first: index of its first argument. */
void trace_print__write(const struct trace_print *print, size_t from, size_t len, size_t first,
			const struct trace_writer *w);
/* Append a field's plain value, ignoring the format. */
void trace_field__write(const struct trace_field *f, const struct trace_writer *w);

#endif
