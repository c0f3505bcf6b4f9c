#include "event/trace_spans.h"

#include <string.h>

void trace_spans__add(trace_spans *spans, const struct trace_span *span)
{
	for (size_t i = 0; i < spans->nr; i++)
		if (spans->v[i].offset == span->offset && spans->v[i].size == span->size)
			return;
	array__add(spans, *span);
}

static void copy(const u8 *payload, size_t total, u64 offset, u64 size, u8 *out)
{
	if (offset < total)
		memcpy(out + offset, payload + offset, (size_t)MIN(size, total - offset));
}

void trace_spans__cut(const trace_spans *spans, const void *payload, size_t size, bool big_endian, void *out)
{
	memset(out, 0, size);
	for (size_t i = 0; i < spans->nr; i++) {
		const struct trace_span *s = &spans->v[i];
		u64 end = (u64)s->offset + s->size, word;

		copy(payload, size, s->offset, s->size, out);
		if (!s->is_dynamic || s->size > 8 || end > size)
			continue;
		word = trace_load((const u8 *)payload + s->offset, s->size, big_endian);
		copy(payload, size, (word & 0xffff) + (s->is_relative ? end : 0), word >> 16 & 0xffff, out);
	}
}
