/* The source of code: a line of a source file, and the functions that were inlined there. */
#ifndef BINARY_SOURCE_LINE_H
#define BINARY_SOURCE_LINE_H

#include "base/memory/types.h"

enum dwarf_wants {                            /* only wanted data is parsed */
		   DWARF_WANTS_LINE = 1 << 0, /* file and line, also those of calls */
		   DWARF_WANTS_INLINED = 1 << 1,
		   DWARF_WANTS_START = 1 << 2,         /* where functions begin in the source */
		   DWARF_WANTS_DISCRIMINATOR = 1 << 3, /* with DWARF_WANTS_LINE; reads the lines again */
		   DWARF_WANTS_DECL = DWARF_WANTS_START | DWARF_WANTS_DISCRIMINATOR,
};

struct inlined {               /* an inlined function */
	const char *name;      /* linker name, or else the name in the source; never NULL */
	u32 decl_line;         /* line of its name, where it is defined; 0: unknown */
	const char *call_file; /* source file of the call; NULL: unknown, or not wanted */
	u32 call_line;
	u32 call_discriminator;
	const struct inlined *caller; /* inlined as well; NULL: the function that contains the code */
};

struct source_line {
	const char *file; /* with directories; NULL: unknown, or not wanted */
	u32 line;         /* 0: unknown */
	/* tells blocks of code of one line apart (DWARF 5, section 6.2.2); 0: the first, or not wanted */
	u32 discriminator;
	/* innermost inlined function, which file and line are in; NULL: none */
	const struct inlined *inlined;
	/* the function that contains the code, without a caller; NULL: unknown, or not wanted */
	const struct inlined *function;
};

#endif
