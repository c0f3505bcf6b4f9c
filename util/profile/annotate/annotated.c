#include "profile/annotate/annotated.h"

#include "base/memory/hash.h"
#include "base/text/fold_name.h"

#include <string.h>

static struct symbolizer *symbolizer_of(struct hot_code *h)
{
	return &h->session->symbolizer;
}

static u32 add_text(struct annotated *a, const char *text)
{
	return *text ? strpool__intern(&a->texts, text) : 0;
}

/* ---- instructions ---- */

static void annotated__add_insn(struct annotated *a, const struct insn *in)
{
	struct annotated_insn *i = array__push(&a->insns);
	bool after_slow = a->insns.nr > 1 && i[-1].is_slow;

	*i = (struct annotated_insn){ .addr = in->addr,
				      .offset = (u32)(in->addr - a->code.vaddr),
				      .size = in->size,
				      .kind = (u8)in->kind,
				      .is_slow = in->is_slow,
				      .is_after_slow = after_slow,
				      .has_target = in->has_target,
				      .has_data = in->has_data,
				      .target = in->target,
				      .data = in->data,
				      .mnemonic = add_text(a, in->mnemonic),
				      .operands = add_text(a, in->operands),
				      .jump = ANNOTATED_NONE,
				      .line = ANNOTATED_NONE };
	a->nr_unknown += in->kind == INSN_UNKNOWN;
}

static void annotated__disassemble(struct annotated *a, struct disasm *d)
{
	const u8 *bytes = (const u8 *)a->code.bytes.buf;
	struct insn in;

	for (u64 at = 0; at < a->size; at += in.size) {
		disasm__next(d, bytes + at, (size_t)(a->size - at), a->code.vaddr + at, &in);
		annotated__add_insn(a, &in);
	}
}

void annotated__add_unknown(const struct annotated *a, bool is_first, struct strbuf *sb)
{
	const char *why = a->not_decoded.text.len ? a->not_decoded.text.buf : NULL;

	strbuf__addf(sb, !why ? "(unknown)" : is_first ? "(not decoded: %s)" : "(not decoded)", why);
}

/* List the addresses that were hit, if there is no code. */
static void annotated__list_addresses(struct annotated *a)
{
	const struct hot_function *f = a->function;

	a->code.vaddr = a->code.vaddr ? a->code.vaddr : f->sym->start;
	for (size_t i = 0; i < f->addresses.nr; i++)
		annotated__add_insn(
			a, &(struct insn){ .addr = f->addresses.v[i].addr - f->sym->start + a->code.vaddr,
					   .kind = INSN_UNKNOWN,
					   .mnemonic = "",
					   .operands = "" });
	a->nr_unknown = 0;
}

static void annotated__read_code(struct annotated *a, struct hot_code *h, const struct annotate_opts *opts)
{
	const struct hot_function *f = a->function;
	const u8 *bytes;
	struct disasm *d = NULL;

	if (!symbolizer__code(symbolizer_of(h), f->dso, f->sym->start, f->sym->size, &a->code, &a->no_code)) {
		a->size = a->code.bytes.len;
		disasm__new(&d, a->code.machine, a->code.big_endian, opts->syntax, &a->no_code);
	}
	bytes = (const u8 *)a->code.bytes.buf;
	if (d)
		annotated__disassemble(a, d);
	else
		annotated__list_addresses(a);
	if (d && a->nr_unknown && opts->asks_objdump &&
	    !disasm__ask_objdump(d, opts->objdump, bytes, (size_t)a->size, a->code.vaddr, &a->not_decoded)) {
		a->insns.nr = a->nr_unknown = 0;
		annotated__disassemble(a, d);
	}
	disasm__delete(d);
}

/* Return the instruction that begins at an offset; ANNOTATED_NONE: none. */
u32 annotated__find(const struct annotated *a, u64 offset)
{
	u32 i = (u32)bisect(k, (size_t)0, a->insns.nr, a->insns.v[k].offset < offset);

	return i < a->insns.nr && a->insns.v[i].offset == offset ? i : ANNOTATED_NONE;
}

static void annotated__add_costs(struct annotated *a, const struct hot_code *h)
{
	const struct hot_function *f = a->function;

	for (size_t i = 0; i < a->insns.nr * a->nr_events; i++)
		array__add(&a->costs, ((struct code_cost){ 0 }));
	a->elsewhere = xcalloc(a->nr_events + 1, sizeof(*a->elsewhere));
	for (size_t i = 0; i < f->addresses.nr; i++) {
		u32 insn = annotated__find(a, f->addresses.v[i].addr - f->sym->start);
		struct code_cost *to =
			insn == ANNOTATED_NONE ? a->elsewhere : &a->costs.v[(size_t)insn * a->nr_events];

		for (u32 e = 0; e < a->nr_events; e++) {
			const struct code_cost *c = hot_code__cost(h, f->addresses.v[i].costs, e);

			to[e].nr += c->nr;
			to[e].period += c->period;
		}
	}
}

/* ---- jumps and loops ---- */

