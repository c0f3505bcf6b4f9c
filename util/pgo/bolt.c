/*
 * BOLT's profile (fdata), as perf2bolt writes it. (llvm/bolt/docs/profiles.md)
 *
 * With branch stacks, a line is a branch, or a step from one block of code into the next one:
 *
 *	1 FROM-FUNCTION OFFSET 1 TO-FUNCTION OFFSET MISPREDICTED COUNT
 *
 * "0 [unknown] 0" is in place of code outside of the binary. Without, lines are samples:
 *
 *	no_lbr EVENT
 *	1 FUNCTION OFFSET COUNT
 */
#include "pgo/bolt_functions.h"
#include "pgo/pgo.h"

#include "base/text/mask.h"
#include "binary/code/disasm.h"
#include "model/code.h"

#include <string.h>

struct bolt_insn {
	u64 addr;
	enum insn_kind kind;
	bool is_conditional; /* a jump */
	bool has_target;
	u64 target;
	bool begins_block;
};

struct bolt {
	const struct code_use *use;
	struct bolt_functions functions;
	struct disasm *disasm; /* NULL: not needed yet */
	struct code code;
	ARRAY(struct bolt_insn) insns; /* of one function */
	u64_array targets;             /* of jumps from one function into another; sorted */
	struct code_counts entries;    /* of branches: target, is it from another function; number */
	struct code_counts lines;      /* of the profile: from, to; 0: unknown */
};

/* ---- code ---- */

static bool is_plain_jump(const char *mnemonic)
{
	size_t len = strlen(mnemonic);

	return (len >= 3 && !strcmp(mnemonic + len - 3, "jmp")) || !strcmp(mnemonic, "b") ||
	       !strncmp(mnemonic, "br", 2);
}

/* Read the instructions from start to end. Return 0, or a negative errno with err. */
static int bolt__read_insns(struct bolt *b, u64 start, u64 end, struct err *err)
{
	struct session *s = b->use->session;
	size_t at = 0;
	int ret = symbolizer__code(&s->symbolizer, b->use->dso, start, end - start, &b->code, err);

	b->insns.nr = 0;
	if (!ret)
		ret = disasm__switch(&b->disasm, b->code.machine, b->code.big_endian, DISASM_ATT, err);
	while (!ret && at < b->code.bytes.len) {
		struct insn i;

		disasm__next(b->disasm, (const u8 *)b->code.bytes.buf + at, b->code.bytes.len - at,
			     start + at, &i);
		array__add(&b->insns, ((struct bolt_insn){ .addr = i.addr,
							   .kind = i.kind,
							   .is_conditional = i.kind == INSN_JUMP &&
									     !is_plain_jump(i.mnemonic),
							   .has_target = i.has_target,
							   .target = i.target }));
		at += i.size;
	}
	return ret;
}

/* Return the index of the instruction at an address, or of the one before it. */
static size_t bolt__insn_at(const struct bolt *b, u64 addr)
{
	size_t i = bisect(k, 0, b->insns.nr, b->insns.v[k].addr <= addr);

	return i ? i - 1 : 0;
}

static void bolt__mark(struct bolt *b, u64 addr)
{
	size_t i = bolt__insn_at(b, addr);

	if (i < b->insns.nr && b->insns.v[i].addr == addr)
		b->insns.v[i].begins_block = true;
}

/* Blocks begin where jumps lead, and after jumps. A jump after a conditional one is in its block. */
static void bolt__mark_blocks(struct bolt *b, const struct bolt_function *f)
{
	size_t first = bisect(i, 0, b->targets.nr, b->targets.v[i] < f->start);

	for (size_t i = 0; i < b->insns.nr; i++) {
		struct bolt_insn *in = &b->insns.v[i], *last = i ? in - 1 : NULL;
		bool is_inside = in->has_target && in->target >= f->start && in->target < f->end;

		if (in->kind == INSN_JUMP && is_inside)
			bolt__mark(b, in->target);
		if (last && (last->kind == INSN_JUMP || last->kind == INSN_RETURN) &&
		    !(last->is_conditional && in->kind == INSN_JUMP && !in->is_conditional && is_inside))
			in->begins_block = true;
	}
	for (size_t i = first; i < b->targets.nr && b->targets.v[i] < f->end; i++)
		bolt__mark(b, b->targets.v[i]);
	/* where branches led; but the instruction after a call is where it returned to */
	for (size_t i = code_counts__at(&b->entries, f->start);
	     i < b->entries.v.nr && b->entries.v.v[i].from < f->end; i++) {
		size_t k = bolt__insn_at(b, b->entries.v.v[i].from);

		if (k && b->insns.v[k - 1].kind != INSN_CALL)
			bolt__mark(b, b->entries.v.v[i].from);
	}
}

