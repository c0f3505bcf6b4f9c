/*
 * Which addresses an entry of a split unit has. The entry has numbers; the addresses and, in version 4, the
 * ranges stand in the program. libdw brings these together only where it opens the .dwo file itself. (DWARF
 * 5, sections 2.17.3 and 7.28) Private to util/binary.
 */
#ifndef BINARY_DWARF_ADDRESSES_H
#define BINARY_DWARF_ADDRESSES_H

#include "base/memory/cursor.h"
#include "binary/dwarf/spans.h"

#include <elfutils/libdw.h>

struct dwarf_addresses {
	struct cursor table;  /* .debug_addr from the unit's first one on */
	struct cursor ranges; /* .debug_ranges from the unit's first one on; .debug_rnglists.dwo */
	struct cursor entries;
	u64 base; /* address of the unit */
	u16 version;
	u8 address_size, offset_size;
};

/* As dwarf_die__add_spans. */
void dwarf_addresses__add_spans(const struct dwarf_addresses *a, Dwarf_Die *die, struct spans *spans,
				u32 group, u32 id, u32 *left);

#endif
