/* Which bytes of a tracepoint's payload matter. */
#ifndef EVENT_TRACE_SPANS_H
#define EVENT_TRACE_SPANS_H

#include "base/memory/array.h"

struct trace_span {
	u32 offset, size; /* of a field */
	/*
	 * The field is dynamic: a word of which the upper half is a number of bytes, and the lower one where
	 * they are, from the payload's start or, relative, from the word's end. They matter, too.
	 */
	bool is_dynamic, is_relative;
};

typedef ARRAY(struct trace_span) trace_spans;

/* Adds the span unless it is there. */
void trace_spans__add(trace_spans *spans, const struct trace_span *span);
/*
 * Copies the spans, as far as they are in the payload of size bytes, to out, which has as many; the rest of
 * out becomes 0. big_endian: the payload's byte order. Returns where the last byte that matters ends.
 */
size_t trace_spans__cut(const trace_spans *spans, const void *payload, size_t size, bool big_endian,
			void *out);

/* A number of 1 to 8 bytes. */
static inline u64 trace_load(const void *p, u32 size, bool big_endian)
{
	const u8 *bytes = p;
	u64 x = 0;

	for (u32 i = 0; i < size; i++)
		x |= (u64)bytes[i] << 8 * (big_endian ? size - 1 - i : i);
	return x;
}

#endif
