/*
 * .gopclntab: data about each function that the Go linker writes for tracebacks at run time; stripped
 * programs have it, too. It is used here for names, and for the depth of the stack at each instruction.
 * (Go's runtime/symtab.go describes it. Go 1.18 and newer; older tables are not read.) Every number in it is
 * checked, nothing is copied.
 */
#ifndef BINARY_GO_TABLE_H
#define BINARY_GO_TABLE_H

#include "binary/elf/elf_file.h"

enum { GO_TABLE_TEXT = 24 }; /* offset of the word with the address of the code */

struct go_table {
	const u8 *data; /* the section; must live as long as the table */
	size_t size;
	u64 text; /* virtual address that functions count from; 0: not known yet */
	u64 nr_functions;
	u64 names, pcs, functions; /* offsets of tables */
	u8 quantum;                /* sizes of instructions are multiples of this */
	u8 flags_at;               /* offset of a function's flags in its description */
};

/*
 * Read the header. Return false if it is not such a table. text is 0 if the header does not have it: in
 * position-independent programs, where the loader writes it, and since Go 1.26.
 */
bool go_table__init(struct go_table *t, const void *data, size_t size);

/*
 * Find text in the nr words of the runtime's module data, whose layout depends on the version of Go: three
 * consecutive words are the address of the first function, the end of the last one, and text, which the
 * table can check. Return false if there are none.
 */
bool go_table__set_text(struct go_table *t, const u64 *module, size_t nr);

/* Open the table of a binary, which must stay open. Return false with t all zero if there is none. */
bool go_table__open(struct go_table *t, const struct elf_file *f);

struct go_function {
	u64 start, end;   /* virtual addresses */
	const char *name; /* points into the table */
};
/*
 * Iteration over all functions, except those whose data is invalid. Begin with { .table = t, .room = t->size
 * }. Names that are longer than the table in total would overlap, so the iteration ends there.
 */
struct go_functions {
	const struct go_table *table;
	u64 next, room; /* bytes for names */
};
bool go_functions__next(struct go_functions *all, struct go_function *f);

enum go_caller {
	GO_CALLER_BY_DEPTH,         /* the return address is depth bytes above the stack pointer */
	GO_CALLER_BY_FRAME_POINTER, /* the stack may have changed, but the frame pointer has not */
	GO_CALLER_NONE,             /* outermost: it has no caller, or never returns to it */
};

struct go_frame {
	u64 start, end; /* virtual addresses that this holds for */
	/*
	 * bytes between the stack pointer and the return address; on machines with a link register the size
	 * of the frame
	 */
	u64 depth;
	enum go_caller caller;
};
/* Find the frame at a virtual address. Return false if no Go function is there, or the table is damaged. */
bool go_table__find(const struct go_table *t, u64 vaddr, struct go_frame *f);

#endif
