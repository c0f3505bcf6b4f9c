/*
 * The copy of the stack in a sample of the kernel, made smaller on its way to the unwinder: what lies behind
 * the end of the stack is left out, and, when there is too much to do, more of it.
 *
 * How it came to its size can be seen afterwards: a stack that ends in the copy leaves bytes unused (dyn_size
 * is less than size); one that fills it had no room for more.
 */
#ifndef RECORD_STACK_COPY_H
#define RECORD_STACK_COPY_H

#include "base/text/strbuf.h"
#include "format/records/sample.h"

enum stack_copy_state {
	STACK_COPY_AS_ASKED,
	STACK_COPY_SMALLER, /* than the event asks for, and the stack has more */
	STACK_COPY_NONE,    /* so small that there is nothing to unwind */
};

/* A copy of this size stands for none: with size 0 the layout of samples would be another one. */
enum { STACK_COPY_MIN = 8 };

/*
 * Appends r, decoded as s, with no more than keep bytes of the stack (a multiple of 8, STACK_COPY_MIN or
 * more).
 */
void stack_copy__add_trimmed(struct strbuf *out, const struct record *r, const struct sample *s, u32 keep);
/*
 * Of a sample from stack_copy__add_trimmed, r decoded as s, whose event asked the kernel for asked bytes. The
 * kernel copies no more than fits into a record: that is as asked, too.
 */
enum stack_copy_state stack_copy__state(const struct record *r, const struct sample *s, u32 asked);

#endif
