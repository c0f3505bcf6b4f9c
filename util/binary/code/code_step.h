/*
 * Walk code an instruction at a time, without a disassembler: the length of each instruction, and where it
 * may go. x86-64, i386 and arm64. (Intel SDM, volume 2, chapter 2 and appendix A; Arm ARM, C4.1)
 */
#ifndef BINARY_CODE_STEP_H
#define BINARY_CODE_STEP_H

#include "base/memory/types.h"

enum code_step_kind {
	STEP_OTHER,
	STEP_RETURN,
	STEP_JUMP,   /* to target */
	STEP_BRANCH, /* conditional jump to target */
	STEP_CALL,   /* to target; 0: indirect */
	STEP_JUMP_INDIRECT,
	STEP_STOP, /* the program ends here: ud2, hlt, udf, brk */
};

enum { STEP_NO_REGISTER = 0xff };

struct code_step {
	u8 size;      /* bytes */
	u8 kind;      /* enum code_step_kind */
	u8 adds_to;   /* register that gets the sum of two: how the address of a switch's case is made */
	u8 jumps_by;  /* register with the target of an indirect jump; or STEP_NO_REGISTER */
	bool is_case; /* an indirect jump of x86 with a prefix that only a switch has: notrack */
	bool is_slot; /* an indirect jump through one word at a fixed address, such as one of .got */
	u64 table;    /* of an indirect jump of x86: address of the table with its targets; 0: unknown */
	u64 target;
};

/* Can code of this machine (EM_ of elf.h) be read? */
bool code_step__knows(u16 machine);
/*
 * Read the first instruction of size bytes of code at an address. Return false if it is invalid, unknown, or
 * longer than size.
 */
bool code_step__read(struct code_step *s, const u8 *code, size_t size, u64 addr, u16 machine);

#endif
