#include "binary/code/function_ends.h"

#include "binary/code/code_step.h"
#include "binary/code/elf_code.h"
#include "binary/symbols/elf_symbols.h"
#include "binary/tables/borders.h"
#include "binary/tables/cfi.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	CODE_MAX = 1 << 24, /* bytes of a part of a function */
	PARTS_MAX = 64,
	CODE_LOCK = 0xf0, /* a prefix of x86 */
};

/* ---- a file ---- */

struct function_reader {
	struct elf_code *code;
	struct symtab symbols;
	struct cfi *cfi;         /* NULL: none */
	struct borders *borders; /* NULL: none */
	u16 machine;
	bool has_handlers; /* of exceptions: code that no jump leads to */
};

int function_reader__open(struct function_reader **reader, const char *root, const char *path,
			  const struct debug_places *places, struct err *err)
{
	struct function_reader *r = xcalloc(1, sizeof(*r));
	struct elf_symbols_opts symbols = { .symfs = root, .places = places };
	struct cfi_opts cfi = { .symfs = root, .places = places };
	int ret;

	symtab__init(&r->symbols);
	ret = elf_code__open(&r->code, root, path, places, err);
	if (!ret) {
		r->machine = elf_code__machine_at(r->code, 0);
		if (!code_step__knows(r->machine) || elf_code__is_big_endian(r->code))
			ret = err__set(err, -ENOTSUP, "'%s': code of ELF machine %d cannot be read", path,
				       r->machine);
	}
	if (ret) {
		function_reader__delete(r);
		return ret;
	}
	/* what is missing here makes fewer jumps certain */
	(void)elf_symbols__load(&r->symbols, path, NULL, &symbols, NULL);
	(void)cfi__open(&r->cfi, path, NULL, &cfi, NULL);
	(void)borders__open(&r->borders, path, NULL, root, NULL);
	r->has_handlers = elf_code__has_section(r->code, ".gcc_except_table");
	*reader = r;
	return 0;
}

void function_reader__delete(struct function_reader *r)
{
	if (!r)
		return;
	elf_code__delete(r->code);
	symtab__exit(&r->symbols);
	cfi__delete(r->cfi);
	borders__delete(r->borders);
	free(r);
}

static const struct symbol *symbol_at(const struct function_reader *r, u64 vaddr)
{
	u64 offset;

	return elf_code__offset(r->code, vaddr, &offset) ? symtab__find(&r->symbols, offset) : NULL;
}

/* Find the range of the function at a linked address. is_guessed: its end may be too late. */
static bool find_range(const struct function_reader *r, u64 vaddr, u64 *start, u64 *end, bool *is_guessed)
{
	struct code_range range = { 0 };
	const struct symbol *symbol;
	bool has_range;
	u64 offset;

	if (!elf_code__offset(r->code, vaddr, &offset))
		return false;
	symbol = symtab__find(&r->symbols, offset);
	has_range = r->borders && borders__find(r->borders, offset, &range);
	*is_guessed = !symbol || symbol->is_extended;
	if (symbol) {
		*start = vaddr - (offset - symbol->start);
		*end = *start + symbol->size;
	} else if (has_range) {
		*start = vaddr - (offset - range.start);
		*end = *start + (range.end - range.start);
	}
	if (*is_guessed && has_range)
		*end = MIN(*end, vaddr + (range.end - offset));
	return symbol || has_range;
}

enum entry_frame { FRAME_UNKNOWN, FRAME_NONE, FRAME_OWN };

/* Is the stack at an instruction as at the first one of a function? Only then can it leave by a jump. */
static enum entry_frame frame_at(const struct function_reader *r, u64 vaddr)
{
	const struct cfi_row *row = NULL;
	bool is_plain;
	u64 offset;

	if (r->cfi && elf_code__offset(r->code, vaddr, &offset))
		row = cfi__find(r->cfi, offset);
	if (!row || row->cfa_expr || row->is_signal || row->is_outermost)
		return FRAME_UNKNOWN;
	switch (r->machine) {
	case EM_X86_64:
		is_plain = row->cfa_reg == 7 && row->cfa_offset == 8;
		break;
	case EM_386:
		is_plain = row->cfa_reg == 4 && row->cfa_offset == 4;
		break;
	default:
		is_plain = row->cfa_reg == 31 && !row->cfa_offset && !cfi_row__rule(row, row->ra);
		break;
	}
	return is_plain ? FRAME_NONE : FRAME_OWN;
}

/* ---- a function ---- */

