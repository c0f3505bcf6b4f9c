/* The functions that the compiler inlined into one function. Private to util/binary. */
#ifndef BINARY_DWARF_SCOPES_H
#define BINARY_DWARF_SCOPES_H

#include "binary/dwarf/dwarf_file.h"
#include "binary/dwarf/dwarf_scan.h"
#include "binary/dwarf/source_line.h"
#include "binary/dwarf/spans.h"

struct dwarf_scope {
	/* name: NULL until dwarf_scopes__name, which also sets decl_line; read with __atomic */
	struct inlined inlined;
	u64 offset;    /* of its entry */
	u32 around;    /* index of the scope that it is inlined into */
	u32 call_file; /* number in the unit's list of files */
};

struct dwarf_scopes {
	bool has_files; /* call_file of the scopes' inlined is set; __atomic */
	/* address ranges of scopes; group: the enclosing scope. Scope 0 is the function itself. */
	struct spans spans;
	ARRAY(struct dwarf_scope) v;
	u64_array borders; /* where spans begin and end, sorted; empty until dwarf_scopes__list_borders */
};

/* Parse the function whose entry is at the offset, in the unit whose first entry is code. */
struct dwarf_scopes *dwarf_scopes__new(struct dwarf_file *file, Dwarf_Die *code, u64 offset,
				       struct dwarf_abbrevs *abbrevs);
void dwarf_scopes__delete(struct dwarf_scopes *s); /* accepts NULL */
/* Return the innermost scope at a virtual address; 0: nothing is inlined there. */
u32 dwarf_scopes__find(const struct dwarf_scopes *s, u64 vaddr);
/* Set the names of a scope and of those around it, of the function itself only if wanted; code: as above. */
void dwarf_scopes__name(struct dwarf_scopes *s, struct dwarf_file *file, Dwarf_Die *code, u32 id,
			bool with_function);
/* Set the files of calls, from the unit's list. */
void dwarf_scopes__set_files(struct dwarf_scopes *s, const char *const *files, size_t nr);

/*
 * Append the addresses from start on and below end at which a scope begins or ends. The first call sorts
 * them: not thread-safe.
 */
void dwarf_scopes__list_borders(struct dwarf_scopes *s, u64 start, u64 end, u64_array *borders);

/*
 * Add the address ranges of an entry, at most *left, which is reduced. Ranges at 0 are skipped: they belong
 * to code that was not linked.
 */
void dwarf_die__add_spans(Dwarf_Die *die, struct spans *spans, u32 group, u32 id, u32 *left);

#endif
