/*
 * Which methods were inlined where compiled code calls: the virtual machine keeps that for each return
 * address, to be able to go back to interpreted code.
 */
#ifndef RECORD_HOTSPOT_SCOPES_H
#define RECORD_HOTSPOT_SCOPES_H

#include "record/hotspot/hotspot_blob.h"

enum { HOTSPOT_SCOPES_MAX = 16 };

struct hotspot_scope {
	u64 method; /* address */
	u32 at;     /* offset of the bytecode that it executes */
};

/*
 * Find the methods that are active at a return address in the code of a method b: the innermost first,
 * without the one whose code it is. Return their number; 0: none, or what is there makes no sense.
 */
unsigned hotspot_scopes__find(struct hotspot_scope *v, const struct hotspot_blob *b,
			      const struct hotspot_layout *l, const struct vm_memory *m, u64 ra);
/*
 * Read a number of a variable number of bytes at *at, up to end, and move *at past it. version: of the
 * virtual machine. Return false if there is none.
 */
bool hotspot_scopes__number(const u8 *bytes, size_t end, size_t *at, s32 version, u32 *value);

#endif
