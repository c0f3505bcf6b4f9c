/* The source of code: a line of a source file, and the functions that were inlined there. */
#ifndef BINARY_SOURCE_LINE_H
#define BINARY_SOURCE_LINE_H

#include "base/memory/types.h"

enum dwarf_wants {                            /* only wanted data is parsed */
		   DWARF_WANTS_LINE = 1 << 0, /* file and line, also those of calls */
		   DWARF_WANTS_INLINED = 1 << 1,
};

struct inlined {               /* an inlined function */
	const char *name;      /* linker name, or else the name in the source; never NULL */
	const char *call_file; /* source file of the call; NULL: unknown, or not wanted */
	u32 call_line;
	const struct inlined *caller; /* inlined as well; NULL: the function that contains the code */
};

struct source_line {
	const char *file; /* with directories; NULL: unknown, or not wanted */
	u32 line;         /* 0: unknown */
	/* innermost inlined function, which file and line are in; NULL: none */
	const struct inlined *inlined;
};

#endif
