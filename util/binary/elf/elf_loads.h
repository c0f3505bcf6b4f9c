/*
 * The loadable segments of an ELF file: they translate file offsets, which are dso addresses, to virtual
 * addresses, which DWARF uses. Private to util/binary.
 */
#ifndef BINARY_ELF_LOADS_H
#define BINARY_ELF_LOADS_H

#include "base/memory/array.h"
#include "binary/elf/elf_file.h"
#include "binary/elf/file_search.h"

struct elf_load {                /* a PT_LOAD */
	u64 offset, vaddr, size; /* size: bytes in the file */
};

struct elf_loads {
	ARRAY(struct elf_load) v; /* all zero: empty */
};

/* Read the program headers of a binary. */
void elf_loads__read(struct elf_loads *l, const struct elf_file *f);
/*
 * Read the program headers of a separate debug file whose binary is missing, as elf_debug_loads does. Return
 * as it does.
 */
bool elf_loads__read_debug(struct elf_loads *l, const struct elf_file *f, const struct debug_places *places);
void elf_loads__exit(struct elf_loads *l);
/*
 * Get the difference between virtual address and file offset. Return false if no segment contains the
 * offset.
 */
bool elf_loads__bias(const struct elf_loads *l, u64 offset, u64 *bias);

/*
 * Append the PT_LOAD headers of a separate debug file whose binary is missing, with the offsets and sizes
 * that they have in the binary. The debug file's own offsets mean nothing, but a process had the binary
 * mapped: places->maps, if places is not NULL. Segments without a map get offsets that no file has. Return
 * false if no map fits; then the offsets are guesses: the distance from the first segment, as GNU ld lays
 * out files.
 */
bool elf_debug_loads(const struct elf_file *f, const struct debug_places *places, elf_phdr_array *loads);

#endif
