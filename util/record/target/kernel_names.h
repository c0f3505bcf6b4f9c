/* Look up variables and functions of the kernel by name, in the text of /proc/kallsyms. */
#ifndef RECORD_KERNEL_NAMES_H
#define RECORD_KERNEL_NAMES_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/memory/types.h"

struct kernel_name {
	u64 addr;
	u64 size; /* bytes up to the next symbol; 0: no next symbol */
	bool is_function;
	bool is_global;  /* else static in one of its files */
	char module[64]; /* "": the kernel itself; a longer name is cut off */
};
typedef ARRAY(struct kernel_name) kernel_name_array;

/*
 * Find the symbols with this name. Return 0, also if there are none; -EPERM with err: the addresses are
 * hidden; -ENODATA with err: nothing was found, and the text has no data symbols at all.
 */
int kernel_names__find(const void *text, size_t size, const char *name, kernel_name_array *found,
		       struct err *err);
/* Add a line with similar names to err. Return false if there are none. */
bool kernel_names__suggest(const void *text, size_t size, const char *name, struct err *err);

#endif
