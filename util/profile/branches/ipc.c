#include "profile/branches/ipc.h"

#include "base/message/msg.h"
#include "binary/code/disasm.h"
#include "model/code.h"
#include "profile/branches/branches.h"

#include <stdlib.h>
#include <string.h>

struct counting {
	struct session *session;
	/* of the last function */
	ARRAY(u32) insns; /* offsets */
	ARRAY(bool) covered;
	struct code code;
	struct disasm *disasm;
};

/* ---- from rows ---- */

void ipc_table__take(struct ipc_table *t, struct places *places, const struct row *row)
{
	u64 from = row->chain[ROW_BRANCH_START], to = row->chain[ROW_BRANCH_FROM];
	struct row_space space;
	struct place start, end;

	if (!from)
		return;
	space = branch__space(places, row, to);
	end = *places__get(places, places__exact(places, &space, to));
	start = *places__get(places, places__exact(places, &space, from));
	if (end.sym && start.sym == end.sym && start.ip <= end.ip)
		array__add(&t->stretches, ((struct ipc_stretch){ .sym = end.sym,
								 .dso = end.dso,
								 .start = start.ip,
								 .end = end.ip,
								 .nr = row->nr,
								 .cycles = row->period }));
}

/* Compare by function, then by end in descending order, then by start in ascending order. */
static int compare_stretches(const void *x, const void *y)
{
	const struct ipc_stretch *a = x, *b = y;

	if (a->sym != b->sym)
		return (uintptr_t)a->sym < (uintptr_t)b->sym ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* ---- functions ---- */

/* List where instructions begin. Return false if the code is not there. */
static bool counting__disassemble(struct counting *c, const struct ipc_stretch *s, struct err *err)
{
	struct dso *dso = c->session->machine.dsos.v.v[s->dso];
	struct insn insn;

	c->insns.nr = 0;
	if (symbolizer__code(&c->session->symbolizer, dso, s->sym->start, s->sym->size, &c->code, err))
		return false;
	if (disasm__switch(&c->disasm, c->code.machine, c->code.big_endian, DISASM_ATT, err))
		return false;
	for (size_t at = 0; at < c->code.bytes.len; at += insn.size) {
		disasm__next(c->disasm, (const u8 *)c->code.bytes.buf + at, c->code.bytes.len - at,
			     c->code.vaddr + at, &insn);
		array__add(&c->insns, (u32)at);
	}
	return true;
}

/* Add a stretch that was taken so often, in so many cycles. */
static void function_ipc__add(struct function_ipc *f, struct counting *c, const struct ipc_stretch *s, u64 nr,
			      u64 cycles)
{
	size_t first = bisect(k, (size_t)0, c->insns.nr, c->insns.v[k] < s->start - s->sym->start);
	size_t end = bisect(k, first, c->insns.nr, c->insns.v[k] <= s->end - s->sym->start);

	for (size_t i = first; i < end; i++) {
		f->nr_covered += !c->covered.v[i];
		c->covered.v[i] = true;
	}
	f->cycles += cycles;
	f->executed += nr * (u64)(end - first);
}

/* Count the stretches of one function, from i on. Return the first one after them. */
static size_t counting__function(struct counting *c, size_t i, struct ipc_table *t, struct err *err)
{
	const struct ipc_stretch *v = t->stretches.v;
	const struct symbol *sym = v[i].sym;
	struct function_ipc *f = NULL;
	size_t end = t->stretches.nr;

	if (counting__disassemble(c, &v[i], err)) {
		f = array__push(&t->v);
		*f = (struct function_ipc){ .sym = sym, .nr = (u32)c->insns.nr };
		c->covered.nr = 0;
		for (size_t k = 0; k < c->insns.nr; k++)
			array__add(&c->covered, false);
	}
	while (i < end && v[i].sym == sym) {
		const struct ipc_stretch *s = &v[i];
		u64 nr = 0, cycles = 0;

		for (; i < end && v[i].sym == sym && v[i].end == s->end; i++) {
			if (v[i].start != s->start)
				continue; /* only the longest of those with this end */
			nr += v[i].nr;
			cycles += v[i].cycles;
		}
		if (f)
			function_ipc__add(f, c, s, nr, cycles);
	}
	return i;
}

void ipc_table__fill(struct ipc_table *t, struct session *s)
{
	struct counting c = { .session = s, .code = CODE_INIT };
	struct err err = ERR_INIT;

	if (t->stretches.nr)
		qsort(t->stretches.v, t->stretches.nr, sizeof(*t->stretches.v), compare_stretches);
	for (size_t i = 0; i < t->stretches.nr;)
		i = counting__function(&c, i, t, &err);
	if (t->stretches.nr && !t->v.nr)
		warning("ipc_lbr: no code: %s", err.text.buf);
	array__exit(&t->stretches);
	array__exit(&c.insns);
	array__exit(&c.covered);
	code__exit(&c.code);
	disasm__delete(c.disasm);
	err__exit(&err);
}

void ipc_table__exit(struct ipc_table *t)
{
	array__exit(&t->stretches);
	array__exit(&t->v);
}

const struct function_ipc *ipc_table__get(const struct ipc_table *t, const struct symbol *sym)
{
	size_t i = bisect(k, (size_t)0, t->v.nr, (uintptr_t)t->v.v[k].sym < (uintptr_t)sym);

	return i < t->v.nr && t->v.v[i].sym == sym ? &t->v.v[i] : NULL;
}
