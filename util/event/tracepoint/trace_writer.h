/* A payload, and the functions that name its addresses. */
#ifndef EVENT_TRACE_WRITER_H
#define EVENT_TRACE_WRITER_H

#include "base/text/strbuf.h"
#include "event/tracepoint/trace_fields.h"

enum { TRACE_TEXT_MAX = 1 << 16 };

/*
 * Return the name and the start of the function that contains a kernel address; NULL: unknown. The text is
 * copied.
 */
typedef const char *(*trace_function_fn)(void *ctx, u64 address, u64 *start);
/* Return the string at a kernel address; NULL: unknown. */
typedef const char *(*trace_string_fn)(void *ctx, u64 address);

struct trace_writer {
	struct trace_payload payload;
	trace_function_fn function; /* NULL: addresses are shown as numbers */
	void *function_ctx;
	trace_string_fn string;
	void *string_ctx;
	struct strbuf *out;
};

#endif
