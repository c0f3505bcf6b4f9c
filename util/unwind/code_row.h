/*
 * Unwind rows for x86 and arm64 code without call frame information, from its instructions: a function
 * that goes on undoes its frame before it returns. The walk follows jumps from an address to the return, and
 * counts what each instruction does to the stack pointer and the frame pointer.
 *
 * The walk knows nothing of calls that do not return and of jumps through tables, so a row may be wrong: the
 * caller checks that the return address follows a call.
 */
#ifndef UNWIND_CODE_ROW_H
#define UNWIND_CODE_ROW_H

#include "binary/tables/cfi_row.h"

enum { CODE_ROW_RULES = 12 };

struct code_row { /* a row and its rules */
	_Alignas(struct cfi_row) u8 bytes[sizeof(struct cfi_row) + CODE_ROW_RULES * sizeof(struct cfi_rule)];
};

static inline const struct cfi_row *code_row__row(const struct code_row *row)
{
	return (const void *)row->bytes;
}

/* Read size bytes of code at a memory address. Return false if not all of it can be read. */
typedef bool (*read_code_fn)(void *ctx, u64 ip, void *data, size_t size);

/*
 * Make the row of an address of x86-64 code, or of a return address. Return false if no return is found.
 */
bool code_row__make(struct code_row *row, u64 ip, bool is_return, read_code_fn read, void *ctx);
/* Make a row from i386 or arm64 code in the same way. */
bool code_row__make_i386(struct code_row *row, u64 ip, bool is_return, read_code_fn read, void *ctx);
bool code_row__make_arm64(struct code_row *row, u64 ip, bool is_return, read_code_fn read, void *ctx);

#endif