enum { /* what is known of a byte of code */
       BYTE_UNSEEN,
       BYTE_FIRST, /* of an instruction */
       BYTE_OTHER,
};

struct part {
	u64 start, end;
	bool is_guessed; /* padding may follow */
	struct strbuf code;
	u8 *seen; /* BYTE_ of each byte of code */
};

/* A way through the code: instructions that run one after the other. */
struct way {
	struct part *part;
	u64 at;                /* the current instruction, in bytes from the part's start */
	struct code_step step; /* that instruction */
	bool is_reached;       /* from the function's start; else nothing is known to lead there */
	size_t nr;             /* instructions so far */
	u64 before;            /* address of the instruction before */
	u64 sums[32];          /* nr + 1 of the last instruction that added to a register */
};

struct reading {
	struct function_reader *r;
	struct function_ends *e;
	struct part parts[PARTS_MAX];
	size_t nr_parts;
	u64_array todo; /* addresses that ways begin at */
	/* code may run that no jump leads to: cases of switches, handlers of exceptions */
	bool has_hidden_ways;
};

static bool misunderstand(struct reading *in, u64 addr, const char *what)
{
	in->e->unknown_at = addr;
	in->e->unknown = what;
	return false;
}

static struct part *reading__part(struct reading *in, u64 addr)
{
	for (size_t i = 0; i < in->nr_parts; i++)
		if (addr >= in->parts[i].start && addr < in->parts[i].end)
			return &in->parts[i];
	return NULL;
}

static bool reading__add_part(struct reading *in, u64 start, u64 end, bool is_guessed)
{
	struct part *p = &in->parts[in->nr_parts];
	const u64 size = end - start;

	if (in->nr_parts == PARTS_MAX)
		return misunderstand(in, start, "a function of too many parts");
	*p = (struct part){ .start = start, .end = end, .is_guessed = is_guessed, .code = STRBUF_INIT };
	in->nr_parts++;
	if (!size || size > CODE_MAX || elf_code__read(in->r->code, start, size, &p->code) != size)
		return misunderstand(in, start, "code that is not in the file");
	p->seen = xcalloc(size, 1);
	return true;
}

static void reading__add_tail(struct reading *in, u64 addr, u64 target, enum tail_call_kind kind)
{
	array__add(&in->e->tails, ((struct tail_call){ addr, target, kind }));
}

/* Does the compiler name a function so that it made of a part of another one? */
static bool is_part_name(const char *name)
{
	return strstr(name, ".cold") || strstr(name, ".part.") || strstr(name, ".__part.");
}

/* Does a jump out of the parts known so far lead to another part of the function? */
static bool reading__stays(const struct reading *in, u64 addr, u64 target)
{
	const struct symbol *symbol = symbol_at(in->r, target);

	if (symbol && is_part_name(symtab__name(&in->r->symbols, symbol)))
		return true;
	return frame_at(in->r, addr) == FRAME_OWN;
}

/* gcc -mfunction-return=thunk: returns are jumps there. */
static bool is_return_thunk(const struct reading *in, u64 addr)
{
	const struct symbol *symbol = symbol_at(in->r, addr);

	return symbol && !strcmp(symtab__name(&in->r->symbols, symbol), "__x86_return_thunk");
}

/* Follow a jump to an address that it has. Return false if that is not understood. */
static bool reading__jump(struct reading *in, u64 addr, u64 target, bool is_conditional)
{
	u64 start, end;
	bool is_guessed;

	if (!elf_code__offset(in->r->code, target, &start))
		return misunderstand(in, addr, "a jump out of the file");
	if (!reading__part(in, target)) {
		if (is_return_thunk(in, target)) {
			array__add(&in->e->returns, addr);
			return true;
		}
		if (!reading__stays(in, addr, target)) {
			reading__add_tail(in, addr, target, is_conditional ? TAIL_CONDITIONAL : TAIL_ALWAYS);
			return true;
		}
		if (!find_range(in->r, target, &start, &end, &is_guessed))
			return misunderstand(in, addr, "a jump to unknown code");
		if (!reading__add_part(in, start, end, is_guessed))
			return false;
	}
	array__add(&in->todo, target);
	return true;
}

