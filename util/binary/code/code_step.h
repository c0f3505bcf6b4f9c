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
	STEP_CALL,   /* to target */
	STEP_JUMP_INDIRECT,
};

struct code_step {
	u8 size; /* bytes */
	u8 kind; /* enum code_step_kind */
	/*
	 * of indirect jumps of x86: has a prefix that only a switch has (notrack); the jump's operand is one
	 * fixed address, such as a slot of the global offset table
	 */
	bool is_switch, is_slot;
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
