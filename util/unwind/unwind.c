#include "unwind/unwind.h"

#include "base/memory/hash.h"
#include "base/memory/mem.h"
#include "base/message/bug.h"
#include "unwind/unwind_private.h"

#include <dwarf.h>
#include <elf.h>
#include <string.h>

/* ---- the stack ---- */

bool unwind_stack__read(struct unwind_stack *s, u64 addr, u64 *value)
{
	if (addr < s->start || addr >= s->end || s->end - addr < s->word) {
		s->cut |= addr - s->start < (1ull << 30); /* not below the start */
		return false;
	}
	*value = 0; /* little endian, as all supported machines are */
	memcpy(value, s->data + (addr - s->start), s->word);
	return true;
}

/* ---- code at an address, cached ---- */

struct unwinder *unwinder__new(const struct unwind_arch *arch,
			       void (*look_up)(void *ctx, u64 ip, struct unwind_code *code), void *ctx)
{
	struct unwinder *u = xcalloc_table(1, sizeof(*u));

	u->own = u->arch = arch;
	u->look_up = look_up;
	u->ctx = ctx;
	return u;
}

void unwinder__delete(struct unwinder *u)
{
	if (u)
		free(u->sps);
	free(u);
}

const struct known_code *unwinder__code_at(struct unwinder *u, u64 space, u64 ip)
{
	struct known_code *k =
		&u->known[hash__u64(ip + space * 0x9e3779b97f4a7c15ull) % ARRAY_SIZE(u->known)];
	struct unwind_code code = { 0 };

	if (likely(k->is_used && k->ip == ip && k->space == space))
		return k;
	u->look_up(u->ctx, ip, &code);
	*k = (struct known_code){
		.space = space, .ip = ip, .is_code = code.is_code, .is_vdso = code.is_vdso, .is_used = true
	};
	if (code.cfi && cfi__machine(code.cfi) == u->arch->machine)
		k->row = cfi__find(code.cfi, code.addr);
	else if (code.jit && cfi__machine(code.jit) == u->arch->machine)
		k->row = cfi__find(code.jit, code.jit_addr);
	k->is_entry = code.cfi && cfi__is_entry(code.cfi, code.addr);
	return k;
}

/* ---- one frame ---- */

static const u8 address_widths[] = { 36, 39, 42, 47, 48, 52 }; /* bits */

/*
 * Remove the signature from a return address. Pointer authentication puts it into the bits that the address
 * space does not use; their number is the kernel's choice, but the stack's address shows how many are used
 * at least. (Linux, Documentation/arch/arm64/pointer-authentication.rst)
 */
static u64 return_address(struct frame_state *f, u64 ra)
{
	u64 guess = 0;

	if (f->u->arch->has_thumb)
		return ra & ~1ull;
	if (!f->u->arch->signs || !ra || (!(ra >> 48) && unwinder__code_at(f->u, f->space, ra - 1)->is_code))
		return ra;
	for (unsigned i = 0; i < ARRAY_SIZE(address_widths); i++) {
		u64 addr = ra & ((1ull << address_widths[i]) - 1);

		if (f->stack.start >> address_widths[i])
			continue;
		if (!addr)
			return 0;
		if (unwinder__code_at(f->u, f->space, addr - 1)->is_code)
			return addr;
		if (!guess)
			guess = addr;
	}
	return guess ? guess : ra;
}

u64 frame_state__plain_address(const struct frame_state *f, u64 word)
{
	for (size_t i = 0; f->u->arch->signs && i < ARRAY_SIZE(address_widths); i++)
		if (!(f->stack.start >> address_widths[i]))
			return word & ((1ull << address_widths[i]) - 1);
	return word;
}

static bool find_cfa(struct frame_state *f, const struct cfi_row *row, u64 *cfa)
{
	if (row->cfa_expr)
		return unwind_expr__value(row->cfa_expr, &f->regs, 0, &f->stack, cfa);
	if (!(f->regs.known >> row->cfa_reg & 1))
		return false;
	*cfa = f->regs.v[row->cfa_reg] + (u64)row->cfa_offset;
	return true;
}

/*
 * At the end of a function, after a register was restored, GCC's CFI still names the place where it was
 * saved: that place is below the stack pointer, and not in the copy.
 */
