/* Opening debug information with libdw. Private to util/binary. */
#ifndef BINARY_DWARF_OPEN_H
#define BINARY_DWARF_OPEN_H

#include "base/memory/mem.h"

#include <elfutils/libdw.h>

/* As dwarf_begin_elf for reading. Out of memory ends the process, as in xmalloc. */
static inline Dwarf *dwarf_open(Elf *elf)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);

	if (dwarf)
		dwarf_new_oom_handler(dwarf, die_out_of_memory);
	return dwarf;
}

#endif
