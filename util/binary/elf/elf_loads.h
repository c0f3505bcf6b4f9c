/*
 * The loadable segments of an ELF file: they translate file offsets, which are dso addresses, to virtual
 * addresses, which DWARF uses. Private to util/binary.
 */
#ifndef BINARY_ELF_LOADS_H
#define BINARY_ELF_LOADS_H

#include "base/memory/array.h"
#include "binary/elf/elf_file.h"

struct elf_load {                /* a PT_LOAD */
	u64 offset, vaddr, size; /* size: bytes in the file */
};

struct elf_loads {
	ARRAY(struct elf_load) v; /* all zero: empty */
};

/*
 * Read the program headers of f. is_debug: f is a separate debug file whose binary is missing. Its own
 * offsets mean nothing, so the binary's are guessed from the virtual addresses.
 */
void elf_loads__read(struct elf_loads *l, const struct elf_file *f, bool is_debug);
void elf_loads__exit(struct elf_loads *l);
/*
 * Get the difference between virtual address and file offset. Return false if no segment contains the
 * offset.
 */
bool elf_loads__bias(const struct elf_loads *l, u64 offset, u64 *bias);

#endif