/* ---- branches ---- */

static bool bolt__in_one(struct bolt *b, u64 from, u64 to)
{
	struct bolt_function f;

	return from && bolt_functions__find(&b->functions, to, &f) && from >= f.start && from < f.end;
}

static int bolt__is_return(struct bolt *b, u64 addr, bool *is_return, struct err *err)
{
	int ret = bolt__read_insns(b, addr, addr + 16, err);

	*is_return = !ret && b->insns.nr && b->insns.v[0].kind == INSN_RETURN;
	return ret;
}

/* Returns are left out, as the calls are known. */
static int bolt__add_branches(struct bolt *b, struct err *err)
{
	const struct code_counts *c = &b->use->branches;
	struct bolt_function f;

	for (size_t i = 0; i < c->v.nr; i++) {
		struct code_count branch = c->v.v[i];
		bool is_return = false;
		int ret = 0;

		if (!bolt_functions__find(&b->functions, branch.to, &f))
			branch.to = 0;
		if (!bolt_functions__find(&b->functions, branch.from, &f))
			branch.from = 0;
		else if (!f.is_stub)
			ret = bolt__is_return(b, branch.from, &is_return, err);
		if (ret)
			return ret;
		if (branch.to)
			code_counts__add(&b->entries, branch.to, !bolt__in_one(b, branch.from, branch.to),
					 branch.nr, 0);
		if (!is_return && (branch.from || branch.to))
			code_counts__add(&b->lines, branch.from, branch.to, branch.nr, branch.mispredicted);
	}
	code_counts__sort(&b->entries);
	return 0;
}

/* ---- steps from block to block ---- */

/* Return how many of nr branches to an address were from other functions. */
static u64 bolt__from_outside(const struct bolt *b, u64 addr, u64 nr)
{
	u64 parts[2] = { 0 };

	for (size_t i = code_counts__at(&b->entries, addr);
	     i < b->entries.v.nr && b->entries.v.v[i].from == addr; i++)
		parts[b->entries.v.v[i].to] += b->entries.v.v[i].nr;
	return parts[1] ? (u64)((double)nr * (double)parts[1] / (double)(parts[0] + parts[1]) + 0.5) : 0;
}

/* Add the steps of code that ran from one branch to the next. */
static void bolt__add_steps(struct bolt *b, const struct code_count *range)
{
	size_t first = bolt__insn_at(b, range->from), last = bolt__insn_at(b, range->to);
	const struct bolt_insn *v = b->insns.v;

	for (size_t i = first; i < last; i++)
		if (v[i].kind == INSN_RETURN || (v[i].kind == INSN_JUMP && !v[i].is_conditional))
			return; /* it cannot have run so */
	for (size_t i = first; i < last; i++)
		if (v[i + 1].begins_block)
			code_counts__add(&b->lines, v[i].addr, v[i + 1].addr, range->nr, 0);
	/* a return to the beginning of a block: count the step from the call, too */
	if (first && v[first].begins_block && v[first].addr == range->from &&
	    v[first - 1].kind == INSN_CALL) {
		u64 nr = bolt__from_outside(b, range->from, range->nr);

		if (nr)
			code_counts__add(&b->lines, v[first - 1].addr, range->from, nr, 0);
	}
}

/* Add the targets of a function's jumps into others. */
static void bolt__add_targets(struct bolt *b, const struct bolt_function *f)
{
	for (size_t i = 0; i < b->insns.nr; i++) {
		const struct bolt_insn *in = &b->insns.v[i];

		if (in->kind == INSN_JUMP && in->has_target &&
		    (in->target < f->start || in->target >= f->end))
			array__add(&b->targets, in->target);
	}
}

/* Read the functions of all ranges; then those are known that jump into others. */
static int bolt__find_targets(struct bolt *b, struct err *err)
{
	const struct bolt_functions *all = &b->functions;
	const struct code_counts *c = &b->use->blocks;
	struct bolt_function f = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < c->v.nr; i++) {
		if (c->v.v[i].from < f.end || !bolt_functions__find(&b->functions, c->v.v[i].from, &f) ||
		    f.is_stub)
			continue;
		ret = bolt__read_insns(b, f.start, f.start + f.size, err);
		bolt__add_targets(b, &f);
	}
	/* parts for what seldom runs lead back, though they may not have run */
	for (size_t i = 0; !ret && i < all->v.nr; i++) {
		if (!strstr(all->v.v[i].name, ".cold") ||
		    !elf_raw__addr(&all->raw, all->v.v[i].start, &f.start))
			continue;
		f.end = f.start + all->v.v[i].size;
		ret = bolt__read_insns(b, f.start, f.end, err);
		bolt__add_targets(b, &f);
	}
	if (b->targets.nr)
		qsort(b->targets.v, b->targets.nr, sizeof(u64), u64__compare);
	return ret;
}

