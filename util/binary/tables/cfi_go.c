/* Rows from .gopclntab. A Go function saves no registers but the frame pointer. */
#include "binary/tables/cfi_source.h"

#include "base/memory/mem.h"
#include "binary/tables/go_table.h"

#include <stdlib.h>

static void *go__open(struct cfi_binary *b)
{
	struct go_table *t = xcalloc(1, sizeof(*t));

	if (go_table__open(t, &b->file))
		return t;
	free(t);
	return NULL;
}

static bool go__find(void *source, struct cfi_binary *b, u64 vaddr, struct cfi_found *found)
{
	struct cfi_row *row = &found->row;
	struct go_frame frame;
	s64 depth;

	if (!go_table__find(source, vaddr, &frame))
		return false;
	depth = (s64)frame.depth;
	found->end = frame.end;
	switch (b->machine) {
	case EM_X86_64:
		*row = (struct cfi_row){
			.cfa_reg = 7, .cfa_offset = depth + 8, .ra = 16, .kept = depth ? 0 : 1 << 6
		};
		found->rules[0] = (struct cfi_rule){ .reg = 16, .kind = CFI_AT_CFA, .offset = -8 };
		found->rules[1] = (struct cfi_rule){ .reg = 6, .kind = CFI_AT_CFA, .offset = -16 };
		row->nr_rules = depth ? 2 : 1;
		if (frame.caller == GO_CALLER_BY_FRAME_POINTER) {
			row->cfa_reg = 6;
			row->cfa_offset = 16;
			row->nr_rules = 2;
			row->leaves_stack = true;
		}
		break;
	case EM_AARCH64:
		/*
		 * The return address is at the stack pointer, and the caller's frame pointer is just below
		 * it; the frame pointer points to the latter.
		 */
		*row = (struct cfi_row){
			.cfa_reg = 31, .cfa_offset = depth, .ra = 30, .kept = depth ? 0 : 1 << 29 | 1 << 30
		};
		found->rules[0] = (struct cfi_rule){ .reg = 30, .kind = CFI_AT_CFA, .offset = -depth };
		found->rules[1] = (struct cfi_rule){ .reg = 29, .kind = CFI_AT_CFA, .offset = -depth - 8 };
		row->nr_rules = depth ? 2 : 0;
		if (frame.caller == GO_CALLER_BY_FRAME_POINTER && depth) {
			row->cfa_reg = 29;
			row->cfa_offset = depth + 8;
			row->leaves_stack = true;
		}
		break;
	default:
		return false;
	}
	if (frame.caller == GO_CALLER_NONE) {
		row->nr_rules = 0;
		row->kept = 0;
	}
	return true;
}

const struct cfi_source cfi_go = { .is_enough = true, .open = go__open, .find = go__find, .close = free };
