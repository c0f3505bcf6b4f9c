/*
 * Functions with made-up names, "sha1sum@0x4130": the binary and the virtual address of the function's start.
 * They are the functions of stripped binaries, and those that a library does not export
 * (binary/tables/borders.h). They are made when an address in them is looked up.
 */
#ifndef MODEL_MADE_UP_H
#define MODEL_MADE_UP_H

#include "base/memory/arena.h"
#include "base/memory/hash.h"
#include "binary/symbols/symtab.h"
#include "binary/tables/borders.h"

/* The functions of one dso. */
struct made_up {
	struct borders *borders; /* NULL: none */
	struct arena arena;
	ARRAY(const struct symbol *) v; /* do not move; each is followed by its name */
	struct hash_table by_start;
};

/* Take over borders, which may be NULL. */
struct made_up *made_up__new(struct borders *borders);
void made_up__delete(struct made_up *m); /* accepts NULL */
/*
 * Return the function at a dso address, or sym if that is it, or NULL. t: the dso's symbols; sym: the one
 * at the address, whose size was unknown, or NULL. binary: its short name. The names of
 * main and _start do not count as made up. Not thread-safe.
 */
const struct symbol *made_up__find(struct made_up *m, const struct symtab *t, const struct symbol *sym,
				   const char *binary, u64 addr);

#endif
