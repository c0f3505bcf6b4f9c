/*
 * Steps from frames of HotSpot's compiled code and of its interpreter, on x86-64. The virtual machine tells
 * how large the frame of a piece of code is; where it is not complete, the instructions up to where it is, or
 * up to the return, tell the rest.
 */
#include "unwind/unwind_private.h"
#include "unwind/x86_insn.h"

#include "base/memory/hash.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

enum {
	INSNS_MAX = 24,  /* instructions that are looked at for the end of a function */
	ENTRY_MAX = 128, /* in the code that makes a frame of the interpreter */
	PUSHED_MAX = 5,  /* around the call of a stub: push, push, call, pop, pop */
	RAX = 0,
	RBX = 3,
	RBP = 6,
	RSP = 7,
	R13 = 13, /* DWARF numbers */
	WORD = 8,
	/* offsets from rbp in a frame of the interpreter */
	SENDER_SP = -1 * WORD,
	METHOD = -3 * WORD,
	BYTECODE = -8 * WORD,
	OLD_BYTECODE = -7 * WORD, /* JDK 8; later, an address of the stack */
};

/* ---- what the virtual machine says, cached ---- */

static u8 pushed_at(struct unwinder *u, u64 ip);

const struct known_java *unwinder__java_at(struct unwinder *u, u64 space, u64 ip)
{
	struct known_java *k = &u->java[hash__u64(ip + space * 0x9e3779b97f4a7c15ull) % ARRAY_SIZE(u->java)];
	struct unwind_code code = { .wants_java = true };

	if (k->ip == ip && k->space == space && k->code_round == u->code_round)
		return k;
	u->look_up(u->ctx, ip, &code);
	*k = (struct known_java){ .space = space,
				  .ip = ip,
				  .code_round = u->code_round,
				  .frame = code.java,
				  .find_method = code.find_method,
				  .find_function = code.find_function };
	if (code.java.kind == JAVA_SIZED)
		k->pushed = pushed_at(u, ip + 1);
	return k;
}

/* ---- compiled code ---- */

/* Where the caller's registers are, relative to the stack pointer. */
struct java_row {
	s64 cfa;
	s64 fp;                 /* offset of the saved frame pointer from the stack pointer */
	bool fp_is_kept, by_fp; /* by_fp: cfa and fp are relative to the frame pointer */
};

struct insns {
	struct unwinder *u;
	u64 at;
	u8 code[X86_INSN_MAX + 1];
};

/* Decode the instruction at i->at. Near the end of what can be read, less than the longest must do. */
static bool insns__decode(struct insns *i, struct x86_insn *insn)
{
	size_t size = X86_INSN_MAX;

	while (size && !unwinder__read_code(i->u, i->at, i->code, size))
		size /= 2;
	return size && x86_insn__decode(insn, i->code, size, true) && insn->size;
}

/*
 * Compiled code calls some stubs with arguments that it pushes before, and pops after the call: such as C1's
 * check of types, C2's conversion of numbers. Return how many bytes of them are on the stack at ip.
 */
static u8 pushed_at(struct unwinder *u, u64 ip)
{
	struct insns i = { .u = u, .at = ip };
	struct x86_insn insn;
	int words = 0;

	for (unsigned nr = 0; nr < PUSHED_MAX && insns__decode(&i, &insn); nr++, i.at += insn.size) {
		if (insn.kind == X86_POP && insn.reg != X86_RBP)
			words++;
		else if (insn.kind == X86_PUSH && insn.reg != X86_RBP)
			words--;
		else if (insn.kind != X86_CALL)
			break;
	}
	return words > 0 ? (u8)(words * WORD) : 0;
}

/* mov [rsp + displacement], rbp */
static bool saves_fp(const struct insns *i)
{
	return i->code[0] == 0x48 && i->code[1] == 0x89 && (i->code[2] == 0x6c || i->code[2] == 0xac) &&
	       i->code[3] == 0x24;
}

