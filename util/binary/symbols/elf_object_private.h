#ifndef BINARY_ELF_OBJECT_PRIVATE_H
#define BINARY_ELF_OBJECT_PRIVATE_H

#include "binary/elf/elf_binary.h"
#include "binary/symbols/elf_object.h"
#include "binary/tables/go_table.h"

#include <elfutils/libdw.h>

struct elf_object {
	char *root, *path;
	struct elf_binary binary; /* its debug file is open if it has no .symtab itself */
	struct elf_file packed; /* .gnu_debugdata of a stripped binary: a table of its functions; or closed */
	struct go_table go;     /* functions of a stripped binary in Go; all zero: none */
	elf_phdr_array loads;
	Dwarf *dwarf; /* NULL: none, or not opened yet */
	bool dwarf_tried;
};

/*
 * Append the path of members from a variable to a part of it: "[3].lock"; nothing if there is no debug
 * information about it. Return false then. exact: look for variables in functions, too.
 */
bool elf_object__add_members(struct elf_object *o, u64 variable, u64 offset, bool in_functions,
			     struct strbuf *path);

/* Return the debug information of the binary, or of its debug file; NULL: there is none. */
Dwarf *elf_object__dwarf(struct elf_object *o);
/*
 * Go to the next entry of this level. Return false at the end, or if the link does not lead forward: it
 * could be a loop.
 */
bool die__next(Dwarf_Die *die);

#endif
