/*
 * Unwind rows of arm64 code from its instructions (Arm Architecture Reference Manual for A-profile, C4.1: the
 * encoding). Each register has a value in terms of those at the address where the walk began; what a
 * function stores on the way and loads again is followed, so a return with the link register of another call
 * is not taken for the function's.
 */
#include "unwind/code_row.h"

#include "unwind/arm64_insn.h"

#include <string.h>

enum {
	INSNS_MAX = 1000,
	BRANCHES_MAX = 32, /* not taken yet */
	SEEN = 1 << 10,    /* places where a path was, by hash */
	SLOTS_MAX = 32,    /* stores that are remembered; newer ones replace older ones */
	WINDOW = 64,       /* bytes that are read at once */
	KEPT_FIRST = 19,   /* calls keep x19 to x29 */
	FP = 29,
	LINK = 30,
	SP = 31,
	NR_REGS = 32,
};

struct value {
	enum {
		UNKNOWN,
		CONSTANT, /* off */
		AT_START, /* the value of register base at the start, plus off */
		LOADED,   /* the value of memory at the start, at that address */
	} kind;
	u8 base;
	s64 off;
};

struct machine_state {
	u64 ip;
	struct value regs[NR_REGS];
	struct {
		struct value at, value;
	} slots[SLOTS_MAX]; /* stores of registers that calls keep */
	unsigned nr_slots;  /* all so far */
	bool ran_over;      /* a call did not return, and the path is in another function */
};

struct code_walk {
	read_code_fn read;
	void *ctx;
	struct machine_state now, branches[BRANCHES_MAX];
	unsigned nr_branches, nr_insns;
	u64 seen[SEEN];
	u8 window[WINDOW];
	u64 window_at;
	size_t window_size;
};

static const struct value unknown = { .kind = UNKNOWN };

static bool code_walk__insn(struct code_walk *w, u64 ip, u32 *insn)
{
	if (ip - w->window_at >= w->window_size) { /* both are multiples of an instruction's size */
		w->window_at = ip;
		w->window_size = w->read(w->ctx, ip, w->window, WINDOW)            ? WINDOW
				 : w->read(w->ctx, ip, w->window, ARM64_INSN_SIZE) ? ARM64_INSN_SIZE
										   : 0;
		if (!w->window_size)
			return false;
	}
	memcpy(insn, w->window + (ip - w->window_at), ARM64_INSN_SIZE);
	return true;
}

/* Note that a path was at ip. Return false if one was before. */
static bool code_walk__enter(struct code_walk *w, u64 ip)
{
	u64 *slot = &w->seen[(ip >> 2 ^ ip >> 12) % SEEN];

	if (*slot == ip)
		return false;
	*slot = ip;
	return true;
}

static unsigned field(u32 insn, unsigned low, unsigned bits)
{
	return insn >> low & ((1u << bits) - 1);
}

static struct value plus(struct value v, s64 off)
{
	if (v.kind != CONSTANT && v.kind != AT_START)
		return unknown;
	v.off = (s64)((u64)v.off + (u64)off);
	return v;
}

static bool is_same(struct value a, struct value b)
{
	return a.kind == b.kind && a.base == b.base && a.off == b.off;
}

/* Write a register of an instruction in which number 31 is the zero register. */
static void set(struct machine_state *m, unsigned reg, struct value v)
{
	if (reg != SP)
		m->regs[reg] = v;
}

static struct value get(const struct machine_state *m, unsigned reg)
{
	return reg == SP ? (struct value){ .kind = CONSTANT } : m->regs[reg];
}

/* ---- memory ---- */

static void store(struct machine_state *m, unsigned reg, struct value at)
{
	unsigned i = m->nr_slots % SLOTS_MAX;

	if (reg < KEPT_FIRST || reg > LINK || at.kind != AT_START)
		return;
	/* functions save their return address before they call */
	m->ran_over |= reg == LINK && m->regs[reg].kind == UNKNOWN;
	m->slots[i].at = at;
	m->slots[i].value = m->regs[reg];
	m->nr_slots++;
}

/* Memory below the stack pointer at the start is new: only what was stored on the way is known. */
static struct value load(const struct machine_state *m, struct value at)
{
	if (at.kind != AT_START)
		return unknown;
	for (unsigned i = m->nr_slots, n = 0; n < MIN(m->nr_slots, (unsigned)SLOTS_MAX); n++) {
		i--;
		if (is_same(m->slots[i % SLOTS_MAX].at, at))
			return m->slots[i % SLOTS_MAX].value;
	}
	if (at.base == SP && at.off < 0)
		return unknown;
	return (struct value){ .kind = LOADED, .base = at.base, .off = at.off };
}

