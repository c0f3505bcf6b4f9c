/*
 * Code without call frame information: what a frame pointer is worth, and the search for a return address
 * on the stack.
 */
#include "unwind/unwind_private.h"

#include <elf.h>
#include <string.h>

enum {
	BELOW_MAX = 512,  /* words below a frame pointer that are looked at */
	WORDS_MAX = 1024, /* words of the stack in which a return address is looked for */
	TRIES_MAX = 128,  /* walks that are tried for a sample */
	DEPTH_MAX = 64,   /* searches within a search */
	AARCH64_LINK = 30,
	SAVED_FP_MAX = 6, /* words below a return address, one of which may be the saved frame pointer */
};

/* Registers that calls keep: rbx, rbp, r12 to r15 (System V AMD64 ABI, figure 3.4), x19 to x29 (AAPCS64). */
static u64 saved_regs(const struct frame_state *f)
{
	return f->u->arch->machine == EM_X86_64 ? 1 << 3 | 1 << 6 | 0xf << 12 : 0x7ffull << 19;
}

static bool can_search(const struct frame_state *f)
{
	return f->u->arch->machine == EM_X86_64 || f->u->arch->machine == EM_AARCH64;
}

/*
 * May the number be a return address although it follows no call? HotSpot's interpreter pushes addresses
 * of its code.
 */
static bool is_suspect(const struct return_site *site)
{
	return site->is_code && !site->in_file && !site->call;
}

/*
 * Find the call whose return address is in the link register of a leaf without CFI. Return false if there
 * is none, or if it is a call that the function itself made before: the register has that address until
 * the function returns.
 */
static bool find_link(struct frame_state *f, struct return_site *site)
{
	if (!f->is_exact || !(f->regs.known >> AARCH64_LINK & 1) ||
	    unwinder__code_at(f->u, f->space, f->regs.ip)->row)
		return false;
	*site = unwinder__site(f->u, f->space, frame_state__plain_address(f, f->regs.v[AARCH64_LINK]));
	return site->call != CALL_DIRECT || site->ra <= site->target || site->ra > f->regs.ip;
}

/* Is the return address of a leaf in the link register, and not in the frame record? */
static bool is_in_link_register(struct frame_state *f, u64 fp, bool *is_certain)
{
	struct return_site site;
	u64 saved;

	if (!find_link(f, &site) || !unwind_stack__read(&f->stack, fp + f->u->arch->word, &saved) ||
	    site.ra == frame_state__plain_address(f, saved))
		return false;
	*is_certain &= site.call != CALL_ANY;
	return unwinder__calls(f->u, &site, f->regs.ip, COMMON_FUNCTION_MAX);
}

bool frame_state__has_outer_fp(struct frame_state *f, u64 fp, bool *is_certain)
{
	const unsigned word = f->u->arch->word;
	u64 sp = f->regs.v[f->u->arch->sp], value;

	*is_certain = true;
	if (is_in_link_register(f, fp, is_certain))
		return true;
	if (f->sp_state != SP_KNOWN)
		return false;
	for (u64 at = sp; at < fp && at - sp < (u64)BELOW_MAX * word; at += word) {
		struct return_site site;

		if (!unwind_stack__read(&f->stack, at, &value))
			break;
		site = unwinder__site(f->u, f->space, frame_state__plain_address(f, value));
		if (unwinder__calls(f->u, &site, f->regs.ip, COMMON_FUNCTION_MAX))
			return true;
		*is_certain &= site.call != CALL_ANY;
	}
	return false;
}

/* ---- the search ---- */

