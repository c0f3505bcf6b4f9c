#include "pgo/block_counts.h"

#include "model/code.h"
#include "unwind/arm64_insn.h"
#include "unwind/call_site.h"
#include "unwind/x86_insn.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS = 60,          /* of smoothing; most functions settle in 20 */
	FLOW_WEIGHT = 8,      /* of what neighbours say, in instructions with a sample each */
	BLOCKS_MAX = 1 << 20, /* of a function; limits memory and time for hostile code */
	NO_BLOCK = UINT32_MAX,
};

enum leads { /* where an instruction leads, besides to the next one */
	     LEADS_ON,
	     LEADS_BACK,    /* a call */
	     LEADS_TO,      /* to a target, or on */
	     LEADS_ONLY_TO, /* to a target */
	     LEADS_AWAY,    /* it returns, jumps to an unknown address, or traps */
};

struct code_block {
	u32 first, last, end; /* offsets in the function: first and last instruction, first byte after it */
	u32 nr_insns;
	u32 target;    /* offset of a block that it jumps to, NO_BLOCK: none here */
	bool goes_on;  /* into the next block */
	bool has_exit; /* leads to where no block is known, too */
	u32 nr_before, nr_after;
	double sampled;       /* samples for each instruction */
	double nr;            /* the estimate, likewise */
	double before, after; /* sums of the estimates of the blocks before it, after it */
	double in, out;       /* what these blocks give to it, take from it */
};

struct edge {
	u32 from, to;
};

struct function {
	struct code *code;
	u64 start; /* dso address of the code */
	ARRAY(struct code_block) v;
	ARRAY(struct edge) edges;
	ARRAY(u8) is_leader; /* by offset: a block begins there */
};

/* ---- blocks ---- */

/* Can read_insn() read the code? */
static bool is_readable(const struct code *c)
{
	return (c->machine == EM_X86_64 || c->machine == EM_386 || c->machine == EM_AARCH64) &&
	       !c->big_endian;
}

/* Read the instruction at an offset; *target: an offset, maybe outside of the function. */
static enum leads read_insn(const struct code *c, size_t at, size_t *size, s64 *target)
{
	const u8 *bytes = (const u8 *)c->bytes.buf + at;
	size_t left = c->bytes.len - at;
	struct x86_insn x86;
	s64 distance = 0;
	u32 word;

	if (c->machine == EM_AARCH64) {
		*size = MIN(left, (size_t)ARM64_INSN_SIZE);
		if (left < sizeof(word))
			return LEADS_AWAY;
		memcpy(&word, bytes, sizeof(word));
		switch (arm64_insn__flow(word, &distance)) {
		case ARM64_JUMP:
			*target = (s64)at + distance;
			return LEADS_ONLY_TO;
		case ARM64_BRANCH:
			*target = (s64)at + distance;
			return LEADS_TO;
		case ARM64_CALL:
			return LEADS_BACK;
		case ARM64_RETURN:
		case ARM64_END:
			return LEADS_AWAY;
		default:
			return LEADS_ON;
		}
	}
	if (!x86_insn__decode(&x86, bytes, left, c->machine == EM_X86_64)) {
		*size = 1;
		return LEADS_ON;
	}
	*size = x86.size;
	*target = (s64)(at + x86.size) + x86.value;
	switch (x86.kind) {
	case X86_JUMP:
		return LEADS_ONLY_TO;
	case X86_BRANCH:
		return LEADS_TO;
	case X86_CALL:
		return LEADS_BACK;
	case X86_RET:
	case X86_END:
		return LEADS_AWAY;
	default:
		return LEADS_ON;
	}
}

static bool is_inside(const struct function *f, s64 target)
{
	return target >= 0 && (u64)target < f->code->bytes.len;
}

static void function__find_leaders(struct function *f)
{
	size_t nr = f->code->bytes.len, size;
	s64 target;

	array__reserve(&f->is_leader, nr + 1);
	memset(f->is_leader.v, 0, nr + 1);
	f->is_leader.v[0] = true;
	for (size_t at = 0; at < nr; at += size) {
		enum leads leads = read_insn(f->code, at, &size, &target);

		if (leads <= LEADS_BACK)
			continue;
		f->is_leader.v[at + size] = true;
		if (leads != LEADS_AWAY && is_inside(f, target))
			f->is_leader.v[target] = true;
	}
}

