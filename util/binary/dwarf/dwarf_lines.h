/*
 * Source lines and inlined functions of the addresses of one binary, read with libdw from the DWARF (versions
 * 2 to 5) of the binary or its separate debug file, with the parts that dwz moved to an alternate file or
 * that the compiler left in .dwo files. Packages of .dwo files (.dwp) are not read.
 *
 * Parsing is lazy: opening lists the addresses of each compile unit; the first lookup in a unit parses it.
 * Later lookups there are searches in sorted tables. Everything is thread-safe: several threads may parse
 * several units at a time.
 */
#ifndef BINARY_DWARF_LINES_H
#define BINARY_DWARF_LINES_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/memory/types.h"
#include "binary/elf/build_id.h"
#include "binary/elf/file_search.h"
#include "binary/dwarf/source_line.h"

struct dwarf_lines_opts {
	const char *symfs;                 /* root of every path; NULL or "": this machine's own */
	const struct debug_places *places; /* additional search folders for debug files, or NULL */
	/*
	 * The binary is a kernel image or module. Then dso addresses are not file offsets. A module's count
	 * from the start of its code. The kernel's are memory addresses, with the symbol reference at
	 * reference_addr; reference NULL: they are linked addresses.
	 */
	bool is_kernel;
	const char *reference;
	u64 reference_addr;
};

struct dwarf_lines;

/*
 * Open the lines of the binary at path if it has the build-id want (NULL or empty: any), or else of a debug
 * file with that build-id. Return 0, -ESTALE or another negative errno with err; -ENODATA: there is no
 * DWARF.
 */
int dwarf_lines__open(struct dwarf_lines **d, const char *path, const struct build_id *want,
		      const struct dwarf_lines_opts *opts, struct err *err);
/* Open the lines of an ELF image in memory, which is copied. */
int dwarf_lines__open_image(struct dwarf_lines **d, const void *image, size_t size, struct err *err);
void dwarf_lines__delete(struct dwarf_lines *d); /* accepts NULL */
/*
 * Look up a dso address (file offset). wants: enum dwarf_wants. Return false if nothing is known. Names live
 * as long as d.
 */
bool dwarf_lines__find(struct dwarf_lines *d, u64 addr, unsigned wants, struct source_line *line);
/*
 * Give back the memory that only finding needs, until something is looked up again. is_done: also what was
 * unpacked, because no more lookups are expected. Thread-safe.
 */
void dwarf_lines__rest(struct dwarf_lines *d, bool is_done);
/*
 * Append the dso addresses from start on and below end where dwarf_lines__find may begin to give another
 * answer, in any order, some maybe more than once. wants: with DWARF_WANTS_DECL also where the discriminator
 * changes, else lines and inlined functions.
 */
void dwarf_lines__list_borders(struct dwarf_lines *d, u64 start, u64 end, unsigned wants, u64_array *borders);

#endif
