/*
 * The entries (DIEs) of a DWARF unit in the order of their bytes, each read once: libdw's own way from one
 * entry to the next walks through everything below, again at each level. (DWARF 5, sections 7.5.2 to 7.5.6)
 * Private to util/binary.
 */
#ifndef BINARY_DWARF_SCAN_H
#define BINARY_DWARF_SCAN_H

#include "base/memory/array.h"
#include "base/memory/cursor.h"

#include <elfutils/libdw.h>

enum dwarf_die_kind { DWARF_OTHER, DWARF_TYPE, DWARF_FUNCTION, DWARF_INLINED };

struct dwarf_abbrev { /* what the entries with one code have in common */
	bool known, has_children;
	bool has_code; /* says at which addresses its code is */
	u8 kind;       /* enum dwarf_die_kind */
	u8 sibling;    /* bytes of the last attribute, which says where the next entry of the level is; 0: it
			  does not */
	u16 nr_steps;
	u32 first_step; /* over its attributes */
};

struct dwarf_abbrevs {                /* of a unit; filled as its entries are met */
	ARRAY(struct dwarf_abbrev) v; /* by code */
	ARRAY(u16) steps;             /* bytes, or more than bytes: see dwarf_scan.c */
	u8 address_size, offset_size;
	u16 version;
};

void dwarf_abbrevs__exit(struct dwarf_abbrevs *a);

struct dwarf_scan {
	struct dwarf_abbrevs *abbrevs;
	Dwarf *dwarf;
	u64 start; /* offset of the cursor's start */
	u64 unit;  /* of the unit's header */
	struct cursor c;
	u32 depth;
	bool began;
};

struct dwarf_die {
	u64 offset;
	u64 sibling; /* offset; 0: unknown */
	u32 depth;   /* of the first one: 0 */
	const struct dwarf_abbrev *abbrev;
};

/*
 * From the entry at offset of the unit whose first entry is unit, and all below it. abbrevs: all zero, or as
 * another scan of the same unit left it. False: there is no such entry.
 */
bool dwarf_scan__begin(struct dwarf_scan *s, Dwarf_Die *unit, u64 offset, struct dwarf_abbrevs *abbrevs);
/* False: no more, or what follows is damaged. */
bool dwarf_scan__next(struct dwarf_scan *s, struct dwarf_die *die);

/* Goes on behind what is below the entry that was read last, if it says where that ends. */
void dwarf_scan__skip_children(struct dwarf_scan *s, const struct dwarf_die *die);

#endif
