#include "unwind/code_row.h"

#include "unwind/x86_insn.h"

#include <string.h>

enum {
	INSNS_MAX = 1000,
	BRANCHES_MAX = 32, /* not taken yet */
	SEEN = 1 << 10,    /* places where a path was, by hash */
	PUSHED_MAX = 16,   /* registers pushed since the address */
	WINDOW = 64,       /* bytes that are read at once */
	STACK_ALIGN = 16,  /* bytes; at calls */
	NR_REGS = 16,
};

/*
 * Differences between the modes. (System V ABI AMD64, figure 3.36; Intel386, table 2.14) 32-bit code pushes
 * arguments, and calls may pop some of them: after a call, only the frame pointer tells the stack pointer.
 */
struct mode {
	u8 word; /* bytes */
	bool calls_pop;
	u8 sp, fp, ra;       /* DWARF's numbers */
	u8 of_kept[NR_REGS]; /* DWARF's numbers of the registers that calls keep, by their numbers in
				  instructions; 0: others */
};
static const struct mode x86_64 = {
	.word = 8,
	.sp = 7,
	.fp = 6,
	.ra = 16,
	.of_kept = { [3] = 3, [5] = 6, [12] = 12, [13] = 13, [14] = 14, [15] = 15 },
};
static const struct mode i386 = {
	.word = 4,
	.calls_pop = true,
	.sp = 4,
	.fp = 5,
	.ra = 8,
	.of_kept = { [3] = 3, [5] = 5, [6] = 6, [7] = 7 },
};

/* A value of the stack pointer or frame pointer: that of a register at the address, and a distance. */
struct pointer {
	u8 base; /* X86_RSP, X86_RBP, or X86_NO_REG: unknown */
	s64 off;
};

