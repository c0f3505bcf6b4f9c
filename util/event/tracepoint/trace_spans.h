/* The bytes of a tracepoint's payload that a report depends on. */
#ifndef EVENT_TRACE_SPANS_H
#define EVENT_TRACE_SPANS_H

#include "base/memory/array.h"

struct trace_span {
	u32 offset, size; /* of a field */
	/*
	 * The field is dynamic: a word with a size in its upper half and an offset in its lower half, from
	 * the start of the payload or, if relative, from the end of the word. These bytes are part of the
	 * span.
	 */
	bool is_dynamic, is_relative;
};

typedef ARRAY(struct trace_span) trace_spans;

/* Add the span unless it is there already. */
void trace_spans__add(trace_spans *spans, const struct trace_span *span);
/*
 * Copy the spans that are inside the payload of size bytes to out, of the same size; zero the rest of out.
 * big_endian: the payload's byte order. Return the end of the last byte copied.
 */
size_t trace_spans__cut(const trace_spans *spans, const void *payload, size_t size, bool big_endian,
			void *out);

/* Return a number of 1 to 8 bytes. */
static inline u64 trace_load(const void *p, u32 size, bool big_endian)
{
	const u8 *bytes = p;
	u64 x = 0;

	for (u32 i = 0; i < size; i++)
		x |= (u64)bytes[i] << 8 * (big_endian ? size - 1 - i : i);
	return x;
}

#endif
