/*
 * Where the objects of a HotSpot virtual machine have their fields. libjvm.so exports tables that describe
 * them for debuggers (gHotSpotVMStructs, gHotSpotVMTypes): names of types and fields, offsets, addresses of
 * static fields. They are read from the process, so nothing is assumed about its version; what the tables do
 * not have, or have in another form than expected, is refused.
 */
#ifndef RECORD_HOTSPOT_LAYOUT_H
#define RECORD_HOTSPOT_LAYOUT_H

#include "record/hotspot/vm_memory.h"

enum hotspot_field {
	CODE_HEAPS,   /* static: the list of heaps, since JDK 9 */
	CODE_HEAP,    /* static: the only heap, in JDK 8 */
	ARRAY_LENGTH, /* of that list */
	ARRAY_DATA,
	HEAP_MEMORY, /* of a heap */
	HEAP_SEGMENTS,
	HEAP_SEGMENT_LOG2,
	SPACE_LOW, /* of a heap's memory and segments */
	SPACE_HIGH,
	BLOCK_LENGTH, /* of a block in a heap: segments */
	BLOCK_USED,
	BLOB_NAME, /* of a piece of code */
	BLOB_SIZE,
	BLOB_FRAME_SIZE, /* words */
	BLOB_FRAME_COMPLETE,
	BLOB_CODE_BEGIN, /* JDK 9 to 22: addresses */
	BLOB_CODE_END,
	BLOB_CODE_OFFSET, /* JDK 8, and since 23: from the blob on */
	BLOB_DATA_OFFSET,
	NMETHOD_METHOD,
	NMETHOD_COMPILE_ID,
	/* what tells inlined methods; since JDK 25 in other memory than the blob */
	NMETHOD_PCS_OFFSET,
	NMETHOD_PCS_END, /* up to JDK 24; then the scopes' data follow them */
	NMETHOD_SCOPES,  /* JDK 9 to 24: address; before and after, an offset */
	NMETHOD_SCOPES_OFFSET,
	NMETHOD_METADATA_OFFSET,
	NMETHOD_IMMUTABLE,
	BLOB_MUTABLE,
	BLOB_RELOCATION_SIZE,
	PC_OFFSET, /* of an entry */
	PC_SCOPE,
	VM_VERSION,  /* static: major version; JDK 8 has that of HotSpot here, 25 */
	JDK_CURRENT, /* static: version of the JDK, up to JDK 24 */
	JDK_MAJOR,
	METHOD_CONST, /* of a method */
	CONST_CONSTANTS,
	CONST_SIZE, /* words */
	CONST_CODE_SIZE,
	CONST_NAME,
	CONST_SIGNATURE,
	POOL_HOLDER,
	POOL_LENGTH,
	KLASS_NAME,
	SYMBOL_LENGTH,
	SYMBOL_BODY,
	HOTSPOT_FIELDS
};

enum hotspot_type {
	TYPE_CONST_METHOD,
	TYPE_CONSTANT_POOL,
	TYPE_HEAP_BLOCK,
	TYPE_NMETHOD,
	TYPE_PC, /* 0: unknown */
	HOTSPOT_TYPES
};

struct hotspot_place {
	u64 at;  /* offset, or address of a static field */
	u8 size; /* bytes; 0: the virtual machine has no such field */
	bool is_signed;
};

struct hotspot_layout {
	struct hotspot_place fields[HOTSPOT_FIELDS];
	u64 sizes[HOTSPOT_TYPES]; /* bytes */
	s32 version;              /* of the JDK: 8, 17; 0: unknown */
};

enum { HOTSPOT_OBJECT_MAX = 512 }; /* bytes of an object up to the end of the last field that is read */

/*
 * Read the layout. base: where the process has the start of libjvm.so. m: with pages, as thousands of words
 * are read. Return NULL, or why it cannot be used.
 */
const char *hotspot_layout__read(struct hotspot_layout *l, const struct vm_memory *m, u64 base);

/* Return the value of a field in a copy of an object. */
u64 hotspot_layout__value(const struct hotspot_layout *l, enum hotspot_field field, const u8 *object);
/* Read a field of the object at an address. */
bool hotspot_layout__get(const struct hotspot_layout *l, const struct vm_memory *m, u64 object,
			 enum hotspot_field field, u64 *value);
static inline bool hotspot_layout__has(const struct hotspot_layout *l, enum hotspot_field field)
{
	return l->fields[field].size;
}

#endif
