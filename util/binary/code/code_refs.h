/*
 * The addresses that code refers to, without a disassembler: the targets of direct jumps and calls, and the
 * data at addresses that instructions have or make. x86-64 and AArch64.
 */
#ifndef BINARY_CODE_REFS_H
#define BINARY_CODE_REFS_H

#include "base/memory/types.h"

/*
 * Call fn for each address that size bytes of code at vaddr may refer to, outside of the code: all addresses
 * that their instructions refer to, and some more, since where instructions begin is not worked out. machine:
 * EM_ of elf.h; others than those above have none. is_data: not the target of a jump or a call.
 */
typedef void (*code_ref_fn)(void *ctx, u64 target, bool is_data);
void code_refs__list(const u8 *code, size_t size, u64 vaddr, u16 machine, code_ref_fn fn, void *ctx);

#endif