struct machine_state {
	const struct mode *mode;
	u64 ip;
	struct pointer sp, fp;
	struct pointer
		saved[NR_REGS]; /* the caller's registers; base 0: in themselves; X86_NO_REG: unknown */
	struct {                /* pushed on the way, the innermost last */
		s64 at;         /* as sp.off */
		u8 reg;
		struct pointer fp; /* at that time */
	} pushed[PUSHED_MAX];
	unsigned nr_pushed;
	u8 pushed_base; /* of sp at that time */
	/*
	 * rsp was computed from rbp: below this distance from rbp the frame is gone, and the stack there
	 * belongs to a function that was jumped to
	 */
	bool has_edge;
	s64 edge;
	bool has_called; /* with rsp at call_off */
	s64 call_off;
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

/* Return the code at ip, as much of an instruction as can be read. */
static const u8 *code_walk__code(struct code_walk *w, u64 ip, size_t *size)
{
	if (ip - w->window_at >= w->window_size || w->window_size - (ip - w->window_at) < X86_INSN_MAX) {
		w->window_at = ip;
		w->window_size = WINDOW;
		while (w->window_size && !w->read(w->ctx, ip, w->window, w->window_size))
			w->window_size = MIN(w->window_size - 1, (size_t)X86_INSN_MAX);
	}
	*size = w->window_size - (ip - w->window_at);
	return w->window + (ip - w->window_at);
}

/* Note that a path was at ip. Return false if one was before. */
static bool code_walk__enter(struct code_walk *w, u64 ip)
{
	u64 *slot = &w->seen[(ip ^ ip >> 10) % SEEN];

	if (*slot == ip)
		return false;
	*slot = ip;
	return true;
}

static struct pointer *tracked(struct machine_state *m, u8 reg)
{
	return reg == X86_RSP ? &m->sp : reg == X86_RBP ? &m->fp : NULL;
}

static void push(struct machine_state *m, u8 reg)
{
	m->sp.off -= m->mode->word;
	if (m->sp.base == X86_NO_REG)
		return;
	if (m->pushed_base != m->sp.base)
		m->nr_pushed = 0;
	m->pushed_base = m->sp.base;
	while (m->nr_pushed && m->pushed[m->nr_pushed - 1].at <= m->sp.off)
		m->nr_pushed--;
	if (m->nr_pushed == PUSHED_MAX)
		return;
	m->pushed[m->nr_pushed].at = m->sp.off;
	m->pushed[m->nr_pushed].reg = reg;
	m->pushed[m->nr_pushed++].fp = m->fp;
}

/* The register is read back from a place: the caller's, unless it was pushed there on the way. */
static void restore(struct machine_state *m, u8 reg, struct pointer from)
{
	const bool is_new = from.base == X86_RSP ? from.off < 0 : m->has_edge && from.off < m->edge;
	unsigned i = from.base == m->pushed_base ? m->nr_pushed : 0;

	while (i && m->pushed[i - 1].at != from.off)
		i--;
	if (reg == X86_RSP)
		m->sp.base = X86_NO_REG;
	if (reg == X86_RBP)
		m->fp = i && m->pushed[i - 1].reg == reg ? m->pushed[i - 1].fp
							 : (struct pointer){ X86_NO_REG, 0 };
	if (i && m->pushed[i - 1].reg == reg)
		return;
	m->saved[reg] = i || is_new ? (struct pointer){ X86_NO_REG, 0 } : from;
}

/* Note how much of a frame that rbp leads to is gone. */
static void note_edge(struct machine_state *m)
{
	if (m->sp.base != X86_RBP || (m->has_edge && m->sp.off < m->edge))
		return;
	m->has_edge = true;
	m->edge = m->sp.off;
}

static void set(struct machine_state *m, const struct x86_insn *insn)
{
	struct pointer *to = tracked(m, insn->reg), *from = tracked(m, insn->base);

	*to = from ? (struct pointer){ from->base, from->off + insn->value }
		   : (struct pointer){ X86_NO_REG, 0 };
}

/*
 * Apply the instruction to the state. Return false if the path ends. The stack is aligned at each call:
 * where it is not, an earlier call did not return, and the path is in another
 * function.
 */
static bool apply(struct machine_state *m, const struct x86_insn *insn)
{
	m->ip += insn->size;
	switch (insn->kind) {
	case X86_CALL:
		if (m->mode->calls_pop)
			m->sp.base = X86_NO_REG;
		if (m->sp.base != X86_RSP)
			break;
		if (m->has_called && (m->sp.off - m->call_off) % STACK_ALIGN)
			return false;
		m->has_called = true;
		m->call_off = m->sp.off;
		break;
	case X86_OTHER:
	case X86_BRANCH:
	case X86_RET:
		break;
	case X86_PUSH:
		push(m, insn->reg);
		break;
	case X86_LEAVE:
		m->sp = m->fp;
		restore(m, X86_RBP, m->sp);
		m->sp.off += m->mode->word;
		break;
	case X86_POP:
		if (insn->reg != X86_NO_REG)
			restore(m, insn->reg, m->sp);
		m->sp.off += m->mode->word;
		break;
	case X86_SET:
		set(m, insn);
		break;
	case X86_LOAD: {
		const struct pointer *base = tracked(m, insn->base);

		restore(m, insn->reg, (struct pointer){ base->base, base->off + insn->value });
		break;
	}
	case X86_JUMP:
		m->ip += (u64)insn->value;
		break;
	case X86_END:
		return false;
	}
	note_edge(m);
	return true;
}

/* Does 32-bit code call a function that only returns its return address, to learn where it is? */
static bool code_walk__calls_thunk(struct code_walk *w, const struct x86_insn *insn)
{
	u64 target = w->now.ip + insn->size + (u64)insn->value;
	u8 code[4];

	return insn->kind == X86_CALL && insn->value && w->now.mode->calls_pop &&
	       w->read(w->ctx, target, code, sizeof(code)) && code[0] == 0x8b && (code[1] & 0xc7) == 4 &&
	       code[2] == 0x24 && code[3] == 0xc3; /* mov (%esp), %REG; ret */
}

/* Is the return where the path leads to that of the function? */
static bool is_plausible(const struct machine_state *m)
{
	if (m->sp.base != X86_RSP)
		return m->sp.base == X86_RBP;
	return m->sp.off >= 0 && !(m->sp.off % m->mode->word) &&
	       !(m->has_called && (m->sp.off + m->mode->word - m->call_off) % STACK_ALIGN);
}

/* Walk to a return, and at ends of paths go back to the last branch that was not taken. */
static bool code_walk__run(struct code_walk *w)
{
	struct x86_insn insn;
	bool goes_on = true;

	while (w->nr_insns++ < INSNS_MAX) {
		size_t size;
		const u8 *code;

		if (!goes_on) {
			if (!w->nr_branches)
				return false;
			w->now = w->branches[--w->nr_branches];
		}
		code = code_walk__code(w, w->now.ip, &size);
		goes_on = x86_insn__decode(&insn, code, size, w->now.mode->word == 8);
		if (goes_on && code_walk__calls_thunk(w, &insn))
			insn.kind = X86_OTHER;
		goes_on = goes_on && apply(&w->now, &insn);
		if (!goes_on)
			continue;
		if (insn.kind == X86_RET && is_plausible(&w->now))
			return true;
		goes_on = insn.kind != X86_RET;
		if (insn.kind == X86_BRANCH && w->nr_branches < BRANCHES_MAX &&
		    code_walk__enter(w, w->now.ip + (u64)insn.value)) {
			w->branches[w->nr_branches] = w->now;
			w->branches[w->nr_branches++].ip += (u64)insn.value;
		}
		if (insn.kind == X86_JUMP)
			goes_on = code_walk__enter(w, w->now.ip);
	}
	return false;
}

static bool make_row(struct code_row *row, const struct mode *mode, u64 ip, bool is_return, read_code_fn read,
		     void *ctx)
{
	struct code_walk w = { .read = read, .ctx = ctx };
	const struct machine_state *m = &w.now;
	struct cfi_row *r = (void *)row->bytes;

	w.now.mode = mode;
	w.now.ip = ip;
	w.now.has_called = is_return && !mode->calls_pop;
	w.now.sp.base = X86_RSP;
	w.now.fp.base = X86_RBP;
	if (!code_walk__run(&w))
		return false;
	*r = (struct cfi_row){ .cfa_reg = m->sp.base == X86_RSP ? mode->sp : mode->fp,
			       .cfa_offset = m->sp.off + mode->word,
			       .ra = mode->ra,
			       .nr_rules = 1 };
	r->rules[0] = (struct cfi_rule){ .reg = mode->ra, .kind = CFI_AT_CFA, .offset = -mode->word };
	for (unsigned reg = 0; reg < NR_REGS; reg++) {
		const struct pointer *at = &m->saved[reg];

		if (!mode->of_kept[reg])
			continue;
		if (!at->base)
			r->kept |= 1ull << mode->of_kept[reg];
		else if (at->base == m->sp.base)
			r->rules[r->nr_rules++] =
				(struct cfi_rule){ .reg = mode->of_kept[reg],
						   .kind = CFI_AT_CFA,
						   .offset = at->off - m->sp.off - mode->word };
	}
	return true;
}

bool code_row__make(struct code_row *row, u64 ip, bool is_return, read_code_fn read, void *ctx)
{
	return make_row(row, &x86_64, ip, is_return, read, ctx);
}

bool code_row__make_i386(struct code_row *row, u64 ip, bool is_return, read_code_fn read, void *ctx)
{
	return make_row(row, &i386, ip, is_return, read, ctx);
}
