/*
 * The symbols of one binary at the addresses that were looked up. They stay when the memory of the symbol
 * table is given back. Not thread-safe.
 */
#ifndef BINARY_KEPT_SYMBOLS_H
#define BINARY_KEPT_SYMBOLS_H

#include "base/memory/arena.h"
#include "base/memory/hash.h"
#include "binary/symbols/symtab.h"

struct kept_answer {
	u64 addr;
	const struct symbol *sym; /* NULL: there is none */
};

struct kept_symbols {
	struct arena arena;
	ARRAY(struct kept_answer) answers;
	struct hash_table by_addr;
	ARRAY(const struct symbol *) v; /* do not move; each is followed by its name */
	struct hash_table by_start;
};

void kept_symbols__exit(struct kept_symbols *k); /* accepts an all-zero one */
/* Return false if addr was not looked up before. *sym: the answer, which may be NULL. */
bool kept_symbols__find(const struct kept_symbols *k, u64 addr, const struct symbol **sym);
/*
 * Keep the answer for an address that has none yet. sym: a symbol of t or with its name after it, or NULL.
 * Return the copy, the same one for equal symbols, or NULL.
 */
const struct symbol *kept_symbols__add(struct kept_symbols *k, u64 addr, const struct symtab *t,
				       const struct symbol *sym);

#endif