/* Is an indirect jump that of a switch? */
static bool is_switch(struct reading *in, const struct way *w)
{
	enum { SUM_AGE = 4 }; /* instructions since the address of the case was added up */
	const struct code_step *s = &w->step;
	struct strbuf word = STRBUF_INIT;
	u64 first = 0;

	if (s->is_case)
		return true;
	if (s->jumps_by < ARRAY_SIZE(w->sums))
		return w->sums[s->jumps_by] && w->nr - (w->sums[s->jumps_by] - 1) <= SUM_AGE;
	if (s->table) {
		const size_t size = in->r->machine == EM_X86_64 ? 8 : 4;

		if (elf_code__read(in->r->code, s->table, size, &word) == size)
			memcpy(&first, word.buf, size);
		strbuf__exit(&word);
	}
	return first && reading__part(in, first);
}

static void reading__jump_indirect(struct reading *in, const struct way *w, u64 addr)
{
	enum entry_frame frame = frame_at(in->r, addr);

	if (w->step.is_slot && frame != FRAME_OWN) {
		reading__add_tail(in, addr, 0, TAIL_ALWAYS);
	} else if (frame == FRAME_OWN || is_switch(in, w)) {
		in->has_hidden_ways = true;
	} else if (w->nr && frame == FRAME_NONE && frame_at(in->r, w->before) == FRAME_OWN) {
		reading__add_tail(in, addr, 0, TAIL_ALWAYS); /* the frame was just removed */
	} else {
		in->has_hidden_ways = true;
		reading__add_tail(in, addr, 0, TAIL_UNSURE);
	}
}

/*
 * Mark the bytes of the current instruction. Return false if it begins inside of another one: then what was
 * read is not code. Code that may skip a lock prefix is the exception: libc's for programs of one thread.
 */
static bool way__mark(struct way *w)
{
	u8 *seen = w->part->seen + w->at;
	bool has_lock = (u8)w->part->code.buf[w->at] == CODE_LOCK;

	for (size_t i = 1; i < w->step.size; i++) {
		if (seen[i] == BYTE_FIRST && !(has_lock && i == 1))
			return false;
		if (seen[i] == BYTE_UNSEEN)
			seen[i] = BYTE_OTHER;
	}
	seen[0] = BYTE_FIRST;
	return true;
}

/* Is the rest of a part's bytes what linkers and assemblers put between functions? */
static bool is_padding(const u8 *code, size_t size)
{
	while (size && (*code == 0 || *code == 0xcc || *code == 0x90)) {
		code++;
		size--;
	}
	return !size;
}

/* The way left the part at its end. */
static void way__run_out(const struct way *w, struct reading *in)
{
	bool is_left = w->step.kind != STEP_CALL && w->nr && w->is_reached && !w->part->is_guessed;

	if (is_left && !reading__part(in, w->part->end))
		reading__add_tail(in, w->before, w->part->end, TAIL_CONDITIONAL);
}

/* Look at the current instruction. *ends: the way ends there. Return false if it is not understood. */
static bool way__look(struct way *w, struct reading *in, bool *ends)
{
	const struct code_step *s = &w->step;
	const u64 addr = w->part->start + w->at;

	*ends = s->kind != STEP_OTHER && s->kind != STEP_CALL && s->kind != STEP_BRANCH;
	if (s->kind == STEP_RETURN)
		array__add(&in->e->returns, addr);
	else if (s->kind == STEP_JUMP || s->kind == STEP_BRANCH)
		return reading__jump(in, addr, s->target, s->kind == STEP_BRANCH);
	else if (s->kind == STEP_JUMP_INDIRECT)
		reading__jump_indirect(in, w, addr);
	else if (s->adds_to < ARRAY_SIZE(w->sums))
		w->sums[s->adds_to] = w->nr + 1;
	return true;
}

/* Walk on from an address, up to the way's end or what was read before. */
static bool reading__walk(struct reading *in, u64 addr, bool is_reached)
{
	struct way w = { .part = reading__part(in, addr), .is_reached = is_reached };
	bool ends = false;

	w.at = addr - w.part->start;
	for (; !ends; w.at += w.step.size, w.nr++) {
		const u8 *code = (const u8 *)w.part->code.buf + w.at;
		const size_t left = w.part->code.len - w.at;

		addr = w.part->start + w.at;
		if (!left) {
			way__run_out(&w, in);
			return true;
		}
		if (w.part->seen[w.at] == BYTE_FIRST)
			return true;
		if (w.part->seen[w.at] == BYTE_OTHER && !(w.at && code[-1] == CODE_LOCK))
			return misunderstand(in, addr, "a jump into an instruction");
		if (!code_step__read(&w.step, code, left, addr, in->r->machine)) {
			if (w.part->is_guessed && is_padding(code, left))
				return true;
			return misunderstand(in, addr, "an unknown instruction");
		}
		if (!way__mark(&w))
			return misunderstand(in, addr, "an instruction over another one");
		if (!way__look(&w, in, &ends))
			return false;
		w.before = addr;
	}
	return true;
}

