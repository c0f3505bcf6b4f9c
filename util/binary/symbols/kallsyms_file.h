/*
 * A saved kallsyms file, searched on disk. The kernel's own symbols come first, sorted by address, so a
 * report that looks up a few hundred of 120,000 symbols reads only some pages of the file. The symbols found
 * are kept. After many lookups, or if a line is malformed or out of order, the whole file is loaded.
 */
#ifndef BINARY_KALLSYMS_FILE_H
#define BINARY_KALLSYMS_FILE_H

#include "binary/symbols/symtab.h"

struct kallsyms_file;

/*
 * reference: a symbol that was at the address recorded in the address space of the lookups. Return 0;
 * -EINVAL: the file cannot be searched, but kallsyms__load_file may be able to read it; or an error of
 * opening or reading it.
 */
int kallsyms_file__open(struct kallsyms_file **k, const char *path, const char *reference, u64 recorded);
void kallsyms_file__close(struct kallsyms_file *k); /* accepts NULL */
/* Spare memory rather than time: do not load the file, however many lookups there are. */
void kallsyms_file__search_only(struct kallsyms_file *k);
/*
 * Return the symbol that contains addr, as symtab__find would in a table of all symbols, or NULL. Found
 * symbols are added to t, which no other thread may fill or search; they do not move. Not thread-safe.
 */
const struct symbol *kallsyms_file__find(struct kallsyms_file *k, struct symtab *t, u64 addr);
/* Load the whole file: for more lookups than are worth a search each. Not thread-safe. */
void kallsyms_file__load(struct kallsyms_file *k);
#endif
