#include "record/hotspot/hotspot_blob.h"

#include "base/memory/hash.h"

#include <stdint.h>
#include <string.h>

enum {
	LOG2_MIN = 4, /* of bytes in a segment: 7 as a rule */
	LOG2_MAX = 16,
	HOPS_MAX = 1024, /* in the segment map: one leads over 254 segments at most */
	SEGMENT_FREE = 0xff,
	FRAME_MAX = 1 << 20, /* bytes; larger frames are a lie */
	BLOCK_MAX = 64,      /* bytes of a block's head */
};

static bool hotspot_heap__read(struct hotspot_heap *h, const struct hotspot_layout *l,
			       const struct vm_memory *m, u64 addr)
{
	u64 memory = addr + l->fields[HEAP_MEMORY].at, segments = addr + l->fields[HEAP_SEGMENTS].at, log2;

	if (!hotspot_layout__get(l, m, memory, SPACE_LOW, &h->low) ||
	    !hotspot_layout__get(l, m, memory, SPACE_HIGH, &h->high) ||
	    !hotspot_layout__get(l, m, segments, SPACE_LOW, &h->segments) ||
	    !hotspot_layout__get(l, m, addr, HEAP_SEGMENT_LOG2, &log2))
		return false;
	h->log2 = (u32)log2;
	return log2 >= LOG2_MIN && log2 <= LOG2_MAX && h->low < h->high && h->segments;
}

bool hotspot_heaps__read(struct hotspot_heaps *h, const struct hotspot_layout *l, const struct vm_memory *m)
{
	u64 list, nr, data, heap;

	h->nr = 0;
	if (!hotspot_layout__has(l, CODE_HEAPS)) {
		h->nr = vm_memory__u64(m, l->fields[CODE_HEAP].at, &heap) &&
			hotspot_heap__read(&h->v[0], l, m, heap);
		return h->nr;
	}
	if (!vm_memory__u64(m, l->fields[CODE_HEAPS].at, &list) ||
	    !hotspot_layout__get(l, m, list, ARRAY_LENGTH, &nr) ||
	    !hotspot_layout__get(l, m, list, ARRAY_DATA, &data))
		return false;
	for (u64 i = 0; i < MIN(nr, (u64)HOTSPOT_HEAPS_MAX); i++)
		if (vm_memory__u64(m, data + i * sizeof(heap), &heap) &&
		    hotspot_heap__read(&h->v[h->nr], l, m, heap))
			h->nr++;
	return h->nr;
}

const struct hotspot_heap *hotspot_heaps__find(const struct hotspot_heaps *h, u64 addr)
{
	for (unsigned i = 0; i < h->nr; i++)
		if (addr >= h->v[i].low && addr < h->v[i].high)
			return &h->v[i];
	return NULL;
}

/* Follow the segment map to the start of the block at an address; its bytes lead back to a 0. */
static bool find_block(const struct hotspot_heap *h, const struct vm_memory *m, u64 addr, u64 *block)
{
	u64 segment = (addr - h->low) >> h->log2;
	u8 back;

	for (unsigned i = 0; i < HOPS_MAX; i++) {
		if (!vm_memory__read(m, h->segments + segment, &back, 1) || back == SEGMENT_FREE ||
		    back > segment)
			return false;
		if (!back) {
			*block = h->low + (segment << h->log2);
			return true;
		}
		segment -= back;
	}
	return false;
}

struct blob_bytes {
	u8 head[BLOCK_MAX + HOTSPOT_OBJECT_MAX], *object;
};

/* Copy the block's head and its blob, as far as fields are of interest. */
static bool read_bytes(struct blob_bytes *b, const struct hotspot_layout *l, const struct vm_memory *m,
		       u64 block, u64 high)
{
	u64 head = l->sizes[TYPE_HEAP_BLOCK], size = MIN(head + l->sizes[TYPE_NMETHOD], high - block);

	if (head > BLOCK_MAX || size > sizeof(b->head))
		return false;
	memset(b->head, 0, sizeof(b->head));
	b->object = b->head + head;
	return vm_memory__read(m, block, b->head, size);
}

/* What an other blob at this address would have different. The state and counters change. */
static u64 identity_of(const struct blob_bytes *b, const struct hotspot_layout *l)
{
	static const enum hotspot_field parts[] = { BLOB_NAME,           BLOB_SIZE,       BLOB_FRAME_SIZE,
						    BLOB_FRAME_COMPLETE, BLOB_CODE_BEGIN, BLOB_CODE_OFFSET,
						    BLOB_DATA_OFFSET };
	u64 h = hotspot_layout__value(l, BLOCK_LENGTH, b->head) << 1 |
		hotspot_layout__value(l, BLOCK_USED, b->head);

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		h = hash__add(h, hotspot_layout__value(l, parts[i], b->object));
	return h;
}

