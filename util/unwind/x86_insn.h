/*
 * The effect of an x86 instruction on the stack pointer, the frame pointer and the flow of control. (Intel
 * SDM volume 2, chapter 2 and appendix A)
 */
#ifndef UNWIND_X86_INSN_H
#define UNWIND_X86_INSN_H

#include "base/memory/types.h"

#include <stdbool.h>
#include <stddef.h>

enum { X86_INSN_MAX = 15 }; /* bytes */

/* Numbers of registers in instructions. */
enum { X86_RSP = 4, X86_RBP = 5, X86_NO_REG = 0xff };

enum x86_insn_kind {
	X86_OTHER,  /* changes neither */
	X86_PUSH,   /* reg, or X86_NO_REG for anything else */
	X86_POP,    /* likewise */
	X86_SET,    /* reg = base + value, or base X86_NO_REG: anything */
	X86_LOAD,   /* reg = memory at base + value */
	X86_LEAVE,  /* rsp = rbp, then pop rbp */
	X86_CALL,   /* value: distance from the next instruction; 0: it does not say */
	X86_JUMP,   /* value: distance from the next instruction */
	X86_BRANCH, /* likewise, or to the next instruction */
	X86_RET,
	X86_END, /* an unknown jump, a trap */
};

struct x86_insn {
	enum x86_insn_kind kind;
	u8 reg, base; /* by their numbers in instructions */
	u8 size;      /* bytes */
	s64 value;
};

/*
 * Decode the instruction at code. Return false if it is unknown or longer than size. is_64bit: the mode of
 * the code. X86_SET is reported for rsp and rbp only, X86_LOAD for all registers.
 */
bool x86_insn__decode(struct x86_insn *insn, const u8 *code, size_t size, bool is_64bit);

#endif
