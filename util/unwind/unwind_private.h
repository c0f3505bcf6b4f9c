/* Shared by the files of util/unwind. */
#ifndef UNWIND_UNWIND_PRIVATE_H
#define UNWIND_UNWIND_PRIVATE_H

#include "unwind/unwind.h"

/* The registers of one frame. */
struct unwind_regs {
	u64 known; /* bit n: v[n] is known */
	u64 ip;
	u64 v[CFI_REGS_MAX]; /* by DWARF number */
};

/* Take the registers of a sample. Return false without program counter or stack pointer. */
bool unwind_regs__load(struct unwind_regs *regs, const struct unwind_arch *arch,
		       const struct unwind_sample *s);

struct unwind_stack {
	const u8 *data;
	u64 start, end; /* memory addresses */
	u8 word;        /* bytes of a word there */
	bool cut;       /* a read went past the end: a larger copy would have helped */
};

/* Read a word of the stack. Return false outside the copy. */
bool unwind_stack__read(struct unwind_stack *s, u64 addr, u64 *value);

/*
 * Evaluate an expression (DWARF 5, section 2.5). cfa: the value of DW_OP_call_frame_cfa. Return false for
 * operations that CFI does not use, unknown registers, and memory outside the copy.
 */
bool unwind_expr__value(const struct cfi_expr *e, const struct unwind_regs *regs, u64 cfa,
			struct unwind_stack *stack, u64 *value);

#endif
