/* The fields of a tracepoint, from the text of its format. */
#ifndef EVENT_TRACE_FIELDS_H
#define EVENT_TRACE_FIELDS_H

#include "base/memory/arena.h"
#include "event/tracepoint/trace_header.h"

enum { TRACE_PAYLOAD_MAX = 1 << 16 }; /* bytes: no sample is longer */

struct trace_field {
	const char *name;
	/*
	 * Position in the payload. A dynamic field is a word of 4 bytes: its upper half is the size, its
	 * lower half the offset, from the start of the payload or, if relative, from the end of the word.
	 */
	u32 offset, size;
	bool is_dynamic, is_relative;
	bool is_array; /* also all dynamic ones */
	bool is_text;  /* an array of characters, which ends at a NUL */
	bool is_signed, is_pointer, is_long;
	u32 element_size; /* of arrays, bytes; at least 1 */
};

struct trace_fields {
	ARRAY(struct trace_field) v;
	size_t nr_common; /* the first ones, which all tracepoints have in common */
};

/*
 * Parse the lines "field:TYPE NAME; offset:N; size:N; signed:N;" of a format. Names are copied to the arena.
 * long_size: size of long on the recorded machine. Return false if a line is not understood or a field is
 * outside of any payload.
 */
bool trace_fields__parse(struct trace_fields *f, const struct trace_text *format, u8 long_size,
			 struct arena *arena);
void trace_fields__exit(struct trace_fields *f);
/* Return the field of this name, or NULL. */
const struct trace_field *trace_fields__find(const struct trace_fields *f, const char *name);

/* Is the field one number of 1, 2, 4 or 8 bytes? */
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

struct trace_bytes { /* data is NULL: no bytes */
	const u8 *data;
	size_t size;
};

/* Read a number, extended to 64 bits; 0 if the payload is too short. */
u64 trace_payload__number(const struct trace_payload *p, const struct trace_field *f);
/* Return the bytes of any field, as far as they are in the payload. */
struct trace_bytes trace_payload__bytes(const struct trace_payload *p, const struct trace_field *f);

#endif
