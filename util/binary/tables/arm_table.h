/*
 * .ARM.exidx and .ARM.extab: how 32-bit ARM code says where a function's caller has its registers. One
 * description holds for a whole function, as it is while it calls others. ("Exception Handling ABI for the
 * Arm Architecture", sections 6, 7 and 10.) Little endian. Every number in it is checked.
 */
#ifndef BINARY_ARM_TABLE_H
#define BINARY_ARM_TABLE_H

#include "base/memory/types.h"

#include <stdbool.h>
#include <stddef.h>

struct arm_section {
	const u8 *data; /* which must stay there; NULL: none */
	size_t size;
	u64 addr; /* virtual address */
};

struct arm_table {
	struct arm_section index, more; /* .ARM.exidx; .ARM.extab, for what does not fit into it */
};

/* Where a function's caller has its registers. */
struct arm_frame {
	u64 end;    /* virtual address: the first one that this does not hold for */
	u8 base;    /* the caller's stack pointer is this register */
	s64 offset; /* plus so many bytes */
	u32 saved;  /* bit n: register n was saved */
	s64 at[16]; /* bytes from the base */
};
/*
 * Of the function at a virtual address. False: nothing is said of the address, or that it cannot be unwound,
 * or nothing that is understood.
 */
bool arm_table__find(const struct arm_table *t, u64 vaddr, struct arm_frame *frame);

#endif
