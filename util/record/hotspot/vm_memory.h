/* Memory of a process that is read with the recorder's own rights, and never stopped for it. */
#ifndef RECORD_VM_MEMORY_H
#define RECORD_VM_MEMORY_H

#include "base/memory/types.h"

#include <stdbool.h>
#include <stddef.h>

struct vm_memory {
	/* Read size bytes at an address. Return false if not all of it can be read, or was read lately. */
	bool (*read)(void *ctx, u64 addr, void *data, size_t size);
	void *ctx;
};

static inline bool vm_memory__read(const struct vm_memory *m, u64 addr, void *data, size_t size)
{
	return addr + size > addr && m->read(m->ctx, addr, data, size);
}

static inline bool vm_memory__u64(const struct vm_memory *m, u64 addr, u64 *value)
{
	return vm_memory__read(m, addr, value, sizeof(*value));
}

/* Read a string of less than size bytes, with its NUL. Return false if it is longer. */
bool vm_memory__string(const struct vm_memory *m, u64 addr, char *text, size_t size);

/* Pages of a memory that were read lately, as what is looked at is close together. */
enum { VM_PAGE = 4096, VM_PAGES = 128 };

struct vm_page {
	u64 addr, round;
	u32 space;
	bool is_there;
	u8 data[VM_PAGE];
};

struct vm_pages {
	struct vm_memory below;
	u32 space;             /* tells memories apart that have the pages in turns */
	u64 round;             /* not 0; what was read in other rounds is read again */
	struct vm_page *pages; /* VM_PAGES, allocated with the first read; freed by the owner */
};

/* The function of struct vm_memory, whose ctx is a struct vm_pages. */
bool vm_pages__read(void *ctx, u64 addr, void *data, size_t size);

#endif
