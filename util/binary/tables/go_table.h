/*
 * .gopclntab: what the Go linker writes of each function, for tracebacks at run time; stripped programs have
 * it, too. Of interest here is how far the stack pointer has come down at each instruction. (Go's
 * runtime/symtab.go describes it. Go 1.18 and newer; what older ones write is not read.) Every number in it
 * is checked, nothing is copied.
 */
#ifndef BINARY_GO_TABLE_H
#define BINARY_GO_TABLE_H

#include "binary/elf/elf_file.h"

enum { GO_TABLE_TEXT = 24 }; /* offset of the word that says where the code begins */

struct go_table {
	const u8 *data; /* the section's, which must stay there */
	size_t size;
	u64 text; /* virtual address that functions are counted from; 0: not known yet */
	u64 nr_functions;
	u64 names, pcs, functions; /* offsets of tables */
	u8 quantum;                /* instructions are multiples of so many bytes */
	u8 flags_at;               /* offset of a function's flags in its description */
};

/* Read the header; false if it is not such a table. text is 0 where the header does not have it: in
 * position-independent programs, where the loader writes it, and from Go 1.26 on. */
bool go_table__init(struct go_table *t, const void *data, size_t size);

/*
 * Take text from the nr words of the runtime's module data. Its layout differs between versions of Go: three
 * words in a row are the address of the first function, that of the last one's end, and text, which the table
 * can check. False if there are none.
 */
bool go_table__set_text(struct go_table *t, const u64 *module, size_t nr);

/* The table of a binary; t is all zero and false returned if it has none. The binary must stay open. */
bool go_table__open(struct go_table *t, const struct elf_file *f);

struct go_function {
	u64 start, end;   /* virtual addresses */
	const char *name; /* in the table */
};
/*
 * All functions, those left out of which the table says what makes no sense. Begin with { .table = t, .room =
 * t->size }; names that are longer than the table, all together, are not believed: they would overlap.
 */
struct go_functions {
	const struct go_table *table;
	u64 next, room; /* bytes for names */
};
bool go_functions__next(struct go_functions *all, struct go_function *f);

enum go_caller {
	GO_CALLER_BY_DEPTH,         /* the return address is depth bytes above the stack pointer */
	GO_CALLER_BY_FRAME_POINTER, /* the stack may be another one, but the frame pointer has stayed */
	GO_CALLER_NONE,             /* outermost: nobody called it, or it left the caller for good */
};

struct go_frame {
	u64 start, end; /* virtual addresses that this holds for */
	u64 depth;      /* bytes between the stack pointer and the return address; of machines with a link
			      register, the frame's size */
	enum go_caller caller;
};
/* False: there is no Go function at this virtual address, or the table is damaged. */
bool go_table__find(const struct go_table *t, u64 vaddr, struct go_frame *f);

#endif
