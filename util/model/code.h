/*
 * The code of a binary: its bytes, and what its instructions refer to. Each comes from the first of several
 * sources that has it; the tables are in code.c.
 */
#ifndef MODEL_CODE_H
#define MODEL_CODE_H

#include "base/text/strbuf.h"
#include "model/symbolize.h"

struct code {
	struct strbuf bytes; /* from the address asked for; may be fewer than asked for, at least one */
	/*
	 * linked address of the first byte, as objdump shows it; for the kernel, modules and JIT code, the
	 * dso address
	 */
	u64 vaddr;
	u16 machine;        /* EM_ of elf.h, or MACHINE_THUMB */
	bool big_endian;    /* of the instructions */
	const char *source; /* a static string: "the recording", "the file" ... */
	char *path;         /* file that has the bytes; NULL: none. Owned */
};

#define CODE_INIT                    \
	{                            \
		.bytes = STRBUF_INIT \
	}

enum {
	CODE_MAX = 16 << 20 /* bytes of one function; more are cut off */
};

/*
 * Get size bytes of the dso from a dso address on. Return 0; -ENOENT, -ESTALE or another negative errno with
 * err, which is the reason of the first source that failed. code: CODE_INIT, or of an earlier call; its
 * memory is reused. Thread-safe.
 */
int symbolizer__code(struct symbolizer *s, struct dso *dso, u64 addr, u64 size, struct code *code,
		     struct err *err);
void code__exit(struct code *code);

/*
 * Find what an instruction of the dso refers to at a linked address (struct code, vaddr). text: memory for
 * ref->name. Return false if nothing is known. Thread-safe.
 */
bool symbolizer__code_ref(struct symbolizer *s, struct dso *dso, u64 vaddr, bool is_data, struct strbuf *text,
			  struct code_ref *ref);
/*
 * Return the symbol at a linked address of the dso (struct code, vaddr) and set *addr, the dso address; NULL:
 * no symbol is known there. Thread-safe.
 */
const struct symbol *symbolizer__code_symbol(struct symbolizer *s, struct dso *dso, u64 vaddr, u64 *addr);
/*
 * Append what an instruction of the dso refers to at a linked address (struct code, vaddr): "memcpy@plt",
 * "table+0x10", "\"text\"" for a string. is_code: it is the target of a jump or a call. Names are demangled
 * unless the options say no; not masked. Return false if nothing is known. Thread-safe.
 */
bool symbolizer__code_name(struct symbolizer *s, struct dso *dso, u64 vaddr, bool is_code,
			   struct strbuf *name);

#endif
