/* Rows from .ARM.exidx. */
#include "binary/tables/cfi_source.h"

#include "base/memory/mem.h"
#include "binary/tables/arm_table.h"

#include <stdlib.h>

static void *arm__open(struct cfi_binary *b)
{
	struct arm_table *t = xcalloc(1, sizeof(*t));

	if (arm_table__open(t, &b->file))
		return t;
	free(t);
	return NULL;
}

/* r4 to r11 keep the caller's values, and the link register has the return address. */
static bool arm__find(void *source, struct cfi_binary *b, u64 vaddr, struct cfi_found *found)
{
	enum { SP = 13, LR = 14, PC = 15 };
	struct cfi_row *row = &found->row;
	struct arm_frame frame;

	(void)b;
	if (!arm_table__find(source, vaddr, &frame))
		return false;
	found->end = frame.end;
	*row = (struct cfi_row){ .cfa_reg = frame.base,
				 .cfa_offset = frame.offset,
				 .kept = (0xff0 | 1 << LR) & ~(u64)frame.saved,
				 .ra = frame.saved >> PC & 1 ? PC : LR };
	/* All registers are saved on the stack only by a signal. */
	row->is_signal = row->ra == PC && (frame.saved >> SP & 1);
	for (u8 reg = 0; reg < 16; reg++)
		if (frame.saved >> reg & 1)
			found->rules[row->nr_rules++] = (struct cfi_rule){
				.reg = reg, .kind = CFI_AT_CFA, .offset = frame.at[reg] - frame.offset
			};
	return true;
}

const struct cfi_source cfi_arm = { .is_enough = true, .open = arm__open, .find = arm__find, .close = free };
