/*
 * Identify the code of a function in any build by a hash of its instructions, without the addresses in them,
 * which change when other code grows.
 */
#ifndef PROFILE_CODE_HASH_H
#define PROFILE_CODE_HASH_H

#include "binary/code/disasm.h"
#include "model/code.h"

struct code_hasher {
	struct symbolizer *symbolizer; /* not owned */
	struct code code;
	struct disasm *disasm;
	bool is_useless; /* there is no disassembler */
};

void code_hasher__init(struct code_hasher *h, struct symbolizer *s);
void code_hasher__exit(struct code_hasher *h);
/*
 * Return the hash of a function. 0: its code or the disassembler is missing, or it is so short that others
 * may look like it.
 */
u64 code_hasher__hash(struct code_hasher *h, struct dso *dso, const struct symbol *sym);

#endif
