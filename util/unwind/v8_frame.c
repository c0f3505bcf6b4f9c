/*
 * Functions of frames of V8, on x86-64. Its compiled code and its interpreter have frame pointers, so the
 * walk needs nothing of V8; but the code of the interpreter is the same for all functions, so a frame of it
 * is shown at the address of the bytecode.
 */
#include "unwind/unwind_private.h"

#include <elf.h>

enum {
	RBP = 6, /* DWARF number */
	WORD = 8,
	/* offsets from rbp */
	CONTEXT = -1 * WORD, /* of a stub's frame: which kind of frame, no object */
	FUNCTION = -2 * WORD,
	BYTECODES = -4 * WORD,
	OFFSET = -5 * WORD,
};

static bool is_object(u64 word)
{
	return (word & 3) == 1;
}

/* Read the words of the frame that fp leads to. */
static void read_words(struct frame_state *f, u64 fp, struct v8_frame *v)
{
	u64 context;

	if (!unwind_stack__read(&f->stack, fp + (u64)CONTEXT, &context) || !is_object(context) ||
	    !unwind_stack__read(&f->stack, fp + (u64)FUNCTION, &v->function) || !is_object(v->function)) {
		v->function = 0;
		return;
	}
	if (!unwind_stack__read(&f->stack, fp + (u64)BYTECODES, &v->bytecodes) || !is_object(v->bytecodes) ||
	    !unwind_stack__read(&f->stack, fp + (u64)OFFSET, &v->offset))
		v->bytecodes = v->offset = 0;
}

void frame_state__show_v8(struct frame_state *f, const struct unwind_regs *old, bool was_exact, bool did_step)
{
	struct v8_frame v = { .ip = old->ip - !was_exact };
	u64 fp = old->v[RBP], next_sp = f->u->next_sp;
	const struct known_java *k;
	bool was_cut = f->stack.cut;

	if (f->u->arch->machine != EM_X86_64)
		return;
	k = unwinder__java_at(f->u, f->space, v.ip);
	if ((k->frame.kind != V8_COMPILED && k->frame.kind != V8_BUILTIN) || !k->find_function)
		return;
	v.is_compiled = k->frame.kind == V8_COMPILED;
	/* the frame is complete if the step was to the end of the one that rbp led to */
	if (did_step && (old->known >> RBP & 1) && next_sp == fp + 2 * WORD)
		read_words(f, fp, &v);
	if (v.is_compiled || v.bytecodes)
		k->find_function(f->u->ctx, &v, f->shown);
	f->stack.cut = was_cut;
}
