/*
 * Relocation of a kernel module's debug information, as a linker would do it: its sections have no addresses
 * yet. Private to util/binary.
 */
#ifndef BINARY_DWARF_RELOCATE_H
#define BINARY_DWARF_RELOCATE_H

#include "binary/dwarf/dwarf_image.h"

/* The address that the start of a module's code gets. It is not 0, which marks code that was not linked. */
#define MODULE_BASE (1ull << 32)

/*
 * Relocate the image in memory; all its sections must be unpacked. Return 0; -ENOTSUP: the machine's
 * relocations, or some of them, are unknown.
 */
int dwarf_image__relocate(struct dwarf_image *im);

#endif