/* What another compiled method has different. Other blobs have something else there, which may change. */
static u64 method_identity(const struct blob_bytes *b, const struct hotspot_layout *l)
{
	return hash__add(hotspot_layout__value(l, NMETHOD_METHOD, b->object),
			 hotspot_layout__value(l, NMETHOD_COMPILE_ID, b->object));
}

static bool find_code(struct hotspot_blob *b, const struct hotspot_layout *l, const struct blob_bytes *bytes)
{
	u64 size = hotspot_layout__value(l, BLOB_SIZE, bytes->object);

	if (hotspot_layout__has(l, BLOB_CODE_OFFSET)) {
		b->code_begin = b->blob + hotspot_layout__value(l, BLOB_CODE_OFFSET, bytes->object);
		b->code_end = b->blob + hotspot_layout__value(l, BLOB_DATA_OFFSET, bytes->object);
	} else {
		b->code_begin = hotspot_layout__value(l, BLOB_CODE_BEGIN, bytes->object);
		b->code_end = hotspot_layout__value(l, BLOB_CODE_END, bytes->object);
	}
	return size && size <= b->end - b->blob && b->code_begin > b->blob && b->code_begin <= b->code_end &&
	       b->code_end <= b->blob + size;
}

static bool find_frame(struct hotspot_blob *b, const struct hotspot_layout *l, const struct blob_bytes *bytes)
{
	s64 size = (s64)hotspot_layout__value(l, BLOB_FRAME_SIZE, bytes->object);
	s64 complete = (s64)hotspot_layout__value(l, BLOB_FRAME_COMPLETE, bytes->object);

	if (size > FRAME_MAX / 8)
		return false;
	b->frame_size = size > 0 ? (u32)size * 8 : 0;
	b->frame_complete = UINT64_MAX;
	if (complete >= 0 && (u64)complete <= b->code_end - b->code_begin)
		b->frame_complete = b->code_begin + (u64)complete;
	return true;
}

static enum hotspot_kind kind_of(const struct hotspot_blob *b)
{
	static const struct {
		const char *name;
		enum hotspot_kind kind;
	} kinds[] = { { "nmethod", HOTSPOT_METHOD },
		      { "native nmethod", HOTSPOT_METHOD },
		      { "Interpreter", HOTSPOT_INTERPRETER },
		      { "vtable chunks", HOTSPOT_BARE },
		      { "I2C/C2I adapters", HOTSPOT_ADAPTER } };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, b->name))
			return kinds[i].kind;
	return HOTSPOT_STUB;
}

bool hotspot_blob__find(struct hotspot_blob *b, const struct hotspot_layout *l, const struct vm_memory *m,
			const struct hotspot_heap *heap, u64 addr)
{
	struct blob_bytes bytes;
	u64 length;

	*b = (struct hotspot_blob){ 0 };
	if (!find_block(heap, m, addr, &b->block) || !read_bytes(&bytes, l, m, b->block, heap->high))
		return false;
	length = hotspot_layout__value(l, BLOCK_LENGTH, bytes.head);
	if (!hotspot_layout__value(l, BLOCK_USED, bytes.head) ||
	    length > (heap->high - b->block) >> heap->log2)
		return false;
	b->blob = b->block + l->sizes[TYPE_HEAP_BLOCK];
	b->end = b->block + (length << heap->log2);
	if (addr < b->blob || addr >= b->end || !find_code(b, l, &bytes) || !find_frame(b, l, &bytes) ||
	    !vm_memory__string(m, hotspot_layout__value(l, BLOB_NAME, bytes.object), b->name,
			       sizeof(b->name)))
		return false;
	b->kind = kind_of(b);
	b->identity = identity_of(&bytes, l);
	b->is_method = b->kind == HOTSPOT_METHOD;
	if (!b->is_method)
		return true;
	b->method = hotspot_layout__value(l, NMETHOD_METHOD, bytes.object);
	b->identity ^= method_identity(&bytes, l);
	if (!b->frame_size) /* such as MethodHandle.linkToStatic: it jumps to the method */
		b->kind = HOTSPOT_BARE;
	return !b->frame_size || (b->frame_size >= 16 && b->frame_complete != UINT64_MAX);
}

bool hotspot_blob__has_changed(const struct hotspot_blob *b, const struct hotspot_layout *l,
			       const struct vm_memory *m)
{
	struct blob_bytes bytes;

	return read_bytes(&bytes, l, m, b->block, b->end) &&
	       b->identity != (identity_of(&bytes, l) ^ (b->is_method ? method_identity(&bytes, l) : 0));
}