static bool reading__walk_all(struct reading *in)
{
	while (in->todo.nr)
		if (!reading__walk(in, in->todo.v[--in->todo.nr], true))
			return false;
	return true;
}

/* Read the code that nothing seems to lead to. */
static bool reading__walk_hidden(struct reading *in)
{
	for (size_t i = 0; i < in->nr_parts; i++) {
		struct part *p = &in->parts[i];

		for (size_t at = 0; at < p->code.len; at++) {
			const u8 *rest = (const u8 *)p->code.buf + at;

			if (p->seen[at] != BYTE_UNSEEN)
				continue;
			if (p->is_guessed && is_padding(rest, p->code.len - at))
				break;
			if (!reading__walk(in, p->start + at, false) || !reading__walk_all(in))
				return false;
		}
	}
	return true;
}

/* Handlers of exceptions may be all of a function's cold part: nothing jumps to it. */
static bool reading__add_cold_parts(struct reading *in, u64 addr)
{
	const struct symtab *t = &in->r->symbols;
	const struct symbol *symbol = symbol_at(in->r, addr);
	const char *name = symbol ? symtab__name(t, symbol) : "";
	const size_t len = strlen(name);

	for (size_t i = 0; len && i < t->syms.nr; i++) {
		const char *other = symtab__name(t, &t->syms.v[i]);
		u64 start;

		if (strncmp(other, name, len) != 0 || strncmp(other + len, ".cold", 5) != 0 ||
		    !elf_code__vaddr(in->r->code, t->syms.v[i].start, &start) || reading__part(in, start))
			continue;
		if (!reading__add_part(in, start, start + t->syms.v[i].size, t->syms.v[i].is_extended))
			return false;
	}
	return true;
}

static bool reading__read(struct reading *in, u64 addr, u64 end, bool is_guessed)
{
	if (!reading__add_part(in, addr, end, is_guessed))
		return false;
	array__add(&in->todo, addr);
	if (!reading__walk_all(in))
		return false;
	if (in->r->has_handlers && !reading__add_cold_parts(in, addr))
		return false;
	return !(in->has_hidden_ways || in->r->has_handlers) || reading__walk_hidden(in);
}

/* ---- results ---- */

static int compare_tails(const void *a, const void *b)
{
	const struct tail_call *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Sort the ends, and keep each once: parts may overlap. */
static void function_ends__sort(struct function_ends *e)
{
	size_t nr = 0;

	if (e->returns.nr)
		qsort(e->returns.v, e->returns.nr, sizeof(*e->returns.v), u64__compare);
	for (size_t i = 0; i < e->returns.nr; i++)
		if (!nr || e->returns.v[nr - 1] != e->returns.v[i])
			e->returns.v[nr++] = e->returns.v[i];
	e->returns.nr = nr;
	if (e->tails.nr)
		qsort(e->tails.v, e->tails.nr, sizeof(*e->tails.v), compare_tails);
	nr = 0;
	for (size_t i = 0; i < e->tails.nr; i++)
		if (!nr || compare_tails(&e->tails.v[nr - 1], &e->tails.v[i]))
			e->tails.v[nr++] = e->tails.v[i];
	e->tails.nr = nr;
}

int function_ends__find(struct function_ends *e, struct function_reader *r, u64 addr, u64 size,
			struct err *err)
{
	struct reading *in = xcalloc(1, sizeof(*in));
	u64 start, end = addr + size;
	bool is_guessed = !size;

	*e = (struct function_ends){ 0 };
	in->r = r;
	in->e = e;
	if (!size && !find_range(r, addr, &start, &end, &is_guessed)) {
		free(in);
		return err__set(err, -EINVAL, "no code at address %#llx", (unsigned long long)addr);
	}
	e->is_decoded = reading__read(in, addr, end, is_guessed);
	if (e->is_decoded)
		function_ends__sort(e);
	else
		e->returns.nr = e->tails.nr = 0;
	for (size_t i = 0; i < in->nr_parts; i++) {
		strbuf__exit(&in->parts[i].code);
		free(in->parts[i].seen);
	}
	array__exit(&in->todo);
	free(in);
	return 0;
}

void function_ends__exit(struct function_ends *e)
{
	array__exit(&e->returns);
	array__exit(&e->tails);
	*e = (struct function_ends){ 0 };
}
