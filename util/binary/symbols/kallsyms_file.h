/*
 * A saved kallsyms that is searched where it lies. The kernel's own lines come first and in the order of
 * their addresses (its build sorts them), so a report that asks for a few hundred of 120,000 symbols reads
 * some pages of the file and keeps what it found. When much is asked for, and where lines are met that are
 * none or not in order, all of it is loaded.
 */
#ifndef BINARY_KALLSYMS_FILE_H
#define BINARY_KALLSYMS_FILE_H

#include "binary/symbols/symtab.h"

struct kallsyms_file;

/*
 * reference: a symbol, which was at the address recorded when the addresses were that will be asked for. 0;
 * -EINVAL: the file cannot be searched, kallsyms__load_file may know more; also what opening and reading it
 * may return.
 */
int kallsyms_file__open(struct kallsyms_file **k, const char *path, const char *reference, u64 recorded);
void kallsyms_file__close(struct kallsyms_file *k); /* NULL: nothing */
/*
 * The symbol that covers addr, the one that symtab__find would find in a table of all; NULL: none. Found
 * symbols are added to t, which is for nobody else to fill or search, and stay where they are. Not
 * thread-safe.
 */
const struct symbol *kallsyms_file__find(struct kallsyms_file *k, struct symtab *t, u64 addr);
/* Loads all of it: more will be asked for than is worth a search each. Not thread-safe. */
void kallsyms_file__load(struct kallsyms_file *k);
#endif