static bool is_restored(const struct frame_state *f, const struct cfi_rule *rule, u64 cfa)
{
	return f->is_exact && rule->reg != f->u->arch->sp && rule->reg != f->u->arch->ip &&
	       cfa + (u64)rule->offset < f->regs.v[f->u->arch->sp] &&
	       cfa + (u64)rule->offset < f->stack.start;
}

/* Apply a rule to get a register's value. Return false if it cannot be known. */
static bool apply_rule(struct frame_state *f, const struct cfi_rule *rule, u64 cfa, u64 *value)
{
	switch (rule->kind) {
	case CFI_AT_CFA:
		if (is_restored(f, rule, cfa)) {
			*value = f->regs.v[rule->reg];
			return f->regs.known >> rule->reg & 1;
		}
		return unwind_stack__read(&f->stack, cfa + (u64)rule->offset, value);
	case CFI_IS_CFA:
		*value = cfa + (u64)rule->offset;
		return true;
	case CFI_IN_REGISTER:
		*value = f->regs.v[rule->other];
		return f->regs.known >> rule->other & 1;
	case CFI_BY_EXPR:
		if (!unwind_expr__value(rule->expr, &f->regs, cfa, &f->stack, value))
			return false;
		return rule->expr->is_value || unwind_stack__read(&f->stack, *value, value);
	}
	return false;
}

/* The reason why the walk ends when the stack cannot be read. */
static enum unwind_end end_of_stack(const struct frame_state *f)
{
	return f->stack.cut || f->is_elsewhere || f->u->left_stack ? UNWIND_CUT : UNWIND_CORRUPT;
}

/*
 * After a signal: the handler ran on an alternate stack; the interrupted function's stack is not in the
 * copy.
 */
static bool left_the_copy(const struct frame_state *f)
{
	u64 sp = f->regs.v[f->u->arch->sp];

	return sp < f->stack.start || sp >= f->stack.end;
}

/* ---- an unknown stack pointer ---- */

/* Is the row's CFA relative to the stack pointer? */
static bool row_needs_sp(const struct cfi_row *row, unsigned sp)
{
	if (!row->cfa_expr)
		return row->cfa_reg == sp;
	for (u32 i = 0; i < row->cfa_expr->nr; i++)
		if (row->cfa_expr->ops[i].atom == DW_OP_breg0 + sp)
			return true;
	return false;
}

/* Set *slot to the address where the rule says that a register was saved. It may be outside of the copy. */
static bool find_slot(struct frame_state *f, const struct cfi_row *row, const struct cfi_rule *rule,
		      u64 *slot)
{
	u64 cfa = 0;
	bool has_cfa = find_cfa(f, row, &cfa);

	if (rule->kind == CFI_AT_CFA) {
		*slot = cfa + (u64)rule->offset;
		return has_cfa;
	}
	return rule->kind == CFI_BY_EXPR && !rule->expr->is_value &&
	       unwind_expr__value(rule->expr, &f->regs, cfa, &f->stack, slot);
}

/*
 * Set *sp to the stack pointer with which the row's frame record is at the frame pointer. Return false if
 * the row has no frame record, or if it does not match.
 */
static bool find_sp_by_record(struct frame_state *f, const struct cfi_row *row, u64 *sp)
{
	const struct unwind_arch *arch = f->u->arch;
	const struct cfi_rule *fp_rule = cfi_row__rule(row, arch->fp), *ra_rule = cfi_row__rule(row, row->ra);
	u64 fp = f->regs.v[arch->fp], least = f->regs.v[arch->sp], fp_slot, ra_slot;
	bool has_slots;

	if (!fp_rule || !ra_rule || !(f->regs.known >> arch->fp & 1))
		return false;
	f->regs.v[arch->sp] = 0;
	has_slots = find_slot(f, row, fp_rule, &fp_slot) && find_slot(f, row, ra_rule, &ra_slot);
	f->regs.v[arch->sp] = least;
	if (!has_slots || ra_slot - fp_slot != arch->word || fp < least)
		return false;
	*sp = fp - fp_slot; /* the slots were counted from 0 */
	return true;
}

