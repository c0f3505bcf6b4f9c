/*
 * Instructions as objdump (binutils, or LLVM's) reads them, for those that libcapstone does not know. It runs
 * without a shell, with a limit of time, and reads a file in memory that has nothing but the code. What it
 * prints is not trusted: control characters are masked, and an instruction begins where another one ends.
 */
#ifndef BINARY_OBJDUMP_H
#define BINARY_OBJDUMP_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/text/strbuf.h"

struct objdump_insn {
	u32 offset;             /* from the first byte */
	u8 size;                /* bytes */
	u32 mnemonic, operands; /* offsets in texts; mnemonic 0: objdump does not know it either */
};

struct objdump {
	ARRAY(struct objdump_insn) insns; /* in the order of addresses */
	struct strbuf texts;              /* each ends with NUL */
};

/*
 * Read size bytes of code at a linked address. machine: EM_ of elf.h. is_intel: x86 in Intel's syntax.
 * program: the one to run; NULL: that of the machine. Return 0; -ENOENT with err, which says what to install;
 * -ENOTSUP: not for this machine; or another negative errno with err. Exit o in any case.
 */
int objdump__read(struct objdump *o, const char *program, u16 machine, bool is_intel, const u8 *code,
		  size_t size, u64 addr, struct err *err);
/* As objdump__read, of what objdump has printed. For tests. */
void objdump__parse(struct objdump *o, const char *text, size_t len, u16 machine, size_t size, u64 addr);
/* Return the instruction that begins at an offset, or NULL. */
const struct objdump_insn *objdump__find(const struct objdump *o, u64 offset);
void objdump__exit(struct objdump *o); /* accepts an all-zero one */

static inline const char *objdump__text(const struct objdump *o, u32 text)
{
	return o->texts.buf + text;
}

#endif
