/*
 * The functions of a binary with the names and borders that BOLT gives them. Local functions are NAME/1,
 * NAME/2 ... in the order of their addresses; of several names at one address it takes the first one in the
 * symbol table. (llvm/bolt/lib/Rewrite/RewriteInstance.cpp, discoverFileObjects and adjustFunctionBoundaries)
 */
#ifndef PGO_BOLT_FUNCTIONS_H
#define PGO_BOLT_FUNCTIONS_H

#include "base/memory/arena.h"
#include "binary/symbols/elf_raw.h"
#include "binary/tables/borders.h"
#include "pgo/code_use.h"

struct bolt_function { /* linked addresses; after bolt_functions__find dso addresses */
	const char *name;
	u64 start, size;
	u64 end;      /* at least start + size: where the next symbol is */
	bool is_stub; /* of the PLT, whose code BOLT does not look at */
};

struct bolt_functions {
	ARRAY(struct bolt_function) v; /* of .symtab, sorted by start */
	struct elf_raw raw;
	struct session *session;
	struct dso *dso;
	bool is_dynamic;         /* not statically linked */
	struct borders *borders; /* NULL: none */
	struct arena names;
};

/* Read the functions of a dso's file. Return 0, or a negative errno with err. */
int bolt_functions__open(struct bolt_functions *b, struct session *s, struct dso *dso, struct err *err);
void bolt_functions__close(struct bolt_functions *b); /* accepts an all-zero one */
/* Find the function at a dso address. Return false if BOLT knows none there. */
bool bolt_functions__find(struct bolt_functions *b, u64 addr, struct bolt_function *f);

#endif