enum { OFFSET_ONLY, POST_INDEX = 1, PRE_INDEX = 3 }; /* two bits of instructions */

/* The address of an access. A register that is written back is changed. */
static struct value access_at(struct machine_state *m, unsigned base, s64 off, unsigned mode)
{
	struct value old = m->regs[base], sum = plus(old, off);

	if (mode == POST_INDEX || mode == PRE_INDEX)
		m->regs[base] = sum;
	return mode == POST_INDEX ? old : sum;
}

/* LDP, STP and their kin. */
static void apply_pair(struct machine_state *m, u32 insn)
{
	const unsigned opc = field(insn, 30, 2), mode = field(insn, 23, 2),
		       rt[] = { insn & 31, field(insn, 10, 5) };
	const bool is_vector = insn >> 26 & 1, is_load = insn >> 22 & 1, is_64 = opc == 2 && !is_vector;
	const unsigned scale = is_vector ? 2 + opc : opc == 2 ? 3 : 2;
	struct value at =
		access_at(m, field(insn, 5, 5), arm64_insn__signed(insn, 15, 7) * (1 << scale), mode);

	for (unsigned i = 0; i < 2 && !is_vector; i++) {
		struct value where = plus(at, 8 * (s64)i);

		if (is_load)
			set(m, rt[i], is_64 ? load(m, where) : unknown);
		else if (is_64)
			store(m, rt[i], where);
	}
}

/* LDR, STR and their kin, by a distance of 12 bits or of 9. */
static void apply_single(struct machine_state *m, u32 insn)
{
	const unsigned size = field(insn, 30, 2), opc = field(insn, 22, 2), rt = insn & 31;
	const bool is_vector = insn >> 26 & 1, is_scaled = insn >> 24 & 1;
	struct value at;

	if (is_scaled)
		at = access_at(m, field(insn, 5, 5), (s64)field(insn, 10, 12) << size, OFFSET_ONLY);
	else
		at = access_at(m, field(insn, 5, 5), arm64_insn__signed(insn, 12, 9), field(insn, 10, 2));
	if (is_vector)
		return;
	if (size == 3 && opc == 0)
		store(m, rt, at);
	else if (opc != 0)
		set(m, rt, size == 3 && opc == 1 ? load(m, at) : unknown);
}

static void apply_memory(struct machine_state *m, u32 insn)
{
	if ((insn & 0x3a000000) == 0x28000000)
		apply_pair(m, insn);
	else if ((insn & 0x3b000000) == 0x39000000 || (insn & 0x3b200000) == 0x38000000)
		apply_single(m, insn);
	else if (!(insn >> 26 & 1)) /* by a register, exclusive, atomic */
		set(m, insn & 31, unknown);
}

/* ---- arithmetic ---- */

static void apply_move(struct machine_state *m, u32 insn)
{
	const unsigned reg = insn & 31, shift = field(insn, 21, 2) * 16;
	const u64 number = (u64)field(insn, 5, 16) << shift;
	struct value v = { .kind = CONSTANT };

	switch (field(insn, 29, 2)) {
	case 0: /* MOVN */
		v.off = (s64)(insn >> 31 ? ~number : ~number & UINT32_MAX);
		break;
	case 2: /* MOVZ */
		v.off = (s64)number;
		break;
	default: /* MOVK */
		v = get(m, reg);
		if (v.kind != CONSTANT)
			v = unknown;
		v.off = (s64)(((u64)v.off & ~(0xffffull << shift)) | number);
	}
	set(m, reg, v);
}

static void apply_arithmetic(struct machine_state *m, u32 insn)
{
	const unsigned rd = insn & 31, rn = field(insn, 5, 5), rm = field(insn, 16, 5);
	s64 number;

	if ((insn & 0x1f800000) == 0x12800000) {
		apply_move(m, insn);
	} else if ((insn & 0xff800000) == 0x91000000) { /* ADD of a number */
		number = (s64)field(insn, 10, 12) << (insn >> 22 & 1 ? 12 : 0);
		m->regs[rd] = plus(m->regs[rn], number);
	} else if ((insn & 0xff800000) == 0xd1000000) { /* SUB of a number */
		number = (s64)field(insn, 10, 12) << (insn >> 22 & 1 ? 12 : 0);
		m->regs[rd] = plus(m->regs[rn], -number);
	} else if ((insn & 0xbfe00000) == 0x8b200000) { /* ADD, SUB of a register to the stack pointer */
		struct value by = get(m, rm);

		number = (s64)((u64)by.off << field(insn, 10, 3));
		m->regs[rd] =
			by.kind == CONSTANT ? plus(m->regs[rn], insn >> 30 & 1 ? -number : number) : unknown;
	} else if ((insn & 0xffe0ffe0) == 0xaa0003e0) { /* MOV */
		set(m, rd, get(m, rm));
	} else if ((insn & 0x1f800000) == 0x12000000 &&
		   field(insn, 29, 2) != 3) { /* AND, ORR, EOR of a number */
		m->regs[rd] = unknown;
	} else {
		set(m, rd, unknown);
	}
}

