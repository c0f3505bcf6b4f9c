/*
 * A sorted symbol table from any source.
 *
 * Addresses are "dso addresses". In ELF files they are FILE OFFSETS (st_value translated through the section
 * or segment that contains it), because a map's start and pgoff lead from a run-time address to a file
 * offset. Addresses from the kernel, perf-PID.map and ksymbol sources are run-time addresses. A table does
 * not change after symtab__finish; lookups are thread-safe.
 */
#ifndef BINARY_SYMTAB_H
#define BINARY_SYMTAB_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/memory/types.h"
#include "binary/elf/build_id.h"

struct symbol {
	u64 start;
	u32 size : 31;       /* bytes, 0 only before symtab__finish; clamped to 2 GiB - 1 */
	u32 is_extended : 1; /* the size was unknown: symtab__finish set it */
	u32 name : 31;       /* offset of the raw (mangled) name in the table's text, or SYMBOL_NAME_... */
	u32 is_made_up : 1;  /* the name is made of the address, because the real one is unknown */
};

enum {
	SYMBOL_SIZE_MAX = 0x7fffffff,
	SYMBOL_NAME_FOLLOWS = 0x7fffffff, /* the name is in memory after the symbol, in no table */
	SYMBOL_NAME_KEPT = 0x7ffffffe     /* the same, for a copy of a symbol in a table (kept_symbols.h) */
};

struct symtab {
	ARRAY(struct symbol) syms; /* sorted by start; after __finish all starts differ */
	ARRAY(char) text;          /* names, each NUL-terminated; raw, never demangled */
	ARRAY(u8) rank;            /* parallel to syms until __finish: enum symbol_binding */
	/* private: index of the symbol around each one's end; empty if no symbols overlap */
	ARRAY(u32) outer;
	u64 long_names;     /* bytes of names longer than NAME_SHORT that still fit; UINT64_MAX: no limit */
	bool has_cut_names; /* some names were cut, for lack of long_names */
	bool demangled;     /* for __finish: names will be shown demangled, so compare aliases demangled */
	bool exported_only; /* local functions have no symbols: their addresses may seem to be in others */
	bool is_guessed;    /* of a debug file whose binary is missing: the addresses may be wrong */
	const char *source; /* static string for -v: ".symtab", ".dynsym", "kallsyms", ... */
};

/* Binding decides which of several symbols at one address is kept. */
enum symbol_binding { SYMBOL_LOCAL, SYMBOL_WEAK, SYMBOL_GLOBAL };

void symtab__init(struct symtab *t);
void symtab__exit(struct symtab *t);
/* Optional: reserve memory in an empty table for about nr symbols and text bytes of names. */
void symtab__expect(struct symtab *t, size_t nr, size_t text);
/*
 * Limit long names to what a string table of so many bytes can have: names that share bytes could take a
 * thousand times as much. A name that does not fit is cut to its last NAME_SHORT bytes. Sizes of several
 * tables add up.
 */
void symtab__limit_names(struct symtab *t, u64 bytes);
/* Return the name as far as it fits. */
const char *symtab__name_within(struct symtab *t, const char *name);
/* Add a symbol. size 0: unknown; __finish sets it from the next symbol. */
void symtab__add(struct symtab *t, u64 start, u64 size, const char *name, enum symbol_binding binding);
/* As symtab__add, for a name that is not NUL-terminated. */
void symtab__addn(struct symtab *t, u64 start, u64 size, const char *name, size_t len,
		  enum symbol_binding binding);
/*
 * Make the text of an empty table size bytes large, and return it to be filled with names. Each ends in NUL;
 * the last may lack it. Return NULL if the table has names already, or size is too large.
 */
char *symtab__take_text(struct symtab *t, size_t size);
/* As symtab__add, for a name that is in the text already. */
void symtab__add_at(struct symtab *t, u64 start, u64 size, u32 name, enum symbol_binding binding);
/*
 * Sort the table. Keep the one of several symbols at one start that stock perf keeps (see symtab.c). A symbol
 * without a size gets the bytes up to the next symbol, the last one up to the end of the page. Other sizes
 * never change: a symbol may overlap the next.
 */
void symtab__finish(struct symtab *t);
/* Return the size that __finish gives the last symbol if it has none. */
u32 symtab__last_size(u64 start);
/*
 * As __finish, for code that was replaced at run time: drop symbols that start inside one that was added
 * later.
 */
void symtab__finish_by_age(struct symtab *t);
struct symtab_start {
	u64 addr;
	u32 best; /* index in syms; UINT32_MAX: no symbol starts there */
};
/*
 * Before __finish: for each of nr ascending addresses, find the best of the symbols added so far that start
 * there.
 */
void symtab__find_starts(const struct symtab *t, struct symtab_start *v, size_t nr);
/* Return the symbol that contains addr, the innermost of several, or NULL. O(log n). */
const struct symbol *symtab__find(const struct symtab *t, u64 addr);
/*
 * Narrow the range from start to end, which contains addr, to where no symbol starts or ends. sym: the symbol
 * at addr, whose size was unknown, or NULL.
 */
void symtab__narrow(const struct symtab *t, const struct symbol *sym, u64 addr, u64 *start, u64 *end);
static inline const char *symtab__name(const struct symtab *t, const struct symbol *s)
{
	return s->name >= SYMBOL_NAME_KEPT ? (const char *)(s + 1) : t->text.v + s->name;
}

/*
 * Demangle a C++ (Itanium), Rust (legacy and v0), D or OCaml name as stock perf's report does: without
 * parameters, return type and Rust's hash. "name@plt" keeps its suffix. Return a string to be freed, or NULL
 * if the name is not mangled, or is too long for people to read.
 */
char *symbol__demangle(const char *name);

#endif
