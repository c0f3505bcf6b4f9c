/*
 * The entries (DIEs) of a DWARF unit in the order of their bytes, each read once. libdw's own step from an
 * entry to its sibling walks through everything below the entry, again at each level. (DWARF 5, sections
 * 7.5.2 to 7.5.6) Private to util/binary.
 */
#ifndef BINARY_DWARF_SCAN_H
#define BINARY_DWARF_SCAN_H

#include "base/memory/array.h"
#include "base/memory/cursor.h"

#include <elfutils/libdw.h>

enum dwarf_die_kind { DWARF_OTHER, DWARF_TYPE, DWARF_FUNCTION, DWARF_INLINED };

struct dwarf_abbrev { /* data that all entries with one abbreviation code share */
	bool known, has_children;
	bool has_code; /* has an attribute with the addresses of its code */
	u8 kind;       /* enum dwarf_die_kind */
	u8 sibling;    /* bytes of the last attribute if it is the offset of the next sibling; else 0 */
	u16 nr_steps;
	u32 first_step; /* index of its first attribute's step */
};

struct dwarf_abbrevs {                /* the abbreviations of a unit, filled as its entries are read */
	ARRAY(struct dwarf_abbrev) v; /* by code */
	ARRAY(u16) steps;             /* bytes to skip, or enum step (dwarf_scan.c) */
	u8 address_size, offset_size;
	u16 version;
};

void dwarf_abbrevs__exit(struct dwarf_abbrevs *a);

struct dwarf_scan {
	struct dwarf_abbrevs *abbrevs;
	Dwarf *dwarf;
	u64 start; /* offset of the cursor's start */
	u64 unit;  /* offset of the unit's header */
	struct cursor c;
	u32 depth;
	bool began;
};

struct dwarf_die {
	u64 offset;
	u64 sibling; /* offset; 0: unknown */
	u32 depth;   /* 0 for the first entry */
	const struct dwarf_abbrev *abbrev;
};

/*
 * Start at the entry at offset and scan it and all entries below it. unit: the unit's first entry. abbrevs:
 * all zero, or as left by another scan of the same unit. Return false if there is no such entry.
 */
bool dwarf_scan__begin(struct dwarf_scan *s, Dwarf_Die *unit, u64 offset, struct dwarf_abbrevs *abbrevs);
/* Read the next entry. Return false at the end or if the data is damaged. */
bool dwarf_scan__next(struct dwarf_scan *s, struct dwarf_die *die);

/* Skip the entries below the entry that was read last, if its sibling's offset is known. */
void dwarf_scan__skip_children(struct dwarf_scan *s, const struct dwarf_die *die);

#endif
