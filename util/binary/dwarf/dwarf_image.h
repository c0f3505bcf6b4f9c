/*
 * An ELF file with DWARF, in memory for libdw, which needs all sections in memory at once: the file is
 * mapped, and compressed sections get memory after it, which is filled as far as it is needed. Private to
 * util/binary.
 *
 * The mapping is private, and only pages that are used are read: a report needs a few of hundreds of
 * megabytes. If the file is truncated meanwhile, what is missing is zeros (base/system/file_guard.h): lines
 * and inlined functions are missing then.
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
		  DWARF_PART_NONE, /* not needed */
};

struct image_section { /* a compressed section */
	enum dwarf_part part;
	u32 index; /* of its section header */
	u64 name;  /* file offset of the section's name if that begins with ".z", else 0 */
	struct packed_section packed;
};

struct dwarf_image {
	u8 *map;
	size_t size;
	Elf *elf;
	bool is_file; /* map is the file, and nothing was changed in .debug_ sections */
	ARRAY(struct image_section) sections;
	u64 justified; /* bytes of the file, with what a true file of its size unpacks to */
	u64 reserved;  /* bytes taken from the reserve */
	bool is_cut;   /* sections that unpack to too much are left out */
};

/*
 * Open the image of elf; elf may be closed afterwards. Return 0; -ENODATA: there is no .debug_info; or
 * another negative errno. im is all zero after an error.
 */
int dwarf_image__open(struct dwarf_image *im, const struct elf_file *elf);
void dwarf_image__close(struct dwarf_image *im); /* accepts an all-zero im */
/*
 * Give back the memory of a file's mapped pages. They are read again when they are used again. Thread-safe.
 */
void dwarf_image__rest(const struct dwarf_image *im);
/* As dwarf_image__rest, and forget what was unpacked. Not thread-safe: no thread may use the image. */
void dwarf_image__pack(struct dwarf_image *im);
/* Unpack at least the first end bytes of the sections of a part. Not thread-safe. */
void dwarf_image__unpack(struct dwarf_image *im, enum dwarf_part part, u64 end);

#endif