static int bolt__add_all_steps(struct bolt *b, struct err *err)
{
	const struct code_counts *c = &b->use->blocks;
	struct bolt_function f = { 0 };
	int ret = bolt__find_targets(b, err);

	for (size_t i = 0; !ret && i < c->v.nr; i++) {
		const struct code_count *range = &c->v.v[i];

		if (range->from >= f.end) {
			if (!bolt_functions__find(&b->functions, range->from, &f))
				continue;
			b->insns.nr = 0;
			if (!f.is_stub)
				ret = bolt__read_insns(b, f.start, f.start + f.size, err);
			bolt__mark_blocks(b, &f);
		}
		if (!ret && range->to < f.end && b->insns.nr)
			bolt__add_steps(b, range);
	}
	return ret;
}

/* ---- the file ---- */

static void bolt__add_place(struct bolt *b, u64 addr, struct strbuf *out)
{
	struct bolt_function f;
	size_t start;

	if (!addr || !bolt_functions__find(&b->functions, addr, &f)) {
		strbuf__addstr(out, "0 [unknown] 0 ");
		return;
	}
	strbuf__addstr(out, "1 ");
	start = out->len;
	for (const char *p = f.name; *p; p++) {
		if (*p == ' ' || *p == '\\')
			strbuf__addch(out, '\\');
		strbuf__addch(out, *p);
	}
	mask_controls(out->buf + start, out->len - start, NULL);
	strbuf__addf(out, " %llx ", (unsigned long long)(addr - f.start));
}

static void bolt__write_samples(struct bolt *b, struct export_out *out)
{
	const struct code_counts *c = &b->use->samples;
	struct bolt_function f;

	strbuf__addf(&out->text, "no_lbr %s\n", b->use->event);
	for (size_t i = 0; i < c->v.nr; i++) {
		if (!bolt_functions__find(&b->functions, c->v.v[i].from, &f))
			continue;
		bolt__add_place(b, c->v.v[i].from, &out->text);
		strbuf__addf(&out->text, "%llu\n", (unsigned long long)c->v.v[i].nr);
		export_out__flow(out);
	}
}

static int bolt__write_branches(struct bolt *b, struct export_out *out, struct err *err)
{
	int ret = bolt__add_branches(b, err);

	if (!ret)
		ret = bolt__add_all_steps(b, err);
	code_counts__sort(&b->lines);
	for (size_t i = 0; !ret && i < b->lines.v.nr; i++) {
		const struct code_count *line = &b->lines.v.v[i];

		bolt__add_place(b, line->from, &out->text);
		bolt__add_place(b, line->to, &out->text);
		strbuf__addf(&out->text, "%llu %llu\n", (unsigned long long)line->mispredicted,
			     (unsigned long long)line->nr);
		export_out__flow(out);
	}
	return ret;
}

static int bolt__write(const struct code_use *u, struct export_out *out, struct err *err)
{
	struct bolt b = { .use = u, .code = CODE_INIT };
	int ret = bolt_functions__open(&b.functions, u->session, u->dso, err);

	if (!ret && u->has_branches)
		ret = bolt__write_branches(&b, out, err);
	else if (!ret)
		bolt__write_samples(&b, out);
	bolt_functions__close(&b.functions);
	disasm__delete(b.disasm);
	code__exit(&b.code);
	array__exit(&b.insns);
	array__exit(&b.targets);
	array__exit(&b.entries.v);
	array__exit(&b.lines.v);
	return ret;
}

static void bolt__lacks(const struct code_use *u, struct strbuf *lines)
{
	struct bolt_functions f;
	struct err err = ERR_INIT;

	if (!u->has_branches)
		strbuf__addstr(lines, "no branch stacks: the profile is of samples\n");
	if (bolt_functions__open(&f, u->session, u->dso, &err))
		strbuf__addf(lines, "%s\n", err.text.buf);
	else if (!elf_raw__has_section(&f.raw, ".rela.text"))
		strbuf__addstr(lines, "no relocations: link with -Wl,--emit-relocs\n");
	bolt_functions__close(&f);
	err__exit(&err);
}

const struct pgo_format pgo_bolt = {
	.name = "bolt",
	.suffix = ".fdata",
	.help = "of a program, for llvm-bolt -data",
	.is_text = true,
	.write = bolt__write,
	.lacks = bolt__lacks,
};
