/*
 * Which row holds at an address, for the addresses that have been asked for, and for all that lie between two
 * of one row. Rows are known by their ends, since where they begin is not (see cfi.c). 8 bytes for each row
 * that is in use, however many addresses it was asked for.
 */
#ifndef BINARY_CFI_SPANS_H
#define BINARY_CFI_SPANS_H

#include "base/memory/array.h"
#include "base/memory/hash.h"

enum { CFI_SPANS_PAGE = 1 << 14 }; /* bytes of code whose spans are kept together */

struct cfi_span {
	/* from the page's start: the lowest address asked for, the last one that the row holds for */
	u16 low, last;
	u32 row;
};

struct cfi_spans_page {
	u64 number; /* address / CFI_SPANS_PAGE */
	u32 nr, alloc;
	struct cfi_span *v; /* in the order of addresses, not overlapping */
};

struct cfi_spans {
	struct hash_table by_number;
	ARRAY(struct cfi_spans_page) pages;
};

void cfi_spans__exit(struct cfi_spans *s);
/* Whether the row at addr is known. */
bool cfi_spans__find(const struct cfi_spans *s, u64 addr, u32 *row);
/* The row at addr, which was not known. end: the first address that it does not hold for. */
void cfi_spans__add(struct cfi_spans *s, u64 addr, u64 end, u32 row);
/* What it takes of memory. */
u64 cfi_spans__bytes(const struct cfi_spans *s);

#endif
