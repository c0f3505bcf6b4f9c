#include "event/tracepoint/trace_spans.h"

#include <string.h>

void trace_spans__add(trace_spans *spans, const struct trace_span *span)
{
	for (size_t i = 0; i < spans->nr; i++)
		if (spans->v[i].offset == span->offset && spans->v[i].size == span->size)
			return;
	array__add(spans, *span);
}

/* Return the end of the copied bytes. */
static size_t copy(const u8 *payload, size_t total, u64 offset, u64 size, u8 *out)
{
	u64 end = MIN(offset + size, total);

	if (offset >= end)
		return 0;
	memcpy(out + offset, payload + offset, (size_t)(end - offset));
	return (size_t)end;
}

size_t trace_spans__cut(const trace_spans *spans, const void *payload, size_t size, bool big_endian,
			void *out)
{
	size_t used = 0, to;

	memset(out, 0, size);
	for (size_t i = 0; i < spans->nr; i++) {
		const struct trace_span *s = &spans->v[i];
		u64 end = (u64)s->offset + s->size, word;

		to = copy(payload, size, s->offset, s->size, out);
		used = MAX(used, to);
		if (!s->is_dynamic || s->size > sizeof(word) || end > size)
			continue;
		word = trace_load((const u8 *)payload + s->offset, s->size, big_endian);
		to = copy(payload, size, (word & 0xffff) + (s->is_relative ? end : 0), word >> 16 & 0xffff,
			  out);
		used = MAX(used, to);
	}
	return used;
}
