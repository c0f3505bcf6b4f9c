/*
 * Where the segments of an ELF file are: from file offsets, which dso addresses are, to virtual
 * addresses, which DWARF speaks of. Private to util/binary.
 */
#ifndef BINARY_ELF_LOADS_H
#define BINARY_ELF_LOADS_H

#include "base/memory/array.h"
#include "binary/elf/elf_file.h"

struct elf_load {                /* a PT_LOAD */
	u64 offset, vaddr, size; /* size: in the file */
};

struct elf_loads {
	ARRAY(struct elf_load) v; /* all zero: empty */
};

/*
 * Reads the program headers of f. is_debug: f is a separate debug file whose binary is missing, and whose own
 * offsets mean nothing: the binary's are guessed from the virtual addresses.
 */
void elf_loads__read(struct elf_loads *l, const struct elf_file *f, bool is_debug);
void elf_loads__exit(struct elf_loads *l);
/* What has to be added to a file offset to make it a virtual address. False: no segment holds it. */
bool elf_loads__bias(const struct elf_loads *l, u64 offset, u64 *bias);

#endif