/* The code makes the frame: follow it from ip to where the frame is complete. */
static bool java_row__before(struct java_row *row, struct unwinder *u, u64 ip, const struct java_frame *frame)
{
	struct insns i = { .u = u, .at = ip };
	struct x86_insn insn;
	s64 sp = 0;

	row->fp_is_kept = false;
	while (i.at < frame->complete) {
		if (!insns__decode(&i, &insn))
			return false;
		if (insn.kind == X86_PUSH) {
			sp -= WORD;
			row->fp_is_kept |= insn.reg == X86_RBP;
		} else if (insn.kind == X86_SET && insn.reg == X86_RSP && insn.base == X86_RSP) {
			sp += insn.value;
		}
		row->fp_is_kept |= saves_fp(&i);
		i.at += insn.size;
	}
	row->cfa = sp + frame->size;
	row->fp = row->cfa - 2 * WORD;
	return i.at == frame->complete && row->cfa >= WORD;
}

/*
 * The code waits at a safepoint instead of returning: lea r10, [rip + ...]; mov [r15 + ...], r10; jmp. The
 * frame is gone.
 */
static bool is_at_poll_stub(struct unwinder *u, u64 ip)
{
	u8 code[8];

	if (!unwinder__read_code(u, ip, code, sizeof(code)))
		return false;
	if (!memcmp(code, "\x4c\x8d\x15", 3) && !unwinder__read_code(u, ip + 7, code, sizeof(code)))
		return false;
	return !memcmp(code, "\x4d\x89\x97", 3) && code[7] == 0xe9;
}

/* Does the code return soon? Then the instructions up to there tell what is left of the frame. */
static bool java_row__at_end(struct java_row *row, struct unwinder *u, u64 ip)
{
	struct insns i = { .u = u, .at = ip };
	struct x86_insn insn;

	*row = (struct java_row){ .fp_is_kept = true };
	for (unsigned nr = 0; nr < INSNS_MAX && insns__decode(&i, &insn); nr++, i.at += insn.size) {
		switch (insn.kind) {
		case X86_RET:
			row->cfa += WORD;
			return true;
		case X86_PUSH:
			row->cfa -= WORD;
			break;
		case X86_POP:
			if (insn.reg == X86_RBP) {
				row->fp = row->cfa;
				row->fp_is_kept = false;
			}
			row->cfa += WORD;
			break;
		case X86_LEAVE:
			*row = (struct java_row){ .cfa = WORD, .by_fp = true };
			break;
		case X86_SET:
			if (insn.reg != X86_RSP || insn.base != X86_RSP)
				return false;
			row->cfa += insn.value;
			break;
		case X86_LOAD:
			if (insn.reg == X86_RBP || insn.reg == X86_RSP)
				return false;
			break;
		case X86_OTHER:
		case X86_BRANCH:
			break;
		case X86_CALL:
		case X86_JUMP:
		case X86_END:
			return false;
		}
	}
	return false;
}

/*
 * Code that is entered in the middle of a loop (on-stack replacement) makes its frame there: push rbp, sub
 * rsp, size; or sub rsp, size.
 */
static bool java_row__at_entry(struct java_row *row, struct unwinder *u, u64 ip, u32 size)
{
	struct insns i = { .u = u, .at = ip };
	struct x86_insn insn;
	s64 sp = 0;

	for (unsigned nr = 0; nr < 4 && insns__decode(&i, &insn); nr++, i.at += insn.size) {
		if (insn.kind == X86_PUSH && insn.reg == X86_RBP)
			sp -= WORD;
		else if (insn.kind == X86_SET && insn.reg == X86_RSP && insn.base == X86_RSP)
			sp += insn.value;
		else if (insn.kind != X86_OTHER && insn.kind != X86_SET)
			return false;
		if (sp == WORD - (s64)size || (nr == 0 && sp == 2 * WORD - (s64)size && size > 2 * WORD)) {
			*row = (struct java_row){ .cfa = sp + size, .fp_is_kept = sp == WORD - (s64)size };
			return true;
		}
	}
	return false;
}

static bool java_row__find(struct java_row *row, struct frame_state *f, const struct known_java *k)
{
	const struct java_frame *frame = &k->frame;
	u64 ip = f->regs.ip;
	s64 size = frame->size;

	if (f->is_exact && frame->kind == JAVA_SIZED) {
		if (ip < frame->complete)
			return java_row__before(row, f->u, ip, frame);
		if (java_row__at_end(row, f->u, ip) || java_row__at_entry(row, f->u, ip, frame->size))
			return true;
		if (is_at_poll_stub(f->u, ip)) {
			*row = (struct java_row){ .cfa = WORD, .fp_is_kept = true };
			return true;
		}
	}
	if (frame->kind == JAVA_SIZED)
		size += f->is_exact ? pushed_at(f->u, ip) : k->pushed;
	*row = (struct java_row){ .cfa = size,
				  .fp = size - 2 * WORD,
				  .fp_is_kept = frame->kind == JAVA_BARE };
	return true;
}

