/*
 * The row at an address, for addresses looked up before and all addresses between two lookups in one row. A
 * row is identified by its end, because its start is not known (see cfi_frames.c). A row in use takes 8
 * bytes, however often it is looked up.
 */
#ifndef BINARY_CFI_SPANS_H
#define BINARY_CFI_SPANS_H

#include "base/memory/array.h"
#include "base/memory/hash.h"

enum { CFI_SPANS_PAGE = 1 << 14 }; /* bytes of code per page */

struct cfi_span {
	/* offsets in the page: lowest address looked up, last address that the row holds for */
	u16 low, last;
	u32 row;
};

struct cfi_spans_page {
	u64 number; /* address / CFI_SPANS_PAGE */
	u32 nr, alloc;
	struct cfi_span *v; /* sorted, not overlapping */
};

struct cfi_spans {
	struct hash_table by_number;
	ARRAY(struct cfi_spans_page) pages;
};

void cfi_spans__exit(struct cfi_spans *s);
/* Get the row at addr. Return false if it is unknown. */
bool cfi_spans__find(const struct cfi_spans *s, u64 addr, u32 *row);
/* Add the row at addr, which was unknown. end: first address after the row. */
void cfi_spans__add(struct cfi_spans *s, u64 addr, u64 end, u32 row);
/* Return the memory used, in bytes. */
u64 cfi_spans__bytes(const struct cfi_spans *s);

#endif