/* Does the return address that the row finds with this stack pointer follow a call? */
static bool is_sp_proven(struct frame_state *f, const struct cfi_row *row, u64 sp, bool is_strict)
{
	const struct cfi_rule *rule = cfi_row__rule(row, row->ra);
	u64 least = f->regs.v[f->u->arch->sp], cfa = 0, ra;
	bool had;

	f->regs.v[f->u->arch->sp] = sp;
	had = rule && (find_cfa(f, row, &cfa) || rule->kind == CFI_BY_EXPR) && apply_rule(f, rule, cfa, &ra);
	f->regs.v[f->u->arch->sp] = least;
	if (!had)
		return false;
	ra = return_address(f, ra);
	return ra && unwinder__is_after_call(f->u, f->space, ra, f->regs.ip - 1, is_strict);
}

/*
 * Find the stack pointer after a step along frame pointers, on machines where the frame record may be
 * anywhere in its frame. If the row has a frame record, the frame pointer leads to it. Otherwise the stack
 * pointer is at the end of the callee's frame: at the end of its record, or up to KEPT_MAX after it, where
 * the callee saved registers. Return false if it is not found.
 */
static bool find_sp(struct frame_state *f, const struct cfi_row *row)
{
	enum { KEPT_MAX = 256 }; /* bytes */
	const unsigned sp = f->u->arch->sp;
	u64 least = f->regs.v[sp], at;

	if (!row_needs_sp(row, sp))
		return true;
	if (find_sp_by_record(f, row, &at) && is_sp_proven(f, row, at, false)) {
		f->regs.v[sp] = at;
		return true;
	}
	if (f->sp_state != SP_AFTER_RECORD)
		return false;
	for (at = least; at < least + KEPT_MAX; at += 2u * f->u->arch->word) {
		if (!is_sp_proven(f, row, at, true))
			continue;
		f->regs.v[sp] = at;
		return true;
	}
	return false;
}

/* ---- steps ---- */

/*
 * Replace the frame's registers by the caller's, except the program counter. Return false, with nothing
 * changed, if the return address cannot be found.
 */
static bool apply_row(struct frame_state *f, const struct cfi_row *row, u64 cfa)
{
	const struct unwind_arch *arch = f->u->arch;
	u64 value[CFI_REGS_MAX], had = 0, known;

	for (unsigned i = 0; i < row->nr_rules; i++) {
		if (apply_rule(f, &row->rules[i], cfa, &value[i]))
			had |= 1ull << row->rules[i].reg;
		else if (row->rules[i].reg == row->ra)
			return false;
	}
	known = (f->regs.known & (row->kept | arch->constant)) | had;
	if (!(known >> row->ra & 1))
		return false;
	for (unsigned i = 0; i < row->nr_rules; i++)
		f->regs.v[row->rules[i].reg] = value[i];
	if (!(had >> arch->sp & 1))
		f->regs.v[arch->sp] = cfa;
	f->regs.known = known | 1ull << arch->sp;
	return true;
}

/* Has the stack at the stack pointer what all signal frames have? */
static bool is_at_signal_frame(struct frame_state *f)
{
	const struct unwind_signal *signal = &f->u->arch->signal;
	u64 sp = f->regs.v[f->u->arch->sp], value;

	if (!signal->nr || f->is_exact || f->sp_state != SP_KNOWN)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(signal->checks); i++) /* unused ones check nothing */
		if (!unwind_stack__read(&f->stack, sp + signal->checks[i].at, &value) ||
		    (value & signal->checks[i].mask) != signal->checks[i].value)
			return false;
	return true;
}

/*
 * Does a signal handler return to the frame's code? C libraries without CFI and runtimes have such code of
 * their own. If its bytes cannot be read, the signal frame alone proves it, unless there is a row.
 */
static bool is_restorer(struct frame_state *f, const struct cfi_row *row)
{
	struct unwind_code code = { 0 };

	if (likely(!is_at_signal_frame(f)) || (row && row->is_signal))
		return false;
	f->u->look_up(f->u->ctx, f->regs.ip, &code);
	switch (code.cfi ? cfi__restores_signal(code.cfi, code.addr) : CFI_UNREADABLE) {
	case CFI_RESTORER:
		return true;
	case CFI_UNREADABLE:
		return code.is_code && !row;
	case CFI_NO_RESTORER:
		break;
	}
	return false;
}

/*
 * Would a frame with this return address and stack pointer be that of the code which a signal handler
 * returns to? Such a return address follows no call.
 */
