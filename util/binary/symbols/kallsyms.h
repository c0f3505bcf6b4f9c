/* /proc/kallsyms, or a saved copy of one: "ADDRESS TYPE NAME [MODULE]" lines (man 5 proc). */
#ifndef BINARY_KALLSYMS_H
#define BINARY_KALLSYMS_H

#include "binary/symbols/symtab.h"

/* A line; module is NULL for symbols of the kernel itself. name and module are not NUL-terminated. */
struct kallsyms_line {
	u64 addr;
	char type;
	const char *name, *module;
	size_t name_len, module_len;
};
/* Parse the line from p to end, without its newline. Return false if it is malformed. */
bool kallsyms_line__parse(struct kallsyms_line *l, const char *p, const char *end);
/* Does stock perf read this symbol? It reads code, and data, which ends functions that have no size. */
bool kallsyms_line__is_wanted(const struct kallsyms_line *l);

/*
 * Call fn for each line until it returns non-zero, and return that value, else 0. Skip malformed lines.
 */
typedef int (*kallsyms_fn)(const struct kallsyms_line *line, void *ctx);
int kallsyms__parse(const char *text, size_t size, kallsyms_fn fn, void *ctx);
/* Is any address not 0? All are 0 for users who may not see kernel addresses. */
bool kallsyms__has_addresses(const char *text, size_t size);

/*
 * Add the functions (types t T w W, and the others that stock perf reads) of one module to t and finish it;
 * module NULL: those of the kernel itself. Return 0; -EPERM: all addresses are 0 (kptr_restrict); -EINVAL:
 * no line parses.
 */
int kallsyms__load(struct symtab *t, const char *text, size_t size, const char *module);

/*
 * As kallsyms__load, for the kernel itself and from a file, which is read in pieces. *reference_addr:
 * address of the symbol named reference (NULL: none); 0: not found. May also return an error of opening or
 * reading the file.
 */
int kallsyms__load_file(struct symtab *t, const char *path, const char *reference, u64 *reference_addr);

/*
 * Get the address of a symbol of the kernel itself; the file is read only as far as it. Return 0; -ENOENT: no
 * such symbol; -EPERM: its address is hidden; or an error of opening or reading the file.
 */
int kallsyms__find_address(const char *path, const char *name, u64 *addr);

#endif
