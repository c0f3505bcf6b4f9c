/*
 * The starts and ends of the functions of a binary, from data that stripped binaries have, too: .eh_frame or
 * .debug_frame, .ARM.exidx, sections, the entry point, and main. Code between two borders is one function. No
 * code is disassembled, except for the entry code's way to pass main. (Linux Standard Base, "Exception
 * Frames"; "Exception Handling ABI for the Arm Architecture", section 5)
 */
#ifndef BINARY_BORDERS_H
#define BINARY_BORDERS_H

#include "base/message/err.h"
#include "base/memory/types.h"
#include "binary/elf/build_id.h"

#include <stdbool.h>

struct borders;

/*
 * Open the borders of root + path if it has the build-id want (empty: any). Return 0; -ENODATA: the binary
 * has no table of functions; or another negative errno with err.
 */
int borders__open(struct borders **b, const char *path, const struct build_id *want, const char *root,
		  struct err *err);
void borders__delete(struct borders *b); /* accepts NULL */

struct code_range { /* dso addresses */
	u64 start, end;
	u64 bias;         /* the virtual address of a dso address is this much larger */
	const char *name; /* "main" or "_start", or NULL: unknown */
};
/*
 * Find the function at a dso address (file offset). Return false if there is no code. Exported symbols are
 * not known here, and may divide the range. Thread-safe. O(log n).
 */
bool borders__find(const struct borders *b, u64 addr, struct code_range *range);

#endif