static bool returns_from_signal(const struct frame_state *f, u64 ra, u64 sp)
{
	const struct cfi_row *row = unwinder__code_at(f->u, f->space, ra - 1)->row;
	struct frame_state next = *f;

	next.regs.ip = ra;
	next.regs.v[f->u->arch->sp] = sp;
	next.is_exact = false;
	next.sp_state = SP_KNOWN;
	if (f->u->arch->vdso_restores && unwinder__code_at(f->u, f->space, ra)->is_vdso)
		return true;
	return is_at_signal_frame(&next) && ((row && row->is_signal) || is_restorer(&next, row));
}

/*
 * Follow the frame pointer to the caller's frame pointer and return address. It must lead outwards, and to
 * the address after a call.
 */
static enum unwind_end step_by_frame_pointer(struct frame_state *f, enum unwind_end otherwise)
{
	const struct unwind_arch *arch = f->u->arch;
	u64 fp = f->regs.v[arch->fp], sp = f->regs.v[arch->sp], next, ra;
	struct return_site site;
	bool is_certain, is_handler;

	if (!(f->regs.known >> arch->fp & 1) || fp < sp || fp % arch->word)
		return otherwise;
	f->stack.cut = false;
	f->u->next_sp = fp + 2u * arch->word;
	if (!unwind_stack__read(&f->stack, fp, &next) || !unwind_stack__read(&f->stack, fp + arch->word, &ra))
		return f->stack.cut ? UNWIND_CUT : otherwise;
	ra = return_address(f, ra);
	site = unwinder__site(f->u, f->space, ra);
	/* HotSpot's interpreter pushes return addresses that follow no call */
	is_handler = returns_from_signal(f, ra, fp + 2u * arch->word);
	if (!next && !ra && !frame_state__has_outer_fp(f, fp, &is_certain) &&
	    frame_state__starts_process(f, f->u->next_sp)) {
		f->is_found = true; /* another register may point to zeros */
		return UNWIND_COMPLETE;
	}
	if (!site.is_code || (site.is_read && !site.call && site.in_file && !is_handler) ||
	    frame_state__has_outer_fp(f, fp, &is_certain))
		return otherwise;
	f->is_found |= !is_certain ||
		       (!is_handler && (!site.is_read || !unwinder__leads_to(f->u, &site, f->regs.ip)));
	f->regs.known = (f->regs.known & arch->constant) | 1ull << arch->fp | 1ull << arch->sp;
	f->regs.v[arch->fp] = next;
	f->regs.v[arch->sp] = fp + 2u * arch->word;
	f->regs.ip = ra;
	f->is_exact = false;
	f->sp_state = arch->records_float ? SP_AFTER_RECORD : SP_KNOWN;
	return UNWIND_ENDS;
}

/*
 * Step to the caller by a row whose CFA is unknown: the size of frames with scalable vectors depends on VG,
 * which older recordings lack. A leaf's return address is in a register; other frames have a frame record.
 */
static enum unwind_end step_without_cfa(struct frame_state *f, const struct cfi_row *row)
{
	const struct unwind_arch *arch = f->u->arch;
	u64 ra;

	if (f->stack.cut || f->is_elsewhere || !arch->records_float)
		return end_of_stack(f);
	if (!f->is_exact || !(row->kept & f->regs.known & 1ull << row->ra))
		return step_by_frame_pointer(f, UNWIND_NO_REGS);
	ra = return_address(f, f->regs.v[row->ra]);
	if (!unwinder__is_after_call(f->u, f->space, ra, f->regs.ip, false))
		return UNWIND_NO_REGS;
	f->regs.known &= row->kept | arch->constant | 1ull << arch->sp;
	f->regs.ip = ra;
	f->is_exact = false;
	f->sp_state = SP_AT_LEAST;
	return UNWIND_ENDS;
}

/*
 * Prefer the frame pointer to the row? Rows of frames with scalable vectors may be wrong: GCC 12 ignores
 * that the stack pointer moved by the vectors' length after it saved the frame record.
 */
static bool prefers_frame_pointer(struct frame_state *f, const struct cfi_row *row)
{
	const struct unwind_arch *arch = f->u->arch;

	if (likely(!row->cfa_expr) || !arch->records_float || row->is_signal)
		return false;
	return cfi_row__rule(row, arch->fp) && cfi_row__rule(row, row->ra) &&
	       (f->sp_state != SP_KNOWN || !is_sp_proven(f, row, f->regs.v[arch->sp], false));
}

