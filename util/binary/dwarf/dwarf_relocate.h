/*
 * The debug information of a kernel module, whose sections have no addresses yet: what refers to code or to
 * other sections is filled in, as a linker would. Private to util/binary.
 */
#ifndef BINARY_DWARF_RELOCATE_H
#define BINARY_DWARF_RELOCATE_H

#include "binary/dwarf/dwarf_image.h"

/* The address that the start of a module's code gets: not 0, which stands for code that was not linked. */
#define MODULE_BASE (1ull << 32)

/*
 * In memory; all sections have to be unpacked. 0; -ENOTSUP: of a machine whose relocations are not known, or
 * with some that are not.
 */
int dwarf_image__relocate(struct dwarf_image *im);

#endif
