/*
 * A package (FILE.dwp) of what compilers left in .dwo files when they split the debug information, as dwp and
 * llvm-dwp make them: of version 4 with GNU's extension, and of version 5. (DWARF 5, sections 3.1.3
 * and 7.3.5; https://gcc.gnu.org/wiki/DebugFissionDWP) Private to util/binary.
 *
 * libdw gets each unit as what it was, a .dwo file: an ELF header of our own whose sections are the unit's
 * parts of the package. Where it would go on to the program's sections (addresses and, in version 4, ranges
 * of them) there is struct dwarf_addresses.
 */
#ifndef BINARY_DWARF_PACKAGE_H
#define BINARY_DWARF_PACKAGE_H

#include "binary/dwarf/dwarf_addresses.h"

struct dwarf_package;

/* NULL: there is no such file, or none that makes sense. */
struct dwarf_package *dwarf_package__open(const char *path);
void dwarf_package__close(struct dwarf_package *p); /* accepts NULL */

struct dwarf_split { /* a unit of a package */
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_Die unit; /* its first entry */
	struct dwarf_addresses addresses;
};

/*
 * The unit that has the id. Lives no longer than p. NULL: there is none. Of its addresses only what stands in
 * the package is filled: ranges of version 5. Thread-safe.
 */
struct dwarf_split *dwarf_package__find(struct dwarf_package *p, u64 id);
void dwarf_split__delete(struct dwarf_split *s); /* accepts NULL */

#endif