/* Step from a frame to its caller by the row there. UNWIND_ENDS: done. */
static enum unwind_end step_by_row(struct frame_state *f, const struct known_code *code)
{
	const struct unwind_arch *arch = f->u->arch;
	const struct cfi_row *row = code->row;
	u64 cfa, old_sp, old_ip = f->regs.ip;
	bool is_entry = code->is_entry; /* copied: the cache may drop code during lookups */

	f->stack.cut = false;
	f->u->left_stack = row->leaves_stack;
	if (row->is_outermost)
		return UNWIND_COMPLETE;
	if (unlikely(prefers_frame_pointer(f, row)))
		return step_by_frame_pointer(f, UNWIND_CORRUPT);
	if (unlikely(f->sp_state != SP_KNOWN) && !find_sp(f, row))
		return end_of_stack(f);
	if (!find_cfa(f, row, &cfa))
		return step_without_cfa(f, row);
	old_sp = f->regs.v[arch->sp];
	f->u->next_sp = cfa;
	if (!apply_row(f, row, cfa))
		return end_of_stack(f);
	f->regs.ip = return_address(f, f->regs.v[row->ra]);
	if (!f->regs.ip) /* a process starts with 0 in the link register; elsewhere 0 is no end */
		return is_entry ? UNWIND_COMPLETE : UNWIND_UNMAPPED;
	f->sp_state = SP_KNOWN;
	f->is_exact = row->is_signal;
	if (row->is_signal) { /* not called from here: the handler will return to here */
		*f->shown = old_ip;
		f->is_elsewhere = left_the_copy(f);
		return UNWIND_ENDS; /* the alternate stack may be at any address */
	}
	/* A leaf need not move the stack pointer. */
	if (!row->leaves_stack &&
	    (cfa < old_sp || (f->regs.ip == old_ip && (cfa == old_sp || !cfi_row__rule(row, row->ra)))))
		return UNWIND_CORRUPT;
	return UNWIND_ENDS;
}

/*
 * Step from the code that a signal handler returns to, to the interrupted function. Return UNWIND_CORRUPT if
 * there is no signal frame.
 */
static enum unwind_end step_by_signal_frame(struct frame_state *f)
{
	const struct unwind_signal *signal = &f->u->arch->signal;
	struct unwind_regs regs = f->regs;
	u64 at = f->regs.v[f->u->arch->sp] + signal->regs, value;

	f->stack.cut = false;
	for (unsigned i = 0; i < signal->nr; i++) {
		u8 reg = signal->order[i];

		if (!unwind_stack__read(&f->stack, at + i * f->u->arch->word, &value))
			return end_of_stack(f);
		if (reg == NO_REG) {
			regs.ip = value;
			reg = f->u->arch->ip;
		}
		if (reg == NO_REG)
			continue;
		regs.v[reg] = value;
		regs.known |= 1ull << reg;
	}
	if (!unwinder__code_at(f->u, f->space, regs.ip)->is_code)
		return UNWIND_CORRUPT;
	/* nothing was called there: the address is the first of a function, to which the handler returns */
	*f->shown = f->regs.ip;
	f->regs = regs;
	f->is_exact = true;
	f->sp_state = SP_KNOWN;
	f->is_elsewhere = left_the_copy(f);
	return UNWIND_ENDS;
}

/*
 * Code that reads the caller's frame pointer at its own one, and then counts by the stack pointer (V8's
 * handlers), has no rule for it. If its own one led to just below the return address, that was a frame
 * record.
 */
static void read_record(struct frame_state *f, const struct unwind_regs *old, u64 cfa)
{
	const struct unwind_arch *arch = f->u->arch;
	u64 fp = old->v[arch->fp], next;

	if (arch->records_float || f->regs.known >> arch->fp & 1 || !(old->known >> arch->fp & 1) ||
	    fp + 2u * arch->word != cfa || !unwind_stack__read(&f->stack, fp, &next))
		return;
	f->regs.v[arch->fp] = next;
	f->regs.known |= 1ull << arch->fp;
}

/*
 * Apply the row that the instructions of code without CFI give, and set the caller's address. Return false,
 * with registers changed, if there is none, or if what it says cannot be true.
 */