/* ---- the walk ---- */

/* Apply an instruction that goes on. */
static void apply(struct machine_state *m, u32 insn)
{
	if ((insn & 0x0a000000) == 0x08000000) {
		apply_memory(m, insn);
	} else if ((insn & 0x1c000000) == 0x10000000 || (insn & 0x0e000000) == 0x0a000000) {
		apply_arithmetic(m, insn);
	} else if ((insn & 0xffa0f800) == 0x04205000) { /* ADDVL, ADDPL */
		m->regs[insn & 31] = unknown;
	} else if ((insn & 0xfff00000) == 0xd5300000) { /* MRS */
		set(m, insn & 31, unknown);
	}
}

static void apply_call(struct machine_state *m)
{
	for (unsigned reg = 0; reg < KEPT_FIRST; reg++)
		m->regs[reg] = unknown;
	m->regs[LINK] = unknown;
}

/* Is the register's value at the return that of the caller, saved where the row can tell? */
static bool is_saved(const struct machine_state *m, unsigned reg)
{
	return m->regs[reg].kind == LOADED && m->regs[reg].base == m->regs[SP].base;
}

static bool is_untouched(const struct machine_state *m, unsigned reg)
{
	return is_same(m->regs[reg], (struct value){ .kind = AT_START, .base = (u8)reg });
}

/* Is the return where the path leads to that of the function? */
static bool is_plausible(const struct machine_state *m)
{
	const struct value *sp = &m->regs[SP];

	if (sp->kind != AT_START || (sp->base != SP && sp->base != FP) || (sp->base == SP && sp->off < 0))
		return false;
	return is_untouched(m, LINK) || (is_saved(m, LINK) && m->regs[LINK].off < sp->off);
}

/* Walk to a return, and at ends of paths go back to the last branch that was not taken. */
static bool code_walk__run(struct code_walk *w)
{
	bool goes_on = true;

	while (w->nr_insns++ < INSNS_MAX) {
		struct machine_state *m = &w->now;
		s64 distance = 0;
		u32 insn;
		u64 ip;

		if (!goes_on) {
			if (!w->nr_branches)
				return false;
			*m = w->branches[--w->nr_branches];
		}
		ip = m->ip;
		goes_on = code_walk__insn(w, ip, &insn);
		if (!goes_on)
			continue;
		m->ip += ARM64_INSN_SIZE;
		switch (arm64_insn__flow(insn, &distance)) {
		case ARM64_GOES_ON:
			apply(m, insn);
			goes_on = !m->ran_over;
			break;
		case ARM64_CALL:
			apply_call(m);
			break;
		case ARM64_RETURN:
			if (is_plausible(m))
				return true;
			goes_on = false;
			break;
		case ARM64_END:
			goes_on = false;
			break;
		case ARM64_JUMP:
			m->ip = ip + (u64)distance;
			goes_on = code_walk__enter(w, m->ip);
			break;
		case ARM64_BRANCH:
			if (w->nr_branches < BRANCHES_MAX && code_walk__enter(w, ip + (u64)distance)) {
				w->branches[w->nr_branches] = *m;
				w->branches[w->nr_branches++].ip = ip + (u64)distance;
			}
			break;
		}
	}
	return false;
}

bool code_row__make_arm64(struct code_row *row, u64 ip, bool is_return, read_code_fn read, void *ctx)
{
	struct code_walk w = { .read = read, .ctx = ctx };
	const struct machine_state *m = &w.now;
	struct cfi_row *r = (void *)row->bytes;

	w.now.ip = ip;
	for (unsigned reg = 0; reg < NR_REGS; reg++)
		w.now.regs[reg] = (struct value){ .kind = AT_START, .base = (u8)reg };
	if (is_return)
		apply_call(&w.now);
	if (!code_walk__run(&w))
		return false;
	*r = (struct cfi_row){ .cfa_reg = m->regs[SP].base, .cfa_offset = m->regs[SP].off, .ra = LINK };
	for (u8 reg = KEPT_FIRST; reg <= LINK; reg++) {
		if (is_untouched(m, reg))
			r->kept |= 1ull << reg;
		else if (is_saved(m, reg))
			r->rules[r->nr_rules++] = (struct cfi_rule){
				.reg = reg, .kind = CFI_AT_CFA, .offset = m->regs[reg].off - m->regs[SP].off
			};
	}
	return true;
}
