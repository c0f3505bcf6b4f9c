/*
 * Shortens the stack copy in a sample from the kernel before it is unwound: removes what lies beyond the end
 * of the stack, and under load also part of the stack.
 *
 * The result shows why it has its size: a stack that ends within the copy leaves bytes unused (dyn_size is
 * less than size); a longer stack fills the copy.
 */
#ifndef RECORD_STACK_COPY_H
#define RECORD_STACK_COPY_H

#include "base/text/strbuf.h"
#include "format/records/sample.h"

enum stack_copy_state {
	STACK_COPY_AS_ASKED,
	STACK_COPY_SMALLER, /* less than the event asks for, and the stack has more */
	STACK_COPY_NONE,    /* too small to unwind */
};

/* A copy of this size means "none": size 0 would change the layout of samples. */
enum { STACK_COPY_MIN = 8 };

/* Append r, decoded as s, with at most keep bytes of stack (a multiple of 8, at least STACK_COPY_MIN). */
void stack_copy__add_trimmed(struct strbuf *out, const struct record *r, const struct sample *s, u32 keep);
/*
 * Return the state of a sample made by stack_copy__add_trimmed: r decoded as s, from an event that asked the
 * kernel for asked bytes. The kernel copies at most what fits into a record; that counts as asked, too.
 */
enum stack_copy_state stack_copy__state(const struct record *r, const struct sample *s, u32 asked);

#endif
