/*
 * The pieces of code (blobs) in the code heaps of a HotSpot virtual machine: compiled methods, stubs, the
 * interpreter. A heap's segment map leads from any address to the start of its block. All that is read is
 * checked: the process may change it meanwhile, or lie.
 */
#ifndef RECORD_HOTSPOT_BLOB_H
#define RECORD_HOTSPOT_BLOB_H

#include "record/hotspot/hotspot_layout.h"

enum { HOTSPOT_HEAPS_MAX = 8, HOTSPOT_NAME_MAX = 96 };

struct hotspot_heap {
	u64 low, high; /* of the memory for code that is in use */
	u64 segments;  /* address of the segment map */
	u32 log2;      /* of bytes in a segment */
};

struct hotspot_heaps {
	unsigned nr;
	struct hotspot_heap v[HOTSPOT_HEAPS_MAX];
};

/* Read where the heaps are now. Return false if that cannot be read, or makes no sense. */
bool hotspot_heaps__read(struct hotspot_heaps *h, const struct hotspot_layout *l, const struct vm_memory *m);
const struct hotspot_heap *hotspot_heaps__find(const struct hotspot_heaps *h, u64 addr);

enum hotspot_kind {
	HOTSPOT_STUB,        /* code of the virtual machine; with a frame of frame_size, or with 0 of none */
	HOTSPOT_METHOD,      /* a compiled method, or the call of a native one */
	HOTSPOT_BARE,        /* code that never moves the stack pointer: stubs of virtual calls */
	HOTSPOT_ADAPTER,     /* moves arguments between compiled and interpreted code */
	HOTSPOT_INTERPRETER, /* the code of the interpreter */
};

struct hotspot_blob {
	enum hotspot_kind kind;
	u64 block, blob, end;     /* addresses; end: of the block */
	u64 code_begin, code_end; /* of the instructions, with stubs that belong to them */
	u64 frame_complete; /* address from which on the frame is as large as frame_size; UINT64_MAX: none */
	u32 frame_size;     /* bytes, with the return address */
	bool is_method;     /* the code of a method */
	u64 method;         /* its address; 0: it was unloaded */
	u64 identity;       /* a hash of what makes it this blob, for __is_same */
	char name[HOTSPOT_NAME_MAX];
};

/*
 * Find the blob at an address of a heap. Return false if there is none, or if it cannot be read or makes no
 * sense.
 */
bool hotspot_blob__find(struct hotspot_blob *b, const struct hotspot_layout *l, const struct vm_memory *m,
			const struct hotspot_heap *heap, u64 addr);
/* Is another blob there now? Reads it again; false if it cannot be read, as of a process that has ended. */
bool hotspot_blob__has_changed(const struct hotspot_blob *b, const struct hotspot_layout *l,
			       const struct vm_memory *m);

#endif