/* ---- steps ---- */

/* Set the caller's registers, if its address is one of code. */
static bool go_to(struct frame_state *f, u64 ip, u64 sp, u64 fp)
{
	if (!ip || sp < f->regs.v[RSP] || !unwinder__code_at(f->u, f->space, ip - 1)->is_code)
		return false;
	f->regs.known = 1ull << RSP | 1ull << RBP;
	f->regs.v[RSP] = sp;
	f->regs.v[RBP] = fp;
	f->regs.ip = ip;
	f->is_exact = false;
	f->sp_state = SP_KNOWN;
	f->u->next_sp = sp;
	return true;
}

static bool step_sized(struct frame_state *f, const struct known_java *k)
{
	struct java_row row = { .cfa = 0 };
	u64 base, ra, fp = f->regs.v[RBP];

	if (!java_row__find(&row, f, k))
		return false;
	base = f->regs.v[row.by_fp ? RBP : RSP];
	f->u->next_sp = base + (u64)row.cfa;
	if (!unwind_stack__read(&f->stack, base + (u64)row.cfa - WORD, &ra) ||
	    (!row.fp_is_kept && !unwind_stack__read(&f->stack, base + (u64)row.fp, &fp)))
		return false;
	return go_to(f, ra, base + (u64)row.cfa, fp);
}

/*
 * A stub whose frames are not described may have called the virtual machine: before a compiled method runs, a
 * stub checks it. It pushes -1 before it makes a frame for the frame pointer.
 */
static bool step_barrier(struct frame_state *f)
{
	u64 fp = f->regs.v[RBP], next_fp, mark, ra;

	if (f->is_exact || fp < f->regs.v[RSP] || fp % WORD || !unwind_stack__read(&f->stack, fp, &next_fp) ||
	    !unwind_stack__read(&f->stack, fp + WORD, &mark) || mark != UINT64_MAX ||
	    !unwind_stack__read(&f->stack, fp + 2 * WORD, &ra) ||
	    unwinder__java_at(f->u, f->space, ra - 1)->frame.kind != JAVA_SIZED)
		return false;
	return go_to(f, ra, fp + 3 * WORD, next_fp);
}

static bool step_adapter(struct frame_state *f)
{
	u64 ra, sp = f->regs.v[RSP], fp = f->regs.v[RBP];

	if (!f->is_exact)
		return false;
	f->is_found = true;
	if (unwind_stack__read(&f->stack, sp, &ra) && unwinder__site(f->u, f->space, ra).is_code &&
	    go_to(f, ra, sp + WORD, fp))
		return true;
	return (f->regs.known >> RAX & 1) && (f->regs.known >> R13 & 1) &&
	       unwinder__site(f->u, f->space, f->regs.v[RAX]).is_code &&
	       go_to(f, f->regs.v[RAX], f->regs.v[R13], fp);
}

/* ---- the interpreter ---- */

/*
 * Is the interpreter about to make a frame, up to its push rbp? *ra_in_rax: the return address was taken from
 * the stack. The code is straight: pop rax, locals, push rax, push rbp; mov rbp, rsp.
 */
static bool is_at_method_entry(struct frame_state *f, bool *ra_in_rax)
{
	struct insns i = { .u = f->u, .at = f->regs.ip };
	struct x86_insn insn;
	bool is_popped = false; /* after ip */

	*ra_in_rax = false;
	for (unsigned nr = 0; nr < ENTRY_MAX && insns__decode(&i, &insn); nr++, i.at += insn.size) {
		is_popped |= insn.kind == X86_POP && insn.reg == RAX;
		if (insn.kind == X86_PUSH && insn.reg == X86_RBP)
			return !memcmp(i.code + 1, "\x48\x8b\xec", 3) ||
			       !memcmp(i.code + 1, "\x48\x89\xe5", 3);
		*ra_in_rax = !is_popped && insn.kind == X86_PUSH && insn.reg == RAX;
		if (insn.kind == X86_RET || (insn.kind == X86_END && i.code[0] != 0xcc))
			return false;
		if (insn.kind == X86_LEAVE)
			return false;
	}
	return false;
}

