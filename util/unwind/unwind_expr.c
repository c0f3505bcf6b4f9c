#include "unwind/unwind_private.h"

#include <dwarf.h>

enum { DEPTH_MAX = 64, STEPS_MAX = 1000 };

struct machine_state {
	const struct unwind_regs *regs;
	struct unwind_stack *memory;
	u64 cfa;
	u64 v[DEPTH_MAX];
	unsigned nr;
	u32 at; /* offset of the next operation */
};

static bool push(struct machine_state *m, u64 value)
{
	if (m->nr == DEPTH_MAX)
		return false;
	m->v[m->nr++] = value;
	return true;
}

static bool push_register(struct machine_state *m, u64 reg, u64 offset)
{
	if (reg >= CFI_REGS_MAX || !(m->regs->known >> reg & 1))
		return false;
	return push(m, m->regs->v[reg] + offset);
}

/* The two topmost values; a is the lower one. */
static bool binary(u8 atom, u64 a, u64 b, u64 *out)
{
	switch (atom) {
	case DW_OP_and:
		*out = a & b;
		return true;
	case DW_OP_or:
		*out = a | b;
		return true;
	case DW_OP_xor:
		*out = a ^ b;
		return true;
	case DW_OP_plus:
		*out = a + b;
		return true;
	case DW_OP_minus:
		*out = a - b;
		return true;
	case DW_OP_mul:
		*out = a * b;
		return true;
	case DW_OP_shl:
		*out = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*out = b < 64 ? a >> b : 0;
		return true;
	case DW_OP_shra:
		*out = (u64)((s64)a >> (b < 64 ? b : 63));
		return true;
	case DW_OP_eq:
		*out = a == b;
		return true;
	case DW_OP_ne:
		*out = a != b;
		return true;
	case DW_OP_lt:
		*out = (s64)a < (s64)b;
		return true;
	case DW_OP_le:
		*out = (s64)a <= (s64)b;
		return true;
	case DW_OP_gt:
		*out = (s64)a > (s64)b;
		return true;
	case DW_OP_ge:
		*out = (s64)a >= (s64)b;
		return true;
	case DW_OP_mod:
		*out = b ? a % b : 0;
		return b != 0;
	case DW_OP_div:
		if (!b || (a == 1ull << 63 && b == UINT64_MAX))
			return false;
		*out = (u64)((s64)a / (s64)b);
		return true;
	}
	return false;
}

static bool unary(struct machine_state *m, const struct cfi_op *op, u64 *top)
{
	switch (op->atom) {
	case DW_OP_deref:
		return unwind_stack__read(m->memory, *top, top);
	case DW_OP_neg:
		*top = -*top;
		return true;
	case DW_OP_not:
		*top = ~*top;
		return true;
	case DW_OP_abs:
		*top = (s64)*top < 0 ? -*top : *top;
		return true;
	case DW_OP_plus_uconst:
		*top += op->a;
		return true;
	}
	return false;
}

static bool is_unary(u8 atom)
{
	return atom == DW_OP_deref || atom == DW_OP_neg || atom == DW_OP_not || atom == DW_OP_abs ||
	       atom == DW_OP_plus_uconst;
}

/* Operations that reorder the stack. */
static bool shuffle(struct machine_state *m, const struct cfi_op *op)
{
	u64 *top = m->v + m->nr - 1, x;

	switch (op->atom) {
	case DW_OP_dup:
		return m->nr >= 1 && push(m, *top);
	case DW_OP_over:
		return m->nr >= 2 && push(m, top[-1]);
	case DW_OP_pick:
		return op->a < m->nr && push(m, m->v[m->nr - 1 - op->a]);
	case DW_OP_drop:
		m->nr -= m->nr > 0;
		return true;
	case DW_OP_swap:
		if (m->nr < 2)
			return false;
		x = top[0];
		top[0] = top[-1];
		top[-1] = x;
		return true;
	case DW_OP_rot:
		if (m->nr < 3)
			return false;
		x = top[0];
		top[0] = top[-1];
		top[-1] = top[-2];
		top[-2] = x;
		return true;
	}
	return false;
}

static bool step(struct machine_state *m, const struct cfi_op *op)
{
	u8 atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(m, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(m, atom - DW_OP_breg0, op->a);
	if (atom >= DW_OP_const1u && atom <= DW_OP_consts)
		return push(m, op->a);
	if (is_unary(atom))
		return m->nr >= 1 && unary(m, op, &m->v[m->nr - 1]);
	switch (atom) {
	case DW_OP_addr:
		return push(m, op->a);
	case DW_OP_bregx:
		return push_register(m, op->a, op->b);
	case DW_OP_call_frame_cfa:
		return push(m, m->cfa);
	case DW_OP_nop:
		return true;
	case DW_OP_skip:
		m->at = (u32)op->a;
		return true;
	case DW_OP_bra:
		if (!m->nr)
			return false;
		if (m->v[--m->nr])
			m->at = (u32)op->a;
		return true;
	}
	if (shuffle(m, op))
		return true;
	if (m->nr < 2 || !binary(atom, m->v[m->nr - 2], m->v[m->nr - 1], &m->v[m->nr - 2]))
		return false;
	m->nr--;
	return true;
}

bool unwind_expr__value(const struct cfi_expr *e, const struct unwind_regs *regs, u64 cfa,
			struct unwind_stack *stack, u64 *value)
{
	struct machine_state m = { .regs = regs, .memory = stack, .cfa = cfa };

	for (unsigned steps = 0; m.at < e->nr; steps++)
		if (steps == STEPS_MAX || !step(&m, &e->ops[m.at++]))
			return false;
	if (!m.nr)
		return false;
	*value = m.v[m.nr - 1];
	return true;
}