/* Walk on from a return address at a place of the stack, with the frame pointer fp. */
static bool try_from(struct frame_state *f, struct frame_list *out, u64 at, u64 ra, u64 fp)
{
	const struct unwind_arch *arch = f->u->arch;
	const unsigned nr = out->nr;
	struct frame_state next = *f;
	enum unwind_end end;

	next.regs.known &= saved_regs(f) | arch->constant | 1ull << arch->sp;
	next.regs.v[arch->fp] = fp;
	next.regs.v[arch->sp] = at + arch->word;
	if (arch->records_float) { /* the word may be anywhere in its frame */
		next.regs.v[arch->sp] = ROUND_UP(at + arch->word, 2u * arch->word);
		next.sp_state = SP_AFTER_RECORD;
	}
	next.regs.ip = ra;
	next.is_exact = false;
	next.is_found = true;
	next.nr_searches++;
	f->u->tries++;
	end = frame_state__walk(&next, out);
	if (end == UNWIND_FOUND || frame_state__search(&next, out, end))
		return true;
	out->nr = nr;
	return false;
}

struct candidate {
	u64 at, ra;     /* position on the stack, 0: none; the return address */
	bool is_direct; /* it follows a direct call of the function */
};

/* The words of the stack in which the return address of a frame is looked for. */
struct candidates {
	struct frame_state *f;
	u64 at, end;
	bool in_file; /* the function is */
	bool any;     /* any call may have led to the function */
};

static struct candidates candidates__of(struct frame_state *f, bool any)
{
	struct unwind_code code = { .is_guess = true };
	u64 sp = f->regs.v[f->u->arch->sp];

	f->u->look_up(f->u->ctx, f->regs.ip - !f->is_exact, &code);
	return (struct candidates){ .f = f,
				    .at = sp,
				    .end = sp + (u64)WORDS_MAX * f->u->arch->word,
				    .in_file = code.cfi,
				    .any = any };
}

/*
 * Find the next word that may be the return address. Return addresses in JIT code need not follow a call:
 * HotSpot's interpreter pushes addresses. Such a word may be the one that is looked for, so only a direct
 * call of the function counts after it. Nothing counts after an address of code that cannot be read, as when
 * the process has ended.
 */
static bool candidates__next(struct candidates *s, struct candidate *c)
{
	struct frame_state *f = s->f;
	bool only_direct = false;

	for (; s->at < s->end && unwind_stack__read(&f->stack, s->at, &c->ra); s->at += f->u->arch->word) {
		struct return_site site;

		c->ra = frame_state__plain_address(f, c->ra);
		site = unwinder__site(f->u, f->space, c->ra);

		if (site.is_code && !site.is_read)
			break;
		only_direct |= !s->in_file && is_suspect(&site);
		if (!site.call || !(s->any || unwinder__leads_to(f->u, &site, f->regs.ip)))
			continue;
		c->is_direct = unwinder__calls(f->u, &site, f->regs.ip, FUNCTION_MAX);
		if (only_direct && !c->is_direct)
			continue;
		c->at = s->at;
		s->at += f->u->arch->word;
		return true;
	}
	return false;
}

/* Walk on from c. The frame pointer may have been pushed, before other registers or after. */
static bool try_candidate(struct frame_state *f, struct frame_list *out, const struct candidate *c,
			  enum frame_check check)
{
	const struct unwind_arch *arch = f->u->arch;
	u64 fp = f->regs.v[arch->fp], saved;

	f->check = check;
	if (try_from(f, out, c->at, c->ra, fp))
		return true;
	if (!unwinder__code_at(f->u, f->space, c->ra - 1)->row)
		return false;
	for (u64 i = 1; i <= SAVED_FP_MAX && f->u->tries < TRIES_MAX; i++)
		if (c->at - i * arch->word >= f->regs.v[arch->sp] &&
		    unwind_stack__read(&f->stack, c->at - i * arch->word, &saved) && saved > c->at &&
		    saved != fp && saved < f->stack.end && !(saved % arch->word) &&
		    try_from(f, out, c->at, c->ra, saved))
			return true;
	return false;
}

/* A search within a search: a direct call of the function, or else the first that leads outwards. */
static bool search_within(struct frame_state *f, struct frame_list *out)
{
	struct candidates s = candidates__of(f, false), again = s;
	const enum frame_check check = f->check;
	struct candidate c;

	while (candidates__next(&s, &c))
		if (c.is_direct)
			return try_candidate(f, out, &c, check);
	while (f->u->tries < TRIES_MAX && candidates__next(&again, &c))
		if (try_candidate(f, out, &c, check))
			return true;
	return false;
}

