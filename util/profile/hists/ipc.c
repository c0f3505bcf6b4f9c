#include "profile/hists/ipc.h"

#include "base/message/msg.h"
#include "binary/code/disasm.h"
#include "model/code.h"
#include "profile/gather/branches.h"

#include <stdlib.h>
#include <string.h>

struct stretch { /* code between two branches: addresses of the first and the last instruction in the dso */
	const struct symbol *sym;
	u32 dso;
	u64 start, end;
	u64 nr, cycles;
};

struct counting {
	struct places *places;
	struct session *session;
	ARRAY(struct stretch) v;
	/* of the last function */
	ARRAY(u32) insns; /* offsets */
	ARRAY(bool) covered;
	struct code code;
	struct disasm *disasm;
};

/* ---- from rows ---- */

static void counting__take(void *ctx, const struct row *row)
{
	struct counting *c = ctx;
	u64 from = row->chain[ROW_BLOCK_START];
	struct row_space space = branch__space(c->places, row, row->key.ip);
	struct place start, end;

	if (!from)
		return;
	end = *places__get(c->places, places__exact(c->places, &space, row->key.ip));
	start = *places__get(c->places, places__exact(c->places, &space, from));
	if (end.sym && start.sym == end.sym && start.ip <= end.ip)
		array__add(&c->v, ((struct stretch){ .sym = end.sym,
						     .dso = end.dso,
						     .start = start.ip,
						     .end = end.ip,
						     .nr = row->nr,
						     .cycles = row->period }));
}

/* By function; the last end first, of equal ends the first start. */
static int compare_stretches(const void *x, const void *y)
{
	const struct stretch *a = x, *b = y;

	if (a->sym != b->sym)
		return (uintptr_t)a->sym < (uintptr_t)b->sym ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* ---- functions ---- */

/* List where instructions begin. Return false if the code is not there. */
static bool counting__disassemble(struct counting *c, const struct stretch *s, struct err *err)
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
static void function_ipc__add(struct function_ipc *f, struct counting *c, const struct stretch *s, u64 nr,
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

/* Count the stretches of one function, from i on. Return the first one behind them. */
static size_t counting__function(struct counting *c, size_t i, struct ipc_table *t, struct err *err)
{
	const struct symbol *sym = c->v.v[i].sym;
	struct function_ipc *f = NULL;

	if (counting__disassemble(c, &c->v.v[i], err)) {
		f = array__push(&t->v);
		*f = (struct function_ipc){ .sym = sym, .nr = (u32)c->insns.nr };
		c->covered.nr = 0;
		for (size_t k = 0; k < c->insns.nr; k++)
			array__add(&c->covered, false);
	}
	while (i < c->v.nr && c->v.v[i].sym == sym) {
		const struct stretch *s = &c->v.v[i];
		u64 nr = 0, cycles = 0;

		for (; i < c->v.nr && c->v.v[i].sym == sym && c->v.v[i].end == s->end; i++) {
			if (c->v.v[i].start != s->start)
				continue; /* only the longest of those with this end */
			nr += c->v.v[i].nr;
			cycles += c->v.v[i].cycles;
		}
		if (f)
			function_ipc__add(f, c, s, nr, cycles);
	}
	return i;
}

void ipc_table__fill(struct ipc_table *t, struct profile *blocks, struct places *places)
{
	struct counting c = { .places = places, .session = blocks->session, .code = CODE_INIT };
	struct err err = ERR_INIT;

	profile__take_rows(blocks, counting__take, &c);
	if (c.v.nr)
		qsort(c.v.v, c.v.nr, sizeof(*c.v.v), compare_stretches);
	for (size_t i = 0; i < c.v.nr;)
		i = counting__function(&c, i, t, &err);
	if (c.v.nr && !t->v.nr)
		warning("ipc_lbr: no code: %s", err.text.buf);
	array__exit(&c.v);
	array__exit(&c.insns);
	array__exit(&c.covered);
	code__exit(&c.code);
	disasm__delete(c.disasm);
	err__exit(&err);
}

void ipc_table__exit(struct ipc_table *t)
{
	array__exit(&t->v);
}

const struct function_ipc *ipc_table__get(const struct ipc_table *t, const struct symbol *sym)
{
	size_t i = bisect(k, (size_t)0, t->v.nr, (uintptr_t)t->v.v[k].sym < (uintptr_t)sym);

	return i < t->v.nr && t->v.v[i].sym == sym ? &t->v.v[i] : NULL;
}
