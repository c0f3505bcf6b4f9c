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

struct part {
	u64 start, end;
	bool is_guessed; /* padding may follow */
};

struct jump {
	u64 addr, target;
	struct code_step step;
};

struct reading {
	struct function_reader *r;
	struct function_ends *e;
	ARRAY(struct part) parts;
	u64_array insns; /* addresses of all instructions, in the order of the parts */
	ARRAY(struct jump) jumps;
	struct strbuf code; /* of the part that is read */
};

static bool misunderstand(struct reading *in, u64 addr, const char *what)
{
	in->e->unknown_at = addr;
	in->e->unknown = what;
	return false;
}

/* Are the rest of a part's bytes what linkers and assemblers put between functions? */
static bool is_padding(const u8 *code, size_t size)
{
	while (size && (*code == 0 || *code == 0xcc || *code == 0x90)) {
		code++;
		size--;
	}
	return !size;
}

/* Read the code of a part. Return false if it is not understood. */
static bool reading__read_part(struct reading *in, const struct part *p)
{
	const u64 size = p->end - p->start;
	const u8 *code;
	struct code_step step;

	strbuf__reset(&in->code);
	if (!size || size > CODE_MAX || elf_code__read(in->r->code, p->start, size, &in->code) != size)
		return misunderstand(in, p->start, "code that is not in the file");
	code = (const u8 *)in->code.buf;
	for (u64 at = 0; at < size; at += step.size) {
		u64 addr = p->start + at;

		if (!code_step__read(&step, code + at, size - at, addr, in->r->machine)) {
			if (p->is_guessed && is_padding(code + at, size - at))
				return true;
			return misunderstand(in, addr, "an unknown instruction");
		}
		array__add(&in->insns, addr);
		if (step.kind == STEP_RETURN)
			array__add(&in->e->returns, addr);
		else if (step.kind != STEP_OTHER && step.kind != STEP_CALL)
			array__add(&in->jumps, ((struct jump){ addr, step.target, step }));
	}
	return true;
}

static bool reading__has(const struct reading *in, u64 addr)
{
	for (size_t i = 0; i < in->parts.nr; i++)
		if (addr >= in->parts.v[i].start && addr < in->parts.v[i].end)
			return true;
	return false;
}

/* Does the compiler name a function so that it made of a part of another one? */
static bool is_part_name(const char *name)
{
	return strstr(name, ".cold") || strstr(name, ".part.") || strstr(name, ".__part.");
}

/* Does a jump out of the parts known so far lead to another part of the function? */
static bool reading__stays(const struct reading *in, const struct jump *j)
{
	const struct symbol *symbol = symbol_at(in->r, j->target);

	if (symbol && is_part_name(symtab__name(&in->r->symbols, symbol)))
		return true;
	return frame_at(in->r, j->addr) == FRAME_OWN;
}

/* gcc -mfunction-return=thunk: returns are jumps there. */
static bool is_return_thunk(const struct reading *in, u64 addr)
{
	const struct symbol *symbol = symbol_at(in->r, addr);

	return symbol && !strcmp(symtab__name(&in->r->symbols, symbol), "__x86_return_thunk");
}

static void reading__add_tail(struct reading *in, const struct jump *j, enum tail_call_kind kind)
{
	array__add(&in->e->tails, ((struct tail_call){ j->addr, j->target, kind }));
}

