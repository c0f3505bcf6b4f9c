/*
 * A sorted symbol table, whatever it was read from.
 *
 * Addresses are "dso addresses": for an ELF file they are FILE OFFSETS (a symbol's st_value
 * brought through the section or segment that holds it), because map start/pgoff lead from
 * a run-time address to a file offset; for the kernel, perf-PID.map and ksymbol sources they
 * are run-time addresses. A table is immutable once symtab__finish has run; lookups are
 * thread-safe.
 */
#ifndef BINARY_SYMTAB_H
#define BINARY_SYMTAB_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/memory/types.h"
#include "binary/elf/build_id.h"

struct symbol {
	u64 start;
	u32 size; /* bytes, 0 only before symtab__finish; larger than 4 GiB - 1 is cut */
	u32 name; /* offset of the raw (mangled) name in the table's text */
};

struct symtab {
	ARRAY(struct symbol) syms; /* sorted by start; no two with one start after __finish */
	ARRAY(char) text;          /* names, each NUL-terminated; raw, never demangled */
	ARRAY(u8) rank;            /* parallel to syms until __finish: enum symbol_binding */
	ARRAY(u32) outer;          /* private: who else covers a symbol's end; empty if none overlap */
	bool demangled;     /* for __finish: names will be shown demangled, aliases are judged by that */
	bool exported_only; /* local functions have no symbol: their addresses may look like others' */
	const char *source; /* static string for -v: ".symtab", ".dynsym", "kallsyms", ... */
};

/* Which of several symbols at one address wins. */
enum symbol_binding { SYMBOL_LOCAL, SYMBOL_WEAK, SYMBOL_GLOBAL };

void symtab__init(struct symtab *t);
void symtab__exit(struct symtab *t);
/* Makes room in an empty table for about so many symbols and bytes of names; not needed. */
void symtab__expect(struct symtab *t, size_t nr, size_t text);
/* size 0: unknown, set by __finish from the next symbol. */
void symtab__add(struct symtab *t, u64 start, u64 size, const char *name, enum symbol_binding binding);
/* The same with a name that need not end in NUL. */
void symtab__addn(struct symtab *t, u64 start, u64 size, const char *name, size_t len,
		  enum symbol_binding binding);
/*
 * Makes size bytes of names, each NUL-terminated but for the last maybe, the text of an empty table: they are
 * to be written to what is returned. NULL: the table has names already, or there are too many bytes.
 */
char *symtab__take_text(struct symtab *t, size_t size);
/* The same as symtab__add with a name that is in the text already. */
void symtab__add_at(struct symtab *t, u64 start, u64 size, u32 name, enum symbol_binding binding);
/*
 * Sorts; of several symbols at one start keeps the one that stock perf keeps (documented in symtab.c);
 * gives symbols of unknown size the room to the next one, the last one up to the page's end.
 * Only a size of 0 is ever changed, and a symbol keeps its own size even if it overlaps the next.
 */
void symtab__finish(struct symtab *t);
/* The size that __finish gives the last symbol if it has none. */
u32 symtab__last_size(u64 start);
/* As __finish, for code that was replaced while running: symbols that start inside a later added one are
 * gone. */
void symtab__finish_by_age(struct symtab *t);
struct symtab_start {
	u64 addr;
	u32 best; /* position in syms; UINT32_MAX: none starts there */
};
/* Before __finish: the best of the symbols added so far that start at each of nr addresses, which rise. */
void symtab__find_starts(const struct symtab *t, struct symtab_start *v, size_t nr);
/* The symbol that covers addr, the innermost if several do, or NULL. O(log n). */
const struct symbol *symtab__find(const struct symtab *t, u64 addr);
static inline const char *symtab__name(const struct symtab *t, const struct symbol *s)
{
	return t->text.v + s->name;
}

/*
 * Demangles a C++ (Itanium), Rust (legacy and v0), D or OCaml name, as stock perf's report prints it:
 * without parameters, return type and Rust's hash. "name@plt" keeps its end. NULL if it is not mangled
 * or is longer than a name that a person would read. The caller frees it.
 */
char *symbol__demangle(const char *name);

#endif
