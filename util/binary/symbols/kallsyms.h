/* /proc/kallsyms, or a saved copy of one: "ADDRESS TYPE NAME [MODULE]" lines (man 5 proc). */
#ifndef BINARY_KALLSYMS_H
#define BINARY_KALLSYMS_H

#include "binary/symbols/symtab.h"

/*
 * Calls fn for each line. module is NULL for the kernel's own. name and module are not
 * NUL-terminated beyond their len. Stops when fn returns non-zero and returns that; malformed lines are
 * skipped.
 */
struct kallsyms_line {
	u64 addr;
	char type;
	const char *name, *module;
	size_t name_len, module_len;
};
/* The line from p to end, without its newline. False: it is malformed. */
bool kallsyms_line__parse(struct kallsyms_line *l, const char *p, const char *end);
/* Whether it is of what stock perf takes: code, and data, which ends functions that have no size of their
 * own. */
bool kallsyms_line__is_wanted(const struct kallsyms_line *l);

typedef int (*kallsyms_fn)(const struct kallsyms_line *line, void *ctx);
int kallsyms__parse(const char *text, size_t size, kallsyms_fn fn, void *ctx);
/* Whether any address is not 0: without the right to see them all are. */
bool kallsyms__has_addresses(const char *text, size_t size);

/*
 * The functions (types t T w W, and what else stock takes) of one module (NULL: the kernel, without modules)
 * into t, finished. 0; -EPERM when all addresses are 0 (kptr_restrict); -EINVAL when nothing parses.
 */
int kallsyms__load(struct symtab *t, const char *text, size_t size, const char *module);

/*
 * The same of the kernel from a file, which is never in memory as a whole. *reference_addr: where the symbol
 * called reference (NULL: none) is, 0: nowhere. Also what opening and reading the file may return.
 */
int kallsyms__load_file(struct symtab *t, const char *path, const char *reference, u64 *reference_addr);

#endif
