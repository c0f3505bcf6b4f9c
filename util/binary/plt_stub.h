/*
 * Stubs that jump through the global offset table (.plt, .plt.sec, .plt.got, .iplt), by their instructions:
 * linkers other than GNU's write no CFI for them, and none writes it for those of static programs. x86-64
 * (System V AMD64 ABI, "Procedure Linkage Table").
 */
#ifndef BINARY_PLT_STUB_H
#define BINARY_PLT_STUB_H

#include "base/types.h"

#include <stdbool.h>
#include <stddef.h>

struct plt_stub {
	u8 size;  /* of the instruction, in bytes */
	u8 depth; /* bytes between the stack pointer and the return address of the call to the stub */
};

/* Whether the instruction at an offset of such a section is one of a stub. */
bool plt_stub__at(const void *section, size_t size, u64 offset, struct plt_stub *stub);

#endif