static bool apply_code_row(struct frame_state *f, struct return_site *site, bool *is_handler)
{
	const struct unwind_arch *arch = f->u->arch;
	const struct cfi_row *row = unwinder__code_row(f->u, f->space, f->regs.ip, !f->is_exact);
	const struct unwind_regs old = f->regs;
	u64 cfa;

	if (!row || (f->sp_state != SP_KNOWN && !find_sp(f, row)) || !find_cfa(f, row, &cfa) ||
	    cfa < f->regs.v[arch->sp] || (cfa == f->regs.v[arch->sp] && cfi_row__rule(row, row->ra)) ||
	    !apply_row(f, row, cfa))
		return false;
	read_record(f, &old, cfa);
	f->u->next_sp = cfa;
	f->regs.ip = return_address(f, f->regs.v[row->ra]);
	*site = unwinder__site(f->u, f->space, f->regs.ip);
	*is_handler = returns_from_signal(f, f->regs.ip, cfa);
	/* HotSpot's interpreter pushes return addresses that follow no call */
	return site->is_code && (!site->in_file || !site->is_read || site->call || *is_handler);
}

/*
 * Step to the caller as the instructions of code without CFI tell. Return false, with nothing changed, if
 * they do not.
 */
static bool step_by_code(struct frame_state *f)
{
	const struct unwind_regs old = f->regs;
	struct return_site site;
	bool is_handler;

	if (!apply_code_row(f, &site, &is_handler)) {
		f->regs = old;
		return false;
	}
	f->is_found |= !is_handler && (!site.is_read || !unwinder__leads_to(f->u, &site, old.ip));
	f->is_exact = false;
	f->sp_state = SP_KNOWN;
	return true;
}

/*
 * Step over a trampoline: code without CFI that moves the stack pointer by one word and calls on, such as
 * that of python3 -X perf. It calls the binary that called it: the return address in that binary proves it.
 */
static enum unwind_end step_over_trampoline(struct frame_state *f)
{
	enum { SAVED_REGS = 1 << 3 | 1 << 6 | 0xf << 12 }; /* rbx, rbp, r12 to r15 */
	const unsigned sp = f->u->arch->sp;
	struct unwind_code callee = { 0 }, caller = { 0 };
	u64 ra;

	if (f->u->arch->machine != EM_X86_64 || f->is_exact ||
	    !unwind_stack__read(&f->stack, f->regs.v[sp] + sizeof(ra), &ra))
		return UNWIND_NO_CFI;
	f->u->look_up(f->u->ctx, f->shown[-1], &callee);
	f->u->look_up(f->u->ctx, ra - 1, &caller);
	if (!callee.cfi || callee.cfi != caller.cfi ||
	    !unwinder__is_after_call(f->u, f->space, ra, f->regs.ip, false))
		return UNWIND_NO_CFI;
	f->regs.known &= SAVED_REGS | 1ull << sp;
	f->regs.v[sp] += 2 * sizeof(ra);
	f->regs.ip = ra;
	f->is_found = true;
	return UNWIND_ENDS;
}

/*
 * Is the return address the start of a function, after code that is no call? Then it was put there by hand,
 * below the first function on a stack of its own: glibc's __start_context, by makecontext. Such a frame has
 * no caller, whatever its row says. There is no row at the byte before it.
 */
static bool is_put_by_hand(struct frame_state *f)
{
	struct return_site site;
	bool is_outermost;
	const struct cfi_row *row = f->is_exact ? NULL : unwinder__code_at(f->u, f->space, f->regs.ip)->row;

	if (!row)
		return false;
	is_outermost = row->is_outermost;
	site = unwinder__site(f->u, f->space, f->regs.ip);
	if (!site.is_read || site.call)
		return false;
	*f->shown = f->regs.ip;
	f->is_found |= !is_outermost;
	return true;
}

/* Step from code without a row, as its runtime, its instructions or its frame pointer tell. */
static enum unwind_end step_without_row(struct frame_state *f, bool is_code)
{
	enum unwind_end end;

	if (is_code && frame_state__step_java(f, &end))
		return end;
	if (is_put_by_hand(f) || frame_state__starts_thread(f))
		return UNWIND_COMPLETE;
	if (is_code && step_by_code(f))
		return UNWIND_ENDS;
	end = step_by_frame_pointer(f, is_code ? UNWIND_NO_CFI : UNWIND_UNMAPPED);
	return end == UNWIND_NO_CFI ? step_over_trampoline(f) : end;
}

