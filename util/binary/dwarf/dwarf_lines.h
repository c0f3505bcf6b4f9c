/*
 * Where the code of one binary comes from: the source line of an address, and which functions were
 * inlined there. From the DWARF (versions 2 to 5) of the binary or its separate debug file, read with libdw,
 * together with what dwz moved to an alternate file or the compiler left in .dwo files. Packages of these
 * (.dwp) are not read.
 *
 * Nothing is parsed that is not asked for: opening lists which compile unit is at which address; a unit is
 * parsed, once, when an address in it is first looked up. All later lookups there are searches in sorted
 * tables. Everything is thread-safe: several threads parse several units at a time.
 */
#ifndef BINARY_DWARF_LINES_H
#define BINARY_DWARF_LINES_H

#include "base/message/err.h"
#include "base/memory/types.h"
#include "binary/elf/build_id.h"
#include "binary/elf/file_search.h"
#include "binary/dwarf/source_line.h"

struct dwarf_lines_opts {
	const char *symfs;                 /* root of every path looked at; NULL or "": the machine's own */
	const struct debug_places *places; /* more of them for debug files; NULL: none */
	/*
	 * A kernel's image or module. Dso addresses are then not offsets in the file, but in a module from
	 * the start of its code, and of the kernel where it was in memory: with the symbol reference at
	 * reference_addr (NULL: where it was linked).
	 */
	bool is_kernel;
	const char *reference;
	u64 reference_addr;
};

struct dwarf_lines;

/*
 * Of the binary at path, when it has the build-id want (NULL or empty: any) or a debug file of that build is
 * found. 0, -ESTALE or a negative errno with err; -ENODATA: there is no DWARF.
 */
int dwarf_lines__open(struct dwarf_lines **d, const char *path, const struct build_id *want,
		      const struct dwarf_lines_opts *opts, struct err *err);
/* Of an ELF image in memory, which is copied. */
int dwarf_lines__open_image(struct dwarf_lines **d, const void *image, size_t size, struct err *err);
void dwarf_lines__delete(struct dwarf_lines *d); /* accepts NULL */
/*
 * What is at a dso address (file offset). wants: enum dwarf_wants. False: nothing is known. Names live as
 * long as d.
 */
bool dwarf_lines__find(struct dwarf_lines *d, u64 addr, unsigned wants, struct source_line *line);

#endif