static bool find_method(struct frame_state *f, const struct known_java *k, const struct java_method *m)
{
	u64 shown;

	if (!k->find_method || !k->find_method(f->u->ctx, m, &shown))
		return false;
	*f->shown = shown;
	return true;
}

/* The frame is complete: rbp leads to it. */
static bool step_interpreted(struct frame_state *f, const struct known_java *k)
{
	u64 fp = f->regs.v[RBP], sp = f->regs.v[RSP], next_fp, ra, sender;
	struct java_method m = { .bytecode = { f->is_exact ? f->regs.v[R13] : 0 } };

	if (fp < sp || fp % WORD || fp - sp < (u64)-METHOD)
		return false;
	if (fp - sp >= (u64)-BYTECODE &&
	    (!unwind_stack__read(&f->stack, fp + (u64)BYTECODE, &m.bytecode[1]) ||
	     !unwind_stack__read(&f->stack, fp + (u64)OLD_BYTECODE, &m.bytecode[2])))
		return false;
	if (!unwind_stack__read(&f->stack, fp + (u64)METHOD, &m.method) ||
	    !unwind_stack__read(&f->stack, fp + (u64)SENDER_SP, &sender) || sender < fp + WORD ||
	    !find_method(f, k, &m))
		return false;
	f->u->next_sp = sender;
	return unwind_stack__read(&f->stack, fp, &next_fp) && unwind_stack__read(&f->stack, fp + WORD, &ra) &&
	       go_to(f, ra, sender, next_fp);
}

/* The interpreter makes the frame: registers have what is not on the stack yet. */
static bool step_entry(struct frame_state *f, const struct known_java *k)
{
	const u64 needed = 1ull << RAX | 1ull << RBX | 1ull << R13;
	u64 fp = f->regs.v[RBP], sp = f->regs.v[RSP], ra = f->regs.v[RAX], sender = f->regs.v[R13];
	struct java_method m = { .method = f->regs.v[RBX], .is_entry = true };
	bool ra_in_rax;

	if (!f->is_exact || (f->regs.known & needed) != needed)
		return false;
	if (fp >= sp && fp - sp < (u64)-METHOD && !(fp % WORD)) { /* rbp is set already */
		if (fp > sp)
			unwind_stack__read(&f->stack, fp + (u64)SENDER_SP, &sender);
		return unwind_stack__read(&f->stack, fp + WORD, &ra) &&
		       unwind_stack__read(&f->stack, fp, &fp) && sender > sp && find_method(f, k, &m) &&
		       go_to(f, ra, sender, fp);
	}
	if (!is_at_method_entry(f, &ra_in_rax) || (!ra_in_rax && !unwind_stack__read(&f->stack, sp, &ra)))
		return false;
	return sender > sp && find_method(f, k, &m) && go_to(f, ra, sender, fp);
}

bool frame_state__step_java(struct frame_state *f, enum unwind_end *end)
{
	const struct unwind_regs old = f->regs;
	const struct known_java *k;
	bool was_found = f->is_found, was_exact = f->is_exact, done = false;
	u64 shown = *f->shown;

	*end = UNWIND_ENDS;
	if (f->u->arch->machine != EM_X86_64 || f->sp_state != SP_KNOWN || !(f->regs.known >> RBP & 1))
		return false;
	k = unwinder__java_at(f->u, f->space, f->regs.ip - !f->is_exact);
	f->stack.cut = false;
	f->u->next_sp = 0;
	switch (k->frame.kind) {
	case JAVA_NONE:
	case V8_COMPILED:
	case V8_BUILTIN:
		return false;
	case JAVA_STUB:
		done = !f->is_exact && step_sized(f, k);
		break;
	case JAVA_OTHER:
		done = step_barrier(f);
		break;
	case JAVA_SIZED:
	case JAVA_BARE:
		done = step_sized(f, k);
		break;
	case JAVA_ADAPTER:
		done = step_adapter(f);
		break;
	case JAVA_INTERPRETER:
		done = step_interpreted(f, k) || step_entry(f, k);
		break;
	}
	if (done) {
		f->java = was_exact || !k->frame.nr_inlined ? NULL : &k->frame;
		return true;
	}
	f->regs = old;
	f->is_found = was_found;
	*end = UNWIND_CUT;
	if (f->stack.cut && f->u->next_sp)
		return true;
	*f->shown = shown;
	return false;
}