static enum unwind_end step(struct frame_state *f)
{
	enum unwind_end end;
	struct unwind_regs old;
	const struct known_code *k = unwinder__code_at(f->u, f->space, f->regs.ip - !f->is_exact);
	bool is_code, was_exact = f->is_exact;

	f->u->next_sp = 0;
	f->u->left_stack = false;
	if (unlikely((k->is_vdso && !f->is_exact && f->u->arch->vdso_restores) || is_restorer(f, k->row))) {
		end = step_by_signal_frame(f);
		if (end != UNWIND_CORRUPT)
			return end;
		/* another lookup may have replaced it */
		k = unwinder__code_at(f->u, f->space, f->regs.ip - !f->is_exact);
	}
	if (likely(k->row))
		return step_by_row(f, k);
	BUG_UNLESS(k->ip == f->regs.ip - !f->is_exact, "code at %llx for %llx", (unsigned long long)k->ip,
		   (unsigned long long)f->regs.ip);
	if (k->is_entry)
		return UNWIND_COMPLETE;
	is_code = k->is_code;
	old = f->regs;
	end = step_without_row(f, is_code);
	if (is_code)
		frame_state__show_v8(f, &old, was_exact, end == UNWIND_ENDS);
	return end;
}

bool unwind_regs__load(struct unwind_regs *regs, const struct unwind_arch *arch,
		       const struct unwind_sample *s)
{
	unsigned nr = 0;
	bool has_ip = false;

	for (unsigned i = 0; i < arch->nr_perf_regs; i++) {
		u8 reg = arch->dwarf_of_perf[i];

		if (!(s->regs_mask >> i & 1))
			continue;
		if (i == arch->perf_ip) {
			regs->ip = s->regs[nr];
			has_ip = true;
			reg = arch->ip; /* rules of PLT stubs need it */
		}
		if (reg != NO_REG) {
			regs->v[reg] = s->regs[nr];
			regs->known |= 1ull << reg;
		}
		nr++;
	}
	return has_ip && (regs->known >> arch->sp & 1);
}

bool unwinder__was_interrupted(const struct unwinder *u, u64 *next_sp)
{
	*next_sp = u->next_sp;
	return u->was_interrupted;
}

bool unwinder__left_stack(const struct unwinder *u)
{
	return u->left_stack;
}

/* Prepare for a sample of a program of this width. Return false if such programs cannot be unwound. */
static bool unwinder__choose_arch(struct unwinder *u, bool is_32bit)
{
	u->arch = u->own;
	if (u->arch && is_32bit != (u->arch->word == 4))
		u->arch = u->arch->compat;
	return u->arch && is_32bit == (u->arch->word == 4);
}

/* A process may have code of both widths, as Wine's have; the cached facts of an address are of one width. */
static u64 unwinder__space(const struct unwinder *u, u64 space)
{
	return u->arch == u->own ? space : space ^ 1ull << 63;
}

bool unwinder__is_outermost(struct unwinder *u, u64 space, u64 ip)
{
	const struct known_code *k = unwinder__code_at(u, unwinder__space(u, space), ip);

	return k->is_entry || (k->row && k->row->is_outermost);
}

/* Is the frame one that may have called callee, as f->check wants it? */
static bool frame_state__is_plausible(struct frame_state *f, u64 callee)
{
	const struct cfi_row *row;

	if (f->is_exact)
		return true;
	row = unwinder__code_at(f->u, f->space, f->regs.ip - 1)->row;
	return (row && row->is_signal) ||
	       unwinder__is_after_call(f->u, f->space, f->regs.ip, callee, f->check == CHECK_TARGETS);
}

/* Put the methods that were inlined into the last frame before it, as many as there is room for. */
static void frame_list__add_inlined(struct frame_list *out, struct frame_state *f)
{
	const struct java_frame *java = f->java;
	u64 ip = out->ips[out->nr - 1], sp = out->sps[out->nr - 1];

	f->java = NULL;
	out->nr--;
	for (unsigned i = 0; i <= java->nr_inlined && out->nr < out->max; i++) {
		out->ips[out->nr] = i < java->nr_inlined ? java->inlined[i] : ip;
		out->sps[out->nr++] = sp;
	}
}

enum unwind_end frame_state__walk(struct frame_state *f, struct frame_list *out)
{
	enum unwind_end end = UNWIND_ENDS;
	u64 ip;

