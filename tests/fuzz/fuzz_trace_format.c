/* Formats of tracepoints, as a recording carries them, and payloads to be printed by them. */
#include "event/tracepoint/trace_format.h"
#include "fuzz.h"

enum { PAYLOAD_MAX = 256, IDS = 64 };

static void print(const struct trace_event *e, const uint8_t *payload, size_t size)
{
	struct strbuf out = STRBUF_INIT;
	size_t nr;
	u64 value;

	trace_event__print(e, payload, size, false, &out);
	trace_event__print(e, payload, size, true, &out);
	trace_event__fields(e, &nr);
	for (size_t i = 0; i < nr; i++) {
		trace_spans spans = { 0 };

		trace_event__print_field(e, i, payload, size, false, &out);
		trace_event__number(e, i, payload, size, &value);
		trace_event__field_needs(e, i, &spans);
		array__exit(&spans);
	}
	fuzz__touch(out.buf, out.len);
	strbuf__exit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t payload = MIN(size / 2, (size_t)PAYLOAD_MAX);
	struct trace_formats *f;

	if (trace_formats__new(&f, data, size, NULL))
		return 0;
	for (u64 id = 0; id < IDS; id++) {
		const struct trace_event *e = trace_formats__event(f, id);

		if (e)
			print(e, data + size - payload, payload);
	}
	trace_formats__delete(f);
	return 0;
}
