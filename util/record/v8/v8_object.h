/*
 * Objects on the heap of V8: their types and their texts. An object is a tagged address: 1 more than where it
 * is. The collector may move objects while they are read, so a type is one only if its map is one.
 */
#ifndef RECORD_V8_OBJECT_H
#define RECORD_V8_OBJECT_H

#include "base/text/strbuf.h"
#include "record/v8/v8_layout.h"

struct v8_heap {
	const struct v8_layout *l;
	const struct vm_memory *m; /* by pages */
};

static inline bool v8__is_object(u64 word)
{
	return (word & 3) == 1;
}

/* Read the word at an offset of an object. */
static inline bool v8_heap__word(const struct v8_heap *h, u64 object, u64 offset, u64 *word)
{
	return vm_memory__u64(h->m, object - 1 + offset, word);
}

/* Read the small integer at an offset. Return false, and leave *value, if there is none. */
bool v8_heap__smi(const struct v8_heap *h, u64 object, u64 offset, s32 *value);
/* Read the instance type. Return false if it is no object. */
bool v8_heap__type(const struct v8_heap *h, u64 object, u16 *type);
bool v8_heap__is(const struct v8_heap *h, u64 object, enum v8_type type);
/* Read the object of this type at an offset. */
bool v8_heap__object(const struct v8_heap *h, u64 object, u64 offset, enum v8_type type, u64 *to);

/* The characters of a text, in one piece. */
struct v8_text {
	u64 chars;    /* address of the first */
	u32 nr;       /* characters */
	bool is_wide; /* of 2 bytes each, UTF-16; else 1: ISO 8859-1 */
};

bool v8_heap__is_text(const struct v8_heap *h, u64 object);
/* Find the characters. Return false if it is no text, or if it is in several pieces. */
bool v8_heap__text(const struct v8_heap *h, u64 object, struct v8_text *t);
/*
 * Append a text as UTF-8, at most 1,024 characters; NULs become spaces. Return false, maybe with a part of it
 * appended, if it cannot be read or is longer.
 */
bool v8_heap__add_text(const struct v8_heap *h, u64 object, struct strbuf *out);

#endif