	while (end == UNWIND_ENDS) {
		if (out->nr == out->max)
			return UNWIND_TOO_DEEP;
		f->shown = &out->ips[out->nr];
		*f->shown = f->regs.ip - !f->is_exact;
		out->sps[out->nr] = f->regs.v[f->u->arch->sp];
		out->nr++;
		ip = f->regs.ip;
		end = step(f);
		if (unlikely(f->java))
			frame_list__add_inlined(out, f);
		if (unlikely(f->check) && end == UNWIND_ENDS && !frame_state__is_plausible(f, ip))
			end = UNWIND_CORRUPT;
	}
	return end == UNWIND_COMPLETE && f->is_found ? UNWIND_FOUND : end;
}

/*
 * Does the walk end in JIT code at an address that follows no call, with 0 as its frame pointer? Then a
 * runtime put the address there, below the first function on a stack of its own, such as normal_exit of
 * Erlang's processes. (System V AMD64 ABI, section 3.4.1: the deepest frame has 0 as its frame pointer)
 */
static bool is_bottom(struct frame_state *f, enum unwind_end end)
{
	const struct unwind_arch *arch = f->u->arch;
	struct return_site site;

	if (end != UNWIND_NO_CFI || arch->machine != EM_X86_64 || f->is_exact ||
	    !(f->regs.known >> arch->fp & 1) || f->regs.v[arch->fp])
		return false;
	site = unwinder__site(f->u, f->space, f->regs.ip);
	return site.is_code && site.is_read && !site.in_file && !site.call;
}

enum unwind_end unwinder__run(struct unwinder *u, const struct unwind_sample *s, u64 *ips, u64 *sps,
			      unsigned max, unsigned *nr)
{
	struct frame_state f = { .u = u, .is_exact = true };
	struct frame_list out = { .ips = ips, .max = max };
	enum unwind_end end;

	*nr = 0;
	u->next_sp = 0;
	u->left_stack = false;
	u->code_round = s->code_round;
	if (!unwinder__choose_arch(u, s->is_32bit) || !s->regs || !unwind_regs__load(&f.regs, u->arch, s))
		return UNWIND_NO_REGS;
	f.space = unwinder__space(u, s->space);
	f.stack = (struct unwind_stack){ .data = s->stack,
					 .start = f.regs.v[u->arch->sp],
					 .word = u->arch->word };
	if (__builtin_add_overflow(f.stack.start, s->stack_size, &f.stack.end))
		f.stack.end = f.stack.start;
	if (!sps && u->nr_sps < max) {
		u->sps = xreallocarray(u->sps, max, sizeof(*u->sps));
		u->nr_sps = max;
	}
	out.sps = sps ? sps : u->sps;
	end = frame_state__walk(&f, &out);
	u->was_interrupted = f.is_exact && out.nr > 1;
	if (frame_state__search(&f, &out, end) || is_bottom(&f, end))
		end = UNWIND_FOUND;
	*nr = out.nr;
	return end;
}

/* The value of one register among those of a sample. */
static bool find_register(const struct unwind_sample *s, u64 bit, u64 *value)
{
	if (!s->regs || !(s->regs_mask & bit))
		return false;
	*value = s->regs[__builtin_popcountll(s->regs_mask & (bit - 1))];
	return true;
}

u64 unwinder__leaf_caller(struct unwinder *u, const struct unwind_sample *s, u64 ip)
{
	/* ip: shows how many bits addresses have at least (see return_address) */
	struct frame_state f = { .u = u, .stack.start = ip };
	struct unwind_code code = { 0 };
	const struct cfi_row *row;
	u64 link, ra;

	if (s->is_32bit || !unwinder__choose_arch(u, false) || !find_register(s, u->arch->perf_link, &link))
		return 0;
	f.space = unwinder__space(u, s->space);
	row = unwinder__code_at(u, f.space, ip)->row;
	if (!row || row->is_signal || row->is_outermost)
		return 0;
	u->look_up(u->ctx, ip, &code);
	/* The return address is saved: the caller is missing only until the frame pointer is set. */
	if (cfi_row__rule(row, row->ra) && !cfi__sets_frame_pointer(code.cfi, code.addr))
		return 0;
	ra = return_address(&f, link);
	return ra && unwinder__is_after_call(u, f.space, ra, ip, false) ? ra : 0;
}
