/* A payload that is made text, and who knows what its addresses mean. */
#ifndef EVENT_TRACE_WRITER_H
#define EVENT_TRACE_WRITER_H

#include "base/text/strbuf.h"
#include "event/tracepoint/trace_fields.h"

enum { TRACE_TEXT_MAX = 1 << 16 };

/*
 * The name of the function that an address of the kernel is in, and where it starts; NULL: unknown. The text
 * is copied.
 */
typedef const char *(*trace_function_fn)(void *ctx, u64 address, u64 *start);
/* The string at an address of the kernel; NULL: unknown. */
typedef const char *(*trace_string_fn)(void *ctx, u64 address);

struct trace_writer {
	struct trace_payload payload;
	trace_function_fn function; /* NULL: nobody knows */
	void *function_ctx;
	trace_string_fn string;
	void *string_ctx;
	struct strbuf *out;
};

#endif
