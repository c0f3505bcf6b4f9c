/*
 * One compile unit: its lines, its functions, and what was inlined into them. It is parsed on demand: the
 * line table, the list of functions, and, at the first lookup of an address in a function, the scopes inside
 * that function. Private to util/binary.
 */
#ifndef BINARY_DWARF_UNIT_H
#define BINARY_DWARF_UNIT_H

#include "base/memory/array.h"
#include "binary/dwarf/dwarf_file.h"
#include "binary/dwarf/source_line.h"

struct dwarf_unit;

/* Create the unit whose header is at the offset. It is empty if its debug information is invalid. */
struct dwarf_unit *dwarf_unit__new(struct dwarf_file *file, u64 header);
void dwarf_unit__delete(struct dwarf_unit *u); /* accepts NULL */
/* Look up a virtual address, as dwarf_lines__find. Thread-safe. */
bool dwarf_unit__find(struct dwarf_unit *u, u64 vaddr, unsigned wants, struct source_line *line);
/* Append virtual addresses, as dwarf_lines__list_borders. */
void dwarf_unit__list_borders(struct dwarf_unit *u, u64 start, u64 end, unsigned wants, u64_array *borders);

#endif
