/* Methods of a HotSpot virtual machine: their names, and where their bytecodes are. */
#ifndef RECORD_HOTSPOT_METHOD_H
#define RECORD_HOTSPOT_METHOD_H

#include "base/text/strbuf.h"
#include "record/hotspot/hotspot_layout.h"

struct hotspot_method {
	u64 constant, end;         /* addresses of what does not change: the ConstMethod with the bytecodes */
	u64 code_begin, code_size; /* address of the bytecodes; bytes; 0: native or abstract */
	u64 constants;             /* address of the constant pool */
	u16 name, signature;       /* in the constant pool */
};

/* Read the method at an address. Return false if what is there makes no sense. */
bool hotspot_method__read(struct hotspot_method *h, const struct hotspot_layout *l, const struct vm_memory *m,
			  u64 method);
/*
 * Append "package.Class.method(int, java.lang.String)" as the method's name. Return false, with nothing
 * appended, if it cannot be read.
 */
bool hotspot_method__name(const struct hotspot_method *h, const struct hotspot_layout *l,
			  const struct vm_memory *m, struct strbuf *out);

#endif
