/*
 * How to find a caller's registers from a range of a binary's code. Registers have the machine's DWARF
 * numbers.
 */
#ifndef BINARY_CFI_ROW_H
#define BINARY_CFI_ROW_H

#include "base/memory/types.h"

#include <stdbool.h>
#include <stddef.h>

enum { CFI_REGS_MAX = 64 };

/* An operation of a DWARF expression, which works on a stack of values. */
struct cfi_op {
	u8 atom; /* DW_OP_ */
	u64 a, b;
};

struct cfi_expr {
	u32 nr;
	bool is_value; /* the result is the value itself, not its address */
	struct cfi_op ops[];
};

enum cfi_rule_kind {
	CFI_AT_CFA,      /* saved at CFA + offset */
	CFI_IS_CFA,      /* is CFA + offset */
	CFI_IN_REGISTER, /* is in another register */
	CFI_BY_EXPR,
};

struct cfi_rule {
	u8 reg, kind; /* kind: enum cfi_rule_kind */
	u16 other;    /* for CFI_IN_REGISTER */
	union {
		s64 offset; /* bytes */
		const struct cfi_expr *expr;
	};
};

struct cfi_row {
	u64 kept; /* bit n: the caller's register n is unchanged, unless there is a rule for it */
	const struct cfi_expr *cfa_expr; /* NULL: CFA = register cfa_reg + cfa_offset */
	s64 cfa_offset;
	u8 cfa_reg;
	u8 ra;             /* register with the return address of the frame */
	bool is_outermost; /* ra has no rule and is not kept: there is no caller */
	bool is_cfi;       /* false: from Go's table or a PLT stub's instructions */
	bool is_signal;    /* frame of a signal's delivery: its caller was interrupted and made no call */
	bool leaves_stack; /* the caller may be on another stack than this frame */
	u8 nr_rules;
	struct cfi_rule rules[];
};

/* Return the rule for a register, or NULL. */
static inline const struct cfi_rule *cfi_row__rule(const struct cfi_row *row, unsigned reg)
{
	for (unsigned i = 0; i < row->nr_rules; i++)
		if (row->rules[i].reg == reg)
			return &row->rules[i];
	return NULL;
}

#endif
