/*
 * An ELF file for one function compiled at run time, so that tools which read ELF files find its symbol and
 * code. It has .text with the code at JIT_ELF_TEXT (offset and address), a symbol and a build-id, and
 * .eh_frame if its compiler gave any.
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
	const void *frames; /* .eh_frame, or NULL; refers to the code as jitdump__frames_addr says */
	size_t frames_size;
	u16 machine; /* EM_ constant */
};

/* Fill out (empty before) with the file, and *id with a build-id made from name and code. */
void jit_elf__build(const struct jit_function *f, struct strbuf *out, struct build_id *id);

#endif
