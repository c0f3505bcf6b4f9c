/*
 * .ARM.exidx and .ARM.extab: 32-bit ARM's description of where a function's caller has its registers. One
 * description holds for a whole function, as it is while it calls others. ("Exception Handling ABI for the
 * Arm Architecture", sections 6, 7 and 10) Little endian only. Every number in the tables is checked.
 */
#ifndef BINARY_ARM_TABLE_H
#define BINARY_ARM_TABLE_H

#include "binary/elf/elf_file.h"

struct arm_section {
	const u8 *data; /* not owned; must live as long as the table; NULL: none */
	size_t size;
	u64 addr; /* virtual address */
};

struct arm_table {
	/* .ARM.exidx; .ARM.extab for descriptions that do not fit into it */
	struct arm_section index, more;
};

/* Unwind rule for a range of addresses: where the registers of the caller are saved. */
struct arm_frame {
	u64 end;    /* first virtual address after the range */
	u8 base;    /* the caller's stack pointer is this register plus offset */
	s64 offset; /* bytes */
	u32 saved;  /* bit n: register n was saved */
	s64 at[16]; /* offset of saved registers from the base, in bytes */
};
/* Open the tables of a binary, which must stay open. Return false with t all zero if there are none. */
bool arm_table__open(struct arm_table *t, const struct elf_file *f);
/* Find the function at a virtual address. Return false if no function with a known end is there. */
bool arm_table__range(const struct arm_table *t, u64 vaddr, u64 *start, u64 *end);
/*
 * Find the description of the function at a virtual address. Return false if there is none, if the function
 * cannot be unwound, or if the description is unknown or damaged.
 */
bool arm_table__find(const struct arm_table *t, u64 vaddr, struct arm_frame *frame);

#endif
