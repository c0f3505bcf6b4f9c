/*
 * An ELF file for one function that was compiled at run time: so that whoever reads symbols and code of files
 * finds its. It has .text with the code at JIT_ELF_TEXT, which is its address, too; a symbol; a build-id.
 */
#ifndef INJECT_JIT_ELF_H
#define INJECT_JIT_ELF_H

#include "base/text/strbuf.h"
#include "binary/elf/build_id.h"

enum { JIT_ELF_TEXT = 0x80 }; /* as in stock perf's files */

struct jit_function {
	const char *name;
	const void *code;
	size_t size;
	u16 machine; /* EM_ */
};

/* Fills out, which is empty, with the file. *id: made from the name and the code. */
void jit_elf__build(const struct jit_function *f, struct strbuf *out, struct build_id *id);

#endif