static void annotated__find_jumps(struct annotated *a)
{
	for (u32 i = 0; i < a->insns.nr; i++) {
		struct annotated_insn *in = &a->insns.v[i];

		if (in->kind != INSN_JUMP || !in->has_target)
			continue;
		in->jump = annotated__find(a, in->target - a->code.vaddr);
		if (in->jump != ANNOTATED_NONE)
			a->insns.v[in->jump].is_jump_target = true;
	}
}

/* Count the loops around instructions. Jumps back to one address are one loop, up to the last jump. */
static void annotated__count_loops(struct annotated *a)
{
	u32 *last = xcalloc(a->insns.nr + 1, sizeof(*last)), *ends = xcalloc(a->insns.nr + 1, sizeof(*ends));
	u32 depth = 0;

	for (u32 i = 0; i < a->insns.nr; i++)
		if (a->insns.v[i].jump <= i)
			last[a->insns.v[i].jump] = i + 1;
	for (u32 i = 0; i < a->insns.nr; i++) {
		if (last[i]) {
			ends[last[i] - 1]++;
			depth++;
		}
		a->insns.v[i].loops = depth;
		depth -= ends[i];
	}
	free(last);
	free(ends);
}

/* ---- branch stacks ---- */

static void annotated_flow__add_longest(struct annotated_flow *flow, const struct hot_block *b, u32 insns)
{
	if (insns < flow->longest_insns)
		return;
	if (insns > flow->longest_insns)
		flow->nr_longest = flow->longest_cycles = 0;
	flow->longest_insns = insns;
	flow->nr_longest += b->nr_timed;
	flow->longest_cycles += b->cycles;
}

/* leaving: times that control left the function's code after an instruction. */
static void annotated__add_block(struct annotated *a, const struct hot_block *b, u64 *leaving)
{
	u64 begin = a->function->sym->start;
	u32 end = annotated__find(a, b->end - begin);
	u32 start = b->start >= begin ? annotated__find(a, b->start - begin) : ANNOTATED_NONE;

	if (end == ANNOTATED_NONE)
		return;
	a->flows.v[end].nr_blocks += b->nr_timed;
	a->flows.v[end].block_cycles += b->cycles;
	if (start > end)
		return;
	a->flows.v[start].entries += b->nr;
	a->flows.v[end].taken += b->nr;
	a->flows.v[end].predicted += b->predicted;
	leaving[end] += b->nr;
	if (b->nr_timed)
		annotated_flow__add_longest(&a->flows.v[end], b, end - start + 1);
}

/* Count the instructions of blocks with known cycles, each once: from the last one to the first. */
static u32 annotated__count_timed(const struct annotated *a)
{
	u32 nr = 0, left = 0;

	for (size_t i = a->flows.nr; i-- > 0;) {
		left = MAX(left, a->flows.v[i].longest_insns);
		nr += left > 0;
		left -= left > 0;
	}
	return nr;
}

static void annotated__add_flows(struct annotated *a)
{
	const struct hot_function *f = a->function;
	u64 *leaving, runs = 0;

	if (!f->blocks.nr || a->no_code.text.len)
		return;
	leaving = xcalloc(a->insns.nr + 1, sizeof(*leaving));
	for (size_t i = 0; i < a->insns.nr; i++)
		array__add(&a->flows, ((struct annotated_flow){ 0 }));
	for (size_t i = 0; i < f->blocks.nr; i++)
		annotated__add_block(a, &f->blocks.v[i], leaving);
	for (size_t i = 0; i < a->flows.nr; i++) {
		runs += a->flows.v[i].entries;
		a->flows.v[i].runs = runs;
		runs -= leaving[i];
	}
	a->nr_timed = annotated__count_timed(a);
	free(leaving);
}

double annotated_flow__ipc(const struct annotated_flow *flow)
{
	return flow->longest_cycles
		       ? (double)flow->longest_insns * (double)flow->nr_longest / (double)flow->longest_cycles
		       : 0;
}

double annotated__ipc(const struct annotated *a)
{
	double insns = 0, cycles = 0;

	for (size_t i = 0; i < a->flows.nr; i++) {
		const struct annotated_flow *flow = &a->flows.v[i];

		insns += (double)flow->longest_insns * (double)flow->nr_longest;
		cycles += (double)flow->longest_cycles;
	}
	return cycles > 0 ? insns / cycles : 0;
}

/* ---- names ---- */

static void annotated__name_operands(struct annotated *a, struct hot_code *h)
{
	const struct hot_function *f = a->function;
	struct strbuf name = STRBUF_INIT;

	for (size_t i = 0; i < a->insns.nr; i++) {
		struct annotated_insn *in = &a->insns.v[i];
		u64 addr = in->has_target ? in->target : in->data;

		if (!in->has_target && !in->has_data)
			continue;
		strbuf__reset(&name);
		if (symbolizer__code_name(symbolizer_of(h), f->dso, addr, in->has_target, &name))
			in->name = add_text(a, name.buf);
	}
	strbuf__exit(&name);
}

/* ---- lines ---- */

