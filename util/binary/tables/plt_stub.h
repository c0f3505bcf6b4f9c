/*
 * Stubs that jump through the global offset table (.plt, .plt.sec, .plt.got, .iplt), recognised by their
 * instructions. Only GNU's linker writes CFI for them, but not in static programs and not on arm64. x86-64
 * (System V AMD64 ABI, "Procedure Linkage Table") and arm64 (ELF for the Arm 64-bit Architecture, "Procedure
 * Linkage Table").
 */
#ifndef BINARY_PLT_STUB_H
#define BINARY_PLT_STUB_H

#include "base/memory/types.h"

#include <stdbool.h>
#include <stddef.h>

struct plt_stub {
	u8 size;  /* bytes of the instruction */
	u8 depth; /* bytes pushed before the instruction */
};

/*
 * Does the instruction at an offset of such a section belong to a stub? Then fill stub. machine: EM_X86_64
 * or EM_AARCH64; other machines' stubs are unknown.
 */
bool plt_stub__at(u16 machine, const void *section, size_t size, u64 offset, struct plt_stub *stub);

#endif
