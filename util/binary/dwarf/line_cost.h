/*
 * Memory that libdw will need to read a line table, known before it does. libdw keeps an entry for each row
 * and each file, and a hostile table has a row in each byte. (DWARF 5, section 6.2) Private to util/binary.
 */
#ifndef BINARY_LINE_COST_H
#define BINARY_LINE_COST_H

#include "base/memory/cursor.h"

struct line_cost {
	u64 bytes; /* of the table; 0: there is none */
	u64 rows;
	u64 excess; /* bytes of memory beyond what a true table of this size needs */
};

/* Look at the table at the beginning of the cursor. */
struct line_cost line_cost__of(struct cursor c);

#endif
