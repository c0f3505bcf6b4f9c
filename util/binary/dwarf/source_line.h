/*
 * Where code comes from: a line of a source file, and the functions that were inlined there.
 */
#ifndef BINARY_SOURCE_LINE_H
#define BINARY_SOURCE_LINE_H

#include "base/memory/types.h"

enum dwarf_wants {                            /* what is not wanted need not be parsed */
		   DWARF_WANTS_LINE = 1 << 0, /* file and line, of calls too */
		   DWARF_WANTS_INLINED = 1 << 1,
};

struct inlined {               /* a function that was inlined */
	const char *name;      /* as the linker would have known it, or as in the source; never NULL */
	const char *call_file; /* where it was called; NULL: unknown, or not asked for */
	u32 call_line;
	const struct inlined *caller; /* inlined too; NULL: the function that has the code */
};

struct source_line {
	const char *file;              /* with directories; NULL: unknown, or not asked for */
	u32 line;                      /* 0: unknown */
	const struct inlined *inlined; /* the innermost one, which file and line are in; NULL: none */
};

#endif
