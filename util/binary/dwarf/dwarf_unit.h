/*
 * One compile unit: its lines, its functions, and what was inlined into them. Parsed as it is asked for: the
 * line table, the list of functions, and, when an address of a function is looked up, what is inside of it.
 * Private to util/binary.
 */
#ifndef BINARY_DWARF_UNIT_H
#define BINARY_DWARF_UNIT_H

#include "binary/dwarf/dwarf_file.h"
#include "binary/dwarf/source_line.h"

struct dwarf_unit;

/* The unit whose header is at the offset. Without debug information that makes sense it is empty. */
struct dwarf_unit *dwarf_unit__new(struct dwarf_file *file, u64 header);
void dwarf_unit__delete(struct dwarf_unit *u); /* accepts NULL */
/* What is at a virtual address; as dwarf_lines__find. Thread-safe. */
bool dwarf_unit__find(struct dwarf_unit *u, u64 vaddr, unsigned wants, struct source_line *line);

#endif
