/* Variables and functions of the kernel by name, from the text of /proc/kallsyms. */
#ifndef RECORD_KERNEL_NAMES_H
#define RECORD_KERNEL_NAMES_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/memory/types.h"

struct kernel_name {
	u64 addr;
	u64 size; /* bytes up to the next symbol; 0: there is none */
	bool is_function;
	bool is_global;  /* else static in one of its files */
	char module[64]; /* "": the kernel itself; a longer name is cut */
};
typedef ARRAY(struct kernel_name) kernel_name_array;

/*
 * The symbols called so. 0, also when there are none; -EPERM with err: the addresses are hidden; -ENODATA
 * with err: none was found and the text has no data symbols at all, so a variable could not be.
 */
int kernel_names__find(const void *text, size_t size, const char *name, kernel_name_array *found,
		       struct err *err);
/* Appends "'a', 'b' or 'c'", names near to name, or nothing. */
struct strbuf;
void kernel_names__suggest(const void *text, size_t size, const char *name, struct strbuf *sb);

#endif