static void function__add_block(struct function *f, struct code_block b, enum leads leads, s64 target)
{
	bool jumps = leads == LEADS_TO || leads == LEADS_ONLY_TO;

	b.goes_on = leads <= LEADS_TO;
	b.target = jumps && is_inside(f, target) ? (u32)target : NO_BLOCK;
	b.has_exit = leads == LEADS_AWAY || (jumps && b.target == NO_BLOCK) ||
		     (b.goes_on && b.end >= f->code->bytes.len);
	array__add(&f->v, b);
}

static u32 function__block_at(const struct function *f, u32 offset)
{
	size_t i = bisect(k, 0, f->v.nr, f->v.v[k].first < offset);

	return i < f->v.nr && f->v.v[i].first == offset ? (u32)i : NO_BLOCK;
}

static void function__add_edge(struct function *f, u32 from, u32 to)
{
	array__add(&f->edges, ((struct edge){ from, to }));
	f->v.v[from].nr_after++;
	f->v.v[to].nr_before++;
}

/* Jumps into the middle of an instruction lead nowhere: it was data that was read as code. */
static void function__link_blocks(struct function *f)
{
	for (u32 i = 0; i < f->v.nr; i++) {
		u32 target = f->v.v[i].target;

		if (target != NO_BLOCK)
			target = function__block_at(f, target);
		if (target != NO_BLOCK)
			function__add_edge(f, i, target);
		else
			f->v.v[i].has_exit |= f->v.v[i].target != NO_BLOCK;
		if (f->v.v[i].goes_on && i + 1 < f->v.nr)
			function__add_edge(f, i, i + 1);
	}
}

/* Return false if there are too many blocks. */
static bool function__split(struct function *f)
{
	size_t nr = f->code->bytes.len, size;
	struct code_block b = { 0 };
	s64 target = 0;

	f->v.nr = f->edges.nr = 0;
	function__find_leaders(f);
	for (size_t at = 0; at < nr; at += size) {
		enum leads leads = read_insn(f->code, at, &size, &target);

		b.nr_insns++;
		b.last = (u32)at;
		b.end = (u32)(at + size);
		if (leads <= LEADS_BACK && at + size < nr && !f->is_leader.v[at + size])
			continue;
		if (f->v.nr == BLOCKS_MAX)
			return false;
		function__add_block(f, b, leads, target);
		b = (struct code_block){ .first = b.end };
	}
	function__link_blocks(f);
	return true;
}

/* ---- flow ---- */

/* Return what a block gives to, or takes from, one of its neighbours: its part among them all. */
static double part_of(double whole, double part, double sum, u32 nr)
{
	return sum > 0 ? whole * part / sum : whole / nr;
}

/*
 * Is all that leads to a block known? Other functions call the first one, and jumps through a table may lead
 * to any.
 */
static bool function__knows_before(const struct function *f, const struct code_block *b)
{
	return b != f->v.v && b->nr_before;
}

static void function__add_sums(struct function *f)
{
	for (size_t i = 0; i < f->edges.nr; i++) {
		struct code_block *from = &f->v.v[f->edges.v[i].from], *to = &f->v.v[f->edges.v[i].to];

		from->after += to->nr;
		to->before += from->nr;
	}
}

static void function__add_flow(struct function *f)
{
	for (size_t i = 0; i < f->edges.nr; i++) {
		struct code_block *from = &f->v.v[f->edges.v[i].from], *to = &f->v.v[f->edges.v[i].to];

		to->in += from->has_exit ? MIN(from->nr, to->nr)
					 : part_of(from->nr, to->nr, from->after, from->nr_after);
		from->out += function__knows_before(f, to)
				     ? part_of(to->nr, from->nr, to->before, to->nr_before)
				     : MIN(from->nr, to->nr);
	}
}

/* Let each block come nearer to the mean of its samples, of what enters it, and of what leaves it. */
static void function__smooth(struct function *f)
{
	for (size_t i = 0; i < f->v.nr; i++)
		f->v.v[i].before = f->v.v[i].after = f->v.v[i].in = f->v.v[i].out = 0;
	function__add_sums(f);
	function__add_flow(f);
	for (size_t i = 0; i < f->v.nr; i++) {
		struct code_block *b = &f->v.v[i];
		double weight = b->nr_insns, sum = weight * b->sampled;

		if (function__knows_before(f, b)) {
			weight += FLOW_WEIGHT;
			sum += FLOW_WEIGHT * b->in;
		}
		if (!b->has_exit && b->nr_after) {
			weight += FLOW_WEIGHT;
			sum += FLOW_WEIGHT * b->out;
		}
		b->nr = (b->nr + sum / weight) / 2;
	}
}

/* ---- functions ---- */

