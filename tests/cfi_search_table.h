/*
 * For another unwinder (unwind_reference.h): the search table of .eh_frame_hdr as it lies in memory, in
 * virtual addresses. (Linux Standard Base, "Exception Frames")
 */
#ifndef TESTS_CFI_SEARCH_TABLE_H
#define TESTS_CFI_SEARCH_TABLE_H

#include "binary/tables/cfi_private.h"

#include <dwarf.h>
#include <string.h>

struct cfi_search_table {
	u64 header, entries; /* virtual addresses */
	u64 nr;              /* of pairs of 32-bit numbers */
};

/* Version 1, pointers of 4 bytes: to .eh_frame from here, a number, and a table from the header on. */
static inline bool cfi__search_table(struct cfi *c, struct cfi_search_table *t)
{
	static const u8 expected[4] = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
					DW_EH_PE_datarel | DW_EH_PE_sdata4 };
	u64 at = c->eh_header;
	u8 header[12];
	u32 nr;

	if (!at || !cfi__read(c, at, header, sizeof(header)) || memcmp(header, expected, sizeof(expected)))
		return false;
	memcpy(&nr, header + 8, sizeof(nr));
	*t = (struct cfi_search_table){ .header = at, .entries = at + sizeof(header), .nr = nr };
	return true;
}

#endif
