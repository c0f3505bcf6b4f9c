#include "record/v8/v8_code.h"

#include "base/memory/hash.h"
#include "record/v8/v8_function.h"

enum {
	ALIGNMENT = 64,      /* bytes, of instructions */
	SCAN_MAX = 128 << 10 /* bytes of instructions before an address */
};

static u64 field(const struct v8_heap *h, enum v8_field f)
{
	return (u64)h->l->at[f];
}

/* Read the object that tells about the instructions after a head. They may be in one object (V8 10). */
static bool find_object(const struct v8_heap *h, u64 head, u64 *object)
{
	u64 start;

	*object = head + 1;
	if (h->l->types[V8_STREAM] < 0)
		return v8_heap__is(h, head + 1, V8_CODE);
	return v8_heap__is(h, head + 1, V8_STREAM) && v8_heap__object(h, head + 1, 8, V8_CODE, object) &&
	       v8_heap__word(h, *object, field(h, V8_CODE_START), &start) &&
	       start == head + field(h, V8_STREAM_SIZE);
}

static bool read_identity(const struct v8_heap *h, u64 head, u64 object, u64 *identity)
{
	u64 words[3];

	if (!v8_heap__word(h, head + 1, 0, &words[0]) || !v8_heap__word(h, head + 1, 8, &words[1]) ||
	    !v8_heap__word(h, object, field(h, V8_CODE_DATA), &words[2]))
		return false;
	*identity = hash__u64(words[0] ^ hash__u64(words[1] ^ hash__u64(words[2])));
	return true;
}

/* Find the function of optimized code. */
static bool find_shared(const struct v8_heap *h, u64 data, u64 *shared)
{
	s32 nr, index = h->l->at[V8_SHARED_INDEX];
	u64 word;

	if ((!v8_heap__is(h, data, V8_FIXED_ARRAY) && !v8_heap__is(h, data, V8_TRUSTED_ARRAY) &&
	     !v8_heap__is(h, data, V8_PROTECTED_ARRAY)) ||
	    !v8_heap__smi(h, data, V8_ARRAY_LENGTH, &nr) || index >= nr ||
	    !v8_heap__word(h, data, V8_ARRAY_DATA + 8 * (u64)index, &word))
		return false;
	if (v8_heap__is(h, word, V8_WRAPPER) && !v8_heap__word(h, word, 8, &word))
		return false;
	*shared = word;
	return v8_heap__is(h, word, V8_SHARED);
}

static bool read_code(struct v8_code *c, const struct v8_heap *h, u64 head)
{
	u64 object, data;
	u32 size, flags;
	s32 kind, baseline = h->l->at[V8_BASELINE_KIND];

	*c = (struct v8_code){ .kind = V8_CODE_OTHER };
	if (!find_object(h, head, &object) ||
	    !vm_memory__read(h->m, object - 1 + field(h, V8_CODE_SIZE), &size, sizeof(size)) ||
	    !vm_memory__read(h->m, object - 1 + field(h, V8_CODE_FLAGS), &flags, sizeof(flags)) ||
	    !v8_heap__word(h, object, field(h, V8_CODE_DATA), &data) ||
	    !read_identity(h, head, object, &c->identity))
		return false;
	c->head = head;
	c->begin = head + field(h, V8_STREAM_SIZE);
	c->end = c->begin + size;
	kind = (s32)(flags & V8_KIND_MASK);
	if (kind == baseline) {
		c->kind = V8_CODE_BASELINE;
		return v8_data__bytecodes(h, data, &c->bytecodes);
	}
	if (kind > baseline) {
		c->kind = V8_CODE_OPTIMIZED;
		return find_shared(h, data, &c->shared);
	}
	return true;
}

bool v8_code__find(struct v8_code *c, const struct v8_heap *h, u64 addr)
{
	u64 begin = addr - addr % ALIGNMENT, size = field(h, V8_STREAM_SIZE), word;

	for (u64 back = 0; back < SCAN_MAX && back + size <= begin; back += ALIGNMENT) {
		u64 head = begin - back - size;

		if (!vm_memory__u64(h->m, head, &word))
			return false;
		if (v8__is_object(word) && read_code(c, h, head) && c->end > c->begin)
			return addr >= c->begin && addr < c->end;
	}
	return false;
}

bool v8_code__has_changed(const struct v8_code *c, const struct v8_heap *h)
{
	u64 object = c->head + 1, identity, word;

	if (!vm_memory__u64(h->m, c->head, &word))
		return false;
	return !find_object(h, c->head, &object) || !read_identity(h, c->head, object, &identity) ||
	       identity != c->identity;
}
