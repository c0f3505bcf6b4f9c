/* The fields of a tracepoint, from the text of its format. */
#ifndef EVENT_TRACE_FIELDS_H
#define EVENT_TRACE_FIELDS_H

#include "base/memory/arena.h"
#include "event/tracepoint/trace_header.h"

enum { TRACE_PAYLOAD_MAX = 1 << 16 }; /* bytes: a sample is no longer */

struct trace_field {
	const char *name;
	/*
	 * Bytes of the payload. Of a dynamic field they are one word of 4 bytes: how many bytes the field has
	 * in its upper half, where they are in the lower one, from the start of the payload or, relative,
	 * from the word's end.
	 */
	u32 offset, size;
	bool is_dynamic, is_relative;
	bool is_array; /* as all dynamic ones */
	bool is_text;  /* an array of characters, which ends at a NUL */
	bool is_signed, is_pointer, is_long;
	u32 element_size; /* of arrays, bytes; at least 1 */
};

struct trace_fields {
	ARRAY(struct trace_field) v;
	size_t nr_common; /* the first ones, which all tracepoints have */
};

/*
 * Reads the lines "field:TYPE NAME; offset:N; size:N; signed:N;" of a format. Names are copied to the arena.
 * long_size: of the recorded machine. False when a line is not understood or a field lies in no payload.
 */
bool trace_fields__parse(struct trace_fields *f, const struct trace_text *format, u8 long_size,
			 struct arena *arena);
void trace_fields__exit(struct trace_fields *f);
/* NULL: there is none of this name. */
const struct trace_field *trace_fields__find(const struct trace_fields *f, const char *name);

/* One number: 1, 2, 4 or 8 bytes. */
static inline bool trace_field__is_number(const struct trace_field *f)
{
	return !f->is_array && (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

/* ---- in a payload ---- */

struct trace_payload {
	const u8 *data;
	size_t size;
	bool big_endian;
	u8 long_size; /* bytes */
};

struct trace_bytes { /* data is NULL when there are none */
	const u8 *data;
	size_t size;
};

/* Of a number, as wide as 64 bits; 0 when the payload is too short. */
u64 trace_payload__number(const struct trace_payload *p, const struct trace_field *f);
/* Of any field: those that the payload has. */
struct trace_bytes trace_payload__bytes(const struct trace_payload *p, const struct trace_field *f);

#endif
