/*
 * Instructions from bytes, with capstone, which is loaded when it is used. An instruction that it does not
 * know has no mnemonic and its own length, or the smallest length if that is unknown, so that the next
 * instruction is found.
 *
 * capstone 4 reads EVEX instructions (AVX-512) wrongly: with it they have no mnemonics either. objdump may
 * read what capstone does not know: disasm__ask_objdump().
 */
#ifndef BINARY_DISASM_H
#define BINARY_DISASM_H

#include "base/message/err.h"

enum disasm_syntax {
	DISASM_ATT, /* of x86; other machines have one syntax */
	DISASM_INTEL,
};

enum insn_kind {
	INSN_OTHER,
	INSN_JUMP, /* also conditional ones */
	INSN_CALL,
	INSN_RETURN,
	INSN_UNKNOWN, /* no mnemonic */
};

struct insn {
	u64 addr;
	u8 size; /* bytes, at least 1 */
	enum insn_kind kind;
	bool is_slow;    /* usually takes some ten cycles or more: divisions, atomic operations ... */
	bool has_target; /* a jump or a call to an address that the instruction has */
	bool has_data;   /* an operand is at an address that the instruction has, or that it makes */
	u64 target, data;
	const char *mnemonic; /* "" if it is unknown; valid until the next call */
	/* may be empty; for a jump or call to an address, those before the address, such as "x0, " */
	const char *operands;
};

struct disasm;

/*
 * Make a disassembler for a machine: EM_ of elf.h, or MACHINE_THUMB (elf_code.h). Return 0; -ENOTSUP with
 * err: the library is missing, or does not know the machine.
 */
int disasm__new(struct disasm **d, u16 machine, bool big_endian, enum disasm_syntax syntax, struct err *err);
/*
 * Make *d, which may be NULL, one for this machine, unless it is. Return as disasm__new(); *d is NULL after
 * an error.
 */
int disasm__switch(struct disasm **d, u16 machine, bool big_endian, enum disasm_syntax syntax,
		   struct err *err);
void disasm__delete(struct disasm *d); /* accepts NULL */
/* Read the first instruction of size bytes, at least 1, that are at a linked address. */
void disasm__next(struct disasm *d, const u8 *code, size_t size, u64 addr, struct insn *insn);
/*
 * Run objdump for these size bytes of code at a linked address. From then on, disasm__next() has its
 * instructions where capstone knows none, or one of another length. program: as in objdump.h. Return 0 or a
 * negative errno with err, which fits into "not decoded: ...".
 */
int disasm__ask_objdump(struct disasm *d, const char *program, const u8 *code, size_t size, u64 addr,
			struct err *err);

#endif