static bool code_frame__equals(const struct code_frame *x, const struct code_frame *y)
{
	return x->name == y->name && x->file == y->file && x->line == y->line &&
	       x->is_inlined == y->is_inlined;
}

/* Are these the functions and lines of the instruction before? */
static bool annotated__has_frames(const struct annotated *a, const struct annotated_insn *in,
				  const struct code_frames *frames)
{
	if (in->nr_frames != frames->v.nr)
		return false;
	for (u32 i = 0; i < in->nr_frames; i++)
		if (!code_frame__equals(&a->frames.v[in->frames + i], &frames->v.v[i]))
			return false;
	return true;
}

static u32 annotated__line(struct annotated *a, struct hash_table *lines, const struct code_frame *f)
{
	u64 hash;
	u32 i;

	if (!f->file || !f->line)
		return ANNOTATED_NONE;
	hash = hash__bytes(f->file, strlen(f->file), f->line);
	hash_table__for_each (lines, hash, i)
		if (a->lines.v[i].number == f->line && !strcmp(a->lines.v[i].file, f->file))
			return i;
	i = (u32)a->lines.nr;
	hash_table__insert(lines, hash, i);
	array__add(&a->lines, ((struct annotated_line){ f->file, f->line, (u32)a->costs.nr }));
	for (u32 e = 0; e < a->nr_events; e++)
		array__add(&a->costs, ((struct code_cost){ 0 }));
	return i;
}

/* Is an instruction with these functions outside of h->inlined? */
static bool is_outside(struct hot_code *h, const struct dso *dso, const struct code_frames *frames)
{
	for (size_t i = 0; h->inlined && i < frames->v.nr; i++) {
		const struct code_frame *f = &frames->v.v[i];

		if (f->is_inlined && f->name &&
		    name__is(places__text(&h->places, places__inlined_name(&h->places, dso, f->name)),
			     h->inlined))
			return false;
	}
	return h->inlined;
}

static void annotated__find_lines(struct annotated *a, struct hot_code *h)
{
	const struct hot_function *f = a->function;
	struct hash_table lines = HASH_TABLE_INIT;
	struct code_frames frames = { 0 };

	for (u32 i = 0; i < a->insns.nr; i++) {
		struct annotated_insn *in = &a->insns.v[i];

		symbolizer__frames(symbolizer_of(h), f->dso, f->sym->start + in->offset,
				   DWARF_WANTS_LINE | DWARF_WANTS_INLINED, &frames);
		frames.v.v[frames.v.nr - 1].name = NULL; /* a kernel symbol's is valid until the next call */
		if (i && annotated__has_frames(a, &in[-1], &frames)) {
			in->frames = in[-1].frames;
			in->line = in[-1].line;
		} else {
			in->frames = (u32)a->frames.nr;
			for (size_t k = 0; k < frames.v.nr; k++)
				array__add(&a->frames, frames.v.v[k]);
			in->line = annotated__line(a, &lines, &frames.v.v[0]);
		}
		in->nr_frames = (u32)frames.v.nr;
		in->is_outside = is_outside(h, f->dso, &frames);
		for (u32 e = 0; in->line != ANNOTATED_NONE && e < a->nr_events; e++) {
			struct code_cost *to = &a->costs.v[a->lines.v[in->line].costs + e];

			to->nr += annotated__cost(a, i, e)->nr;
			to->period += annotated__cost(a, i, e)->period;
		}
	}
	code_frames__exit(&frames);
	hash_table__exit(&lines);
}

void annotated__add_frame_name(const struct annotated *a, struct hot_code *h, const struct code_frame *f,
			       struct strbuf *sb)
{
	bool is_raw = h->session->symbolizer.opts.no_demangle;
	char *demangled = f->name && !is_raw ? symbol__demangle(f->name) : NULL;

	strbuf__addstr(sb, demangled ? demangled : f->name ? f->name : hot_function__name(h, a->function));
	free(demangled);
}

/* ---- life ---- */

void annotated__init(struct annotated *a, struct hot_code *h, const struct hot_function *f,
		     const struct annotate_opts *opts)
{
	*a = (struct annotated){ .function = f,
				 .nr_events = h->nr_events,
				 .code = CODE_INIT,
				 .no_code = ERR_INIT,
				 .not_decoded = ERR_INIT };
	strpool__init(&a->texts);
	annotated__read_code(a, h, opts);
	annotated__add_costs(a, h);
	annotated__find_jumps(a);
	annotated__count_loops(a);
	annotated__add_flows(a);
	if (!opts->no_names)
		annotated__name_operands(a, h);
	if (!opts->no_lines)
		annotated__find_lines(a, h);
}

void annotated__exit(struct annotated *a)
{
	code__exit(&a->code);
	strpool__exit(&a->texts);
	array__exit(&a->insns);
	array__exit(&a->costs);
	free(a->elsewhere);
	array__exit(&a->frames);
	array__exit(&a->lines);
	array__exit(&a->flows);
	err__exit(&a->no_code);
	err__exit(&a->not_decoded);
}