/* Does the chain have the caller whose return address is at c? Frames before from are not looked at. */
static bool has_caller(const struct frame_state *f, const struct frame_list *out, unsigned from,
		       const struct candidate *c)
{
	for (unsigned i = from; i < out->nr; i++)
		if (out->ips[i] == c->ra - 1 &&
		    (f->u->arch->records_float || out->sps[i] == c->at + sizeof(c->ra)))
			return true;
	return false;
}

/*
 * Find the candidate with the strongest sign: a direct call of the function, or else the first from which
 * each direct call leads to its callee.
 */
static struct candidate find_anchor(struct frame_state *f, struct frame_list *out, bool any)
{
	struct candidates s = candidates__of(f, any), again = s;
	const unsigned nr = out->nr;
	struct candidate c;

	while (candidates__next(&s, &c))
		if (c.is_direct)
			return c;
	while (f->u->tries < TRIES_MAX && candidates__next(&again, &c)) {
		if (!try_candidate(f, out, &c, CHECK_TARGETS))
			continue;
		out->nr = nr;
		return c;
	}
	return (struct candidate){ .at = 0 };
}

/*
 * Callers by other calls may be further in than the anchor, if they lead to it: functions end with jumps, and
 * call themselves through pointers.
 */
static bool search_outermost(struct frame_state *f, struct frame_list *out, bool any)
{
	struct candidate c, anchor = find_anchor(f, out, any);
	struct candidates s = candidates__of(f, any);
	const unsigned nr = out->nr;

	f->u->tries = 0;
	while (f->u->tries < TRIES_MAX && candidates__next(&s, &c) && (!anchor.at || c.at < anchor.at)) {
		if (try_candidate(f, out, &c, CHECK_CALLS) && (!anchor.at || has_caller(f, out, nr, &anchor)))
			return true;
		out->nr = nr;
	}
	f->u->tries = 0;
	return anchor.at &&
	       (try_candidate(f, out, &anchor, CHECK_TARGETS) || try_candidate(f, out, &anchor, CHECK_CALLS));
}

/*
 * Did the walk end in code without CFI, also where a register led beyond the copy that was no frame
 * pointer?
 */
static bool ended_without_cfi(struct frame_state *f, enum unwind_end end)
{
	return end == UNWIND_NO_CFI ||
	       (end == UNWIND_CUT && !unwinder__code_at(f->u, f->space, f->regs.ip - !f->is_exact)->row);
}

/* Try the caller whose address is in the link register, if that follows a direct call of the function. */
static bool search_link_register(struct frame_state *f, struct frame_list *out)
{
	struct return_site site;

	f->check = CHECK_CALLS;
	return find_link(f, &site) && unwinder__calls(f->u, &site, f->regs.ip, COMMON_FUNCTION_MAX) &&
	       try_from(f, out, f->regs.v[f->u->arch->sp] - f->u->arch->word, site.ra,
			f->regs.v[f->u->arch->fp]);
}

bool frame_state__search(struct frame_state *f, struct frame_list *out, enum unwind_end end)
{
	bool is_certain, in_file;
	u8 byte;

	if (!can_search(f) || !ended_without_cfi(f, end) || f->sp_state == SP_AT_LEAST || f->is_elsewhere ||
	    f->nr_searches == DEPTH_MAX)
		return false;
	in_file = candidates__of(f, true).in_file;
	if (!in_file && !unwinder__read_code(f->u, f->regs.ip, &byte, sizeof(byte)))
		return false;
	if (f->nr_searches)
		return search_within(f, out);
	f->u->tries = 0;
	if (search_link_register(f, out) || search_outermost(f, out, false))
		return true;
	return !in_file && !frame_state__has_outer_fp(f, f->regs.v[f->u->arch->fp], &is_certain) &&
	       search_outermost(f, out, true);
}
