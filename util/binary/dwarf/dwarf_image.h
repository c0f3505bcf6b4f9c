/*
 * An ELF file with DWARF, in memory for libdw, which wants all sections there at once: the file is mapped,
 * and compressed sections are given room behind it that is filled as far as it is needed. Private to
 * util/binary.
 *
 * The mapping is private and nothing is read that is not asked for: of hundreds of megabytes a report needs
 * few. A file that gets shorter meanwhile ends the program; the linker and package tools replace files, they
 * do not shorten them.
 */
#ifndef BINARY_DWARF_IMAGE_H
#define BINARY_DWARF_IMAGE_H

#include "base/memory/array.h"
#include "binary/elf/elf_file.h"
#include "binary/elf/packed_section.h"

enum dwarf_part { /* sections that are needed together */
		  DWARF_PART_ARANGES,
		  DWARF_PART_INFO,
		  DWARF_PART_ABBREV,
		  DWARF_PART_RANGES, /* .debug_ranges, .debug_rnglists, .debug_addr */
		  DWARF_PART_NAMES,  /* .debug_str, .debug_line_str, .debug_str_offsets */
		  DWARF_PART_LINE,
		  DWARF_PART_NONE, /* not for us */
};

struct image_section { /* a compressed one */
	enum dwarf_part part;
	u32 index; /* of its header */
	u64 name;  /* file offset of the name that begins with .z; 0: it does not */
	struct packed_section packed;
};

struct dwarf_image {
	u8 *map;
	size_t size;
	Elf *elf;
	ARRAY(struct image_section) sections;
};

/*
 * Of what elf has; elf may be closed then. 0; -ENODATA: there is no .debug_info; or another negative errno;
 * im is all zero then.
 */
int dwarf_image__open(struct dwarf_image *im, const struct elf_file *elf);
void dwarf_image__close(struct dwarf_image *im); /* accepts an all-zero im */
/* Makes the first end bytes of the sections of a part be there. Not thread-safe. */
void dwarf_image__unpack(struct dwarf_image *im, enum dwarf_part part, u64 end);

#endif
