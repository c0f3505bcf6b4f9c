/*
 * Stubs that jump through the global offset table (.plt, .plt.sec, .plt.got, .iplt), by their instructions:
 * linkers other than GNU's write no CFI for them, and none writes it for those of static programs, nor for
 * any of arm64's. x86-64 (System V AMD64 ABI, "Procedure Linkage Table") and arm64 (ELF for the Arm 64-bit
 * Architecture, "Procedure Linkage Table").
 */
#ifndef BINARY_PLT_STUB_H
#define BINARY_PLT_STUB_H

#include "base/memory/types.h"

#include <stdbool.h>
#include <stddef.h>

struct plt_stub {
	u8 size;  /* of the instruction, in bytes */
	u8 depth; /* what has been pushed by then, in bytes */
};

/*
 * Whether the instruction at an offset of such a section belongs to a stub; fills stub then. machine:
 * EM_X86_64 or EM_AARCH64; no stubs are known of others.
 */
bool plt_stub__at(u16 machine, const void *section, size_t size, u64 offset, struct plt_stub *stub);

#endif