/* Look where a jump goes. Add the part that it leads to. Return false if that is not understood. */
static bool reading__follow(struct reading *in, const struct jump *j)
{
	struct part p = { 0 };

	if (j->step.kind == STEP_JUMP_INDIRECT) {
		enum entry_frame frame = frame_at(in->r, j->addr);

		if (!j->step.is_switch && frame != FRAME_OWN)
			reading__add_tail(in, j, j->step.is_slot ? TAIL_ALWAYS : TAIL_UNSURE);
		return true;
	}
	if (reading__has(in, j->target))
		return true;
	if (!elf_code__offset(in->r->code, j->target, &p.start))
		return misunderstand(in, j->addr, "a jump out of the file");
	if (is_return_thunk(in, j->target)) {
		array__add(&in->e->returns, j->addr);
		return true;
	}
	if (!reading__stays(in, j)) {
		reading__add_tail(in, j, j->step.kind == STEP_BRANCH ? TAIL_CONDITIONAL : TAIL_ALWAYS);
		return true;
	}
	if (in->parts.nr == PARTS_MAX || !find_range(in->r, j->target, &p.start, &p.end, &p.is_guessed))
		return misunderstand(in, j->addr, "a jump to unknown code");
	array__add(&in->parts, p);
	return true;
}

/* Sort addresses, and keep each once: parts may overlap. */
static void sort_addresses(u64_array *a)
{
	size_t nr = 0;

	if (a->nr)
		qsort(a->v, a->nr, sizeof(*a->v), u64__compare);
	for (size_t i = 0; i < a->nr; i++)
		if (!nr || a->v[nr - 1] != a->v[i])
			a->v[nr++] = a->v[i];
	a->nr = nr;
}

/*
 * Jumps must lead to instructions; where one does not, the code has data in it, and was read wrongly. Code
 * that may skip a lock prefix is the exception: libc's for programs of one thread.
 */
static bool reading__check_targets(struct reading *in)
{
	sort_addresses(&in->insns);
	for (size_t i = 0; i < in->jumps.nr; i++) {
		const struct jump *j = &in->jumps.v[i];
		u64 target = j->target;
		struct strbuf byte = STRBUF_INIT;
		bool is_known;
		size_t at;

		if (j->step.kind == STEP_JUMP_INDIRECT || !reading__has(in, target))
			continue;
		at = bisect(k, 0, in->insns.nr, in->insns.v[k] <= target);
		is_known = at && in->insns.v[at - 1] == target;
		if (!is_known && at && in->insns.v[at - 1] == target - 1 &&
		    elf_code__read(in->r->code, target - 1, 1, &byte) == 1)
			is_known = (u8)byte.buf[0] == CODE_LOCK;
		strbuf__exit(&byte);
		if (!is_known)
			return misunderstand(in, j->addr, "a jump into an instruction");
	}
	return true;
}

static bool reading__read(struct reading *in)
{
	size_t jumps = 0;

	for (size_t i = 0; i < in->parts.nr; i++) {
		struct part p = in->parts.v[i];

		if (!reading__read_part(in, &p))
			return false;
		for (; jumps < in->jumps.nr; jumps++) {
			struct jump j = in->jumps.v[jumps];

			if (!reading__follow(in, &j))
				return false;
		}
	}
	return reading__check_targets(in);
}

static int compare_tails(const void *a, const void *b)
{
	const struct tail_call *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

int function_ends__find(struct function_ends *e, struct function_reader *r, u64 addr, u64 size,
			struct err *err)
{
	struct reading in = { .r = r, .e = e, .code = STRBUF_INIT };
	struct part p = { .start = addr, .end = addr + size };
	u64 start;

	*e = (struct function_ends){ 0 };
	if (!size) {
		if (!find_range(r, addr, &start, &p.end, &p.is_guessed))
			return err__set(err, -EINVAL, "no code at address %#llx", (unsigned long long)addr);
		p.is_guessed = true;
	}
	array__add(&in.parts, p);
	e->is_decoded = reading__read(&in);
	if (e->is_decoded) {
		sort_addresses(&e->returns);
		if (e->tails.nr)
			qsort(e->tails.v, e->tails.nr, sizeof(*e->tails.v), compare_tails);
	} else {
		e->returns.nr = e->tails.nr = 0;
	}
	array__exit(&in.parts);
	array__exit(&in.insns);
	array__exit(&in.jumps);
	strbuf__exit(&in.code);
	return 0;
}

void function_ends__exit(struct function_ends *e)
{
	array__exit(&e->returns);
	array__exit(&e->tails);
	*e = (struct function_ends){ 0 };
}