/* Give blocks the samples of c from number i on. */
static void function__add_samples(struct function *f, const struct code_counts *c, size_t i)
{
	struct code_block *b = f->v.v, *end = b + f->v.nr;

	for (; i < c->v.nr && b < end; i++) {
		while (b < end && f->start + b->end <= c->v.v[i].from)
			b++;
		if (b < end)
			b->sampled += (double)c->v.v[i].nr / b->nr_insns;
	}
	for (b = f->v.v; b < end; b++)
		b->nr = b->sampled;
}

static void function__estimate(struct function *f, const struct code_counts *c, size_t i,
			       struct code_counts *blocks)
{
	function__add_samples(f, c, i);
	for (int round = 0; round < ROUNDS; round++)
		function__smooth(f);
	for (size_t k = 0; k < f->v.nr; k++)
		code_counts__add(blocks, f->start + f->v.v[k].first, f->start + f->v.v[k].last,
				 (u64)(f->v.v[k].nr * BLOCK_COUNT_UNIT + 0.5), 0);
}

/*
 * Read the code of the function that contains an address, from done on if the function begins before that. Of
 * a very large one this is only a part, which may end before the address.
 */
static bool function__read(struct function *f, const struct code_use *u, u64 addr, u64 done)
{
	struct symbolizer *s = &u->session->symbolizer;
	const struct symbol *sym = symbolizer__find(s, u->dso, addr);

	if (!sym || addr - sym->start >= sym->size)
		return false;
	f->start = MAX(sym->start, done);
	return !symbolizer__code(s, u->dso, f->start, sym->start + sym->size - f->start, f->code, NULL);
}

/* Append the samples from number i on and before end, as blocks of one instruction. */
static void add_samples(struct code_counts *blocks, const struct code_counts *c, size_t i, size_t end,
			u64 unit)
{
	for (; i < end; i++)
		code_counts__add(blocks, c->v.v[i].from, c->v.v[i].from, c->v.v[i].nr * unit, 0);
}

static void estimate_functions(const struct code_use *u, struct code_counts *blocks)
{
	const struct code_counts *c = &u->samples;
	struct code code = CODE_INIT;
	struct function f = { .code = &code };
	u64 done = 0; /* functions may overlap; the blocks before this address are known */

	for (size_t i = 0, next; i < c->v.nr; i = next) {
		bool is_read = function__read(&f, u, c->v.v[i].from, done);

		if (is_read)
			done = f.start + code.bytes.len;
		next = is_read ? code_counts__at(c, done) : i + 1;
		if (is_read && is_readable(&code) && function__split(&f))
			function__estimate(&f, c, i, blocks);
		else
			add_samples(blocks, c, i, next, BLOCK_COUNT_UNIT);
	}
	array__exit(&f.v);
	array__exit(&f.edges);
	array__exit(&f.is_leader);
	code__exit(&code);
}

void block_counts__estimate(const struct code_use *u, struct code_counts *blocks)
{
	if (u->args->as_sampled)
		add_samples(blocks, &u->samples, 0, u->samples.v.nr, 1);
	else
		estimate_functions(u, blocks);
}

bool block_counts__is_call(const struct code_use *u, u64 addr)
{
	struct code code = CODE_INIT;
	size_t size;
	s64 target;
	bool is_call = !symbolizer__code(&u->session->symbolizer, u->dso, addr, X86_INSN_MAX, &code, NULL) &&
		       is_readable(&code) && read_insn(&code, 0, &size, &target) == LEADS_BACK;

	code__exit(&code);
	return is_call;
}

bool block_counts__is_direct(const struct code_use *u, u64 addr)
{
	struct symbolizer *s = &u->session->symbolizer;
	const struct symbol *sym = symbolizer__find(s, u->dso, addr);
	struct code code = CODE_INIT;
	bool is_direct = false;
	size_t size;
	u64 called;
	s64 target;

	if (sym && addr - sym->start < sym->size &&
	    !symbolizer__code(s, u->dso, sym->start, sym->size, &code, NULL) && is_readable(&code)) {
		for (size_t at = 0; at < code.bytes.len && sym->start + at <= addr; at += size) {
			enum leads leads = read_insn(&code, at, &size, &target);

			is_direct = leads == LEADS_TO || leads == LEADS_ONLY_TO ||
				    (leads == LEADS_BACK &&
				     call_site__decode(code.machine, (const u8 *)code.bytes.buf + at, size,
						       sym->start + at + size, &called) == CALL_DIRECT);
		}
	}
	code__exit(&code);
	return is_direct;
}
