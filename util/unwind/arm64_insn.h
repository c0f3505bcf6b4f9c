/*
 * Where an arm64 instruction leads. (Arm Architecture Reference Manual for A-profile, C4.1: the encoding)
 */
#ifndef UNWIND_ARM64_INSN_H
#define UNWIND_ARM64_INSN_H

#include "base/memory/types.h"

enum { ARM64_INSN_SIZE = 4 }; /* bytes */

enum arm64_flow {
	ARM64_GOES_ON,
	ARM64_CALL,
	ARM64_RETURN,
	ARM64_END,    /* an unknown jump, a trap */
	ARM64_JUMP,   /* by *distance */
	ARM64_BRANCH, /* likewise, or to the next instruction */
};

/* Return the signed number in a number of bits from the bit low on. */
static inline s64 arm64_insn__signed(u32 insn, unsigned low, unsigned bits)
{
	return (s64)((u64)insn << (64 - low - bits)) >> (64 - bits);
}

/* distance: in bytes, from the instruction. */
enum arm64_flow arm64_insn__flow(u32 insn, s64 *distance);

#endif
