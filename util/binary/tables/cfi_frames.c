/*
 * Rows from .eh_frame and .debug_frame, read with libdw. (DWARF 5, section 6.4; Linux Standard Base,
 * "Exception Frames")
 */
#include "binary/tables/cfi_source.h"

#include "binary/elf/dwarf_open.h"
#include "binary/elf/elf_binary.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { EXPR_OPS_MAX = 256 };

struct frames {
	Dwarf_CFI *cfi;
	Dwarf *dwarf;         /* owns cfi, for .debug_frame; NULL: .eh_frame */
	struct elf_file file; /* the file of dwarf */
};

/* ---- rows ---- */

static const struct cfi_expr *copy_expr(struct cfi_binary *b, const Dwarf_Op *ops, size_t nr)
{
	struct cfi_expr *e;

	if (!nr || nr > EXPR_OPS_MAX)
		return NULL;
	e = arena__alloc(&b->arena, sizeof(*e) + nr * sizeof(*e->ops));
	e->is_value = ops[nr - 1].atom == DW_OP_stack_value;
	e->nr = (u32)(e->is_value ? nr - 1 : nr);
	for (u32 i = 0; i < e->nr; i++) {
		e->ops[i] = (struct cfi_op){ ops[i].atom, ops[i].number, ops[i].number2 };
		/* DWARF branches count bytes; cfi_op branches have the index of an operation */
		if (ops[i].atom != DW_OP_skip && ops[i].atom != DW_OP_bra)
			continue;
		u64 target = ops[i].offset + 3 + (u64)(s64)(int16_t)ops[i].number;
		u32 to = 0;

		while (to < nr && ops[to].offset != target)
			to++;
		e->ops[i].a = to;
	}
	return e;
}

/* libdw returns rules as locations: "CFA plus offset", with stack_value at the end for a value. */
static bool is_cfa_plus(const Dwarf_Op *ops, size_t nr, s64 *offset)
{
	*offset = 0;
	if (!nr || ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	if (nr == 2 && ops[1].atom == DW_OP_plus_uconst) {
		*offset = (s64)ops[1].number;
		return true;
	}
	if (nr == 3 && (ops[1].atom == DW_OP_consts || ops[1].atom == DW_OP_constu) &&
	    ops[2].atom == DW_OP_plus) {
		*offset = (s64)ops[1].number;
		return true;
	}
	return nr == 1;
}

static bool is_register(const Dwarf_Op *ops, size_t nr, u16 *reg)
{
	if (nr != 1)
		return false;
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		*reg = ops[0].atom - DW_OP_reg0;
	else if (ops[0].atom == DW_OP_regx && ops[0].number < CFI_REGS_MAX)
		*reg = (u16)ops[0].number;
	else
		return false;
	return true;
}

/* Return false if the caller's register is unknown. */
static bool read_rule(struct cfi_binary *b, const Dwarf_Op *ops, size_t nr, struct cfi_rule *rule)
{
	bool is_value = nr && ops[nr - 1].atom == DW_OP_stack_value;

	if (is_cfa_plus(ops, nr - is_value, &rule->offset))
		rule->kind = is_value ? CFI_IS_CFA : CFI_AT_CFA;
	else if (is_register(ops, nr, &rule->other))
		rule->kind = CFI_IN_REGISTER;
	else if ((rule->expr = copy_expr(b, ops, nr)))
		rule->kind = CFI_BY_EXPR;
	else
		return false;
	return true;
}

/* Return the number of registers in the ABI's CFI. */
static unsigned nr_registers(u16 machine)
{
	switch (machine) {
	case EM_X86_64:
		return 17;
	case EM_386:
		return 10;
	case EM_AARCH64:
		return 32;
	case EM_ARM:
		return 16;
	}
	return CFI_REGS_MAX;
}

static bool read_cfa(struct cfi_binary *b, Dwarf_Frame *frame, struct cfi_row *row)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) || !nr)
		return false;
	if (nr == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
		row->cfa_reg = ops[0].atom - DW_OP_breg0;
		row->cfa_offset = (s64)ops[0].number;
		return true;
	}
	if (nr == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < CFI_REGS_MAX) {
		row->cfa_reg = (u8)ops[0].number;
		row->cfa_offset = (s64)ops[0].number2;
		return true;
	}
	row->cfa_expr = copy_expr(b, ops, nr);
	return row->cfa_expr != NULL;
}

static bool read_row(struct cfi_binary *b, Dwarf_Frame *frame, struct cfi_found *found)
{
	unsigned nr_regs = nr_registers(b->machine);
	struct cfi_row *row = &found->row;
	bool is_signal = false, has_rbx = false;
	int ra = dwarf_frame_info(frame, NULL, &found->end, &is_signal);

	if (ra < 0 || ra >= CFI_REGS_MAX || !read_cfa(b, frame, row))
		return false;
	row->ra = (u8)ra;
	row->is_cfi = true;
	row->is_signal = is_signal;
	for (unsigned reg = 0; reg < nr_regs; reg++) {
		struct cfi_rule *rule = &found->rules[row->nr_rules];
		Dwarf_Op mem[3], *ops = NULL;
		size_t nr = 0;

		if (dwarf_frame_register(frame, (int)reg, mem, &ops, &nr))
			continue;
		*rule = (struct cfi_rule){ .reg = (u8)reg };
		if (!nr && !ops)
			row->kept |= 1ull << reg;
		else if (nr && read_rule(b, ops, nr, rule))
			row->nr_rules++;
		has_rbx |= reg == 3 && nr;
	}
	if (b->machine == EM_X86_64) /* calls keep rbx (3); libdw 0.188 takes rax (0) for it */
		row->kept = (row->kept & ~1ull) | (has_rbx ? 0 : 1 << 3);
	return true;
}

/* The start of the row is not used: libdw 0.188 gets it wrong after a DW_CFA_restore_state. */
static bool frames__find(void *source, struct cfi_binary *b, u64 vaddr, struct cfi_found *found)
{
	const struct frames *f = source;
	Dwarf_Frame *frame = NULL;
	bool ok;

	if (b->eh && !f->dwarf)
		eh_image__need(b->eh, vaddr);
	ok = !dwarf_cfi_addrframe(f->cfi, vaddr, &frame) && read_row(b, frame, found);
	free(frame);
	return ok;
}

static void frames__close(void *source)
{
	struct frames *f = source;

	if (f->dwarf)
		dwarf_end(f->dwarf);
	else if (f->cfi)
		dwarf_cfi_end(f->cfi);
	elf_file__close(&f->file);
	free(f);
}

static void *frames__checked(struct frames *f)
{
	if (f->cfi)
		return f;
	frames__close(f);
	return NULL;
}

/* ---- .eh_frame ---- */

/*
 * libdw uses the search table in .eh_frame_hdr only if that section's header comes before .eh_frame's, and
 * else reads all FDEs up to the one at the address. gold writes the headers in the other order: swap them,
 * before anything reads the sections. libelf does not look at the headers again if it has the file in
 * memory.
 */
static void show_search_table(const struct elf_file *f)
{
	GElf_Shdr frame, hdr;
	Elf_Scn *frame_scn = elf_file__section(f, ".eh_frame", 0, &frame);
	Elf_Scn *hdr_scn = elf_file__section(f, ".eh_frame_hdr", 0, &hdr);

	if (f->memory || f->fd < 0 || !frame_scn || !hdr_scn || elf_ndxscn(hdr_scn) < elf_ndxscn(frame_scn))
		return;
	gelf_update_shdr(frame_scn, &hdr);
	gelf_update_shdr(hdr_scn, &frame);
}

static void *eh_frame__open(struct cfi_binary *b)
{
	struct frames *f = xcalloc(1, sizeof(*f));

	show_search_table(&b->file);
	b->eh = eh_image__open(&b->file);
	f->cfi = dwarf_getcfi_elf(b->eh ? eh_image__elf(b->eh) : b->file.elf);
	return frames__checked(f);
}

const struct cfi_source cfi_eh_frame = {
	.is_enough = true, .open = eh_frame__open, .find = frames__find, .close = frames__close
};

/* ---- .debug_frame ---- */

static bool has_debug_frame(const struct elf_file *f)
{
	GElf_Shdr shdr;

	return elf_file__section(f, ".debug_frame", 0, &shdr) != NULL;
}

/* libdw reads all debug sections at once, and some are large: mark the others as empty. */
static void hide_other_sections(Elf *elf, Elf_Scn *kept)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn)))
		if (scn != kept && gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_PROGBITS) {
			shdr.sh_type = SHT_NOBITS;
			gelf_update_shdr(scn, &shdr);
		}
}

/* Open the .debug_frame of file, and take over file if there is any. */
static void *debug_frame__open_in(struct elf_file *file)
{
	struct frames *f;
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(file, ".debug_frame", 0, &shdr);

	if (!elf_file__data(scn) || file->ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	f = xcalloc(1, sizeof(*f));
	f->file = *file;
	*file = (struct elf_file){ .fd = -1 };
	hide_other_sections(f->file.elf, scn);
	f->dwarf = dwarf_open(f->file.elf);
	f->cfi = f->dwarf ? dwarf_getcfi(f->dwarf) : NULL;
	elf_file__forget_fd(&f->file);
	return frames__checked(f);
}

static void *debug_frame__open(struct cfi_binary *b)
{
	const struct elf_file *f;
	struct elf_binary own;
	void *source = NULL;

	if (!b->path)
		return NULL;
	elf_binary__open(&own, b->path, &b->want, b->root, b->places);
	f = elf_binary__find(&own, has_debug_frame);
	if (f == &own.debug && !b->loads.v.nr) {
		b->machine = f->ehdr.e_machine;
		elf_loads__read_debug(&b->loads, f, b->places);
	}
	if (f)
		source = debug_frame__open_in(f == &own.debug ? &own.debug : &own.file);
	elf_binary__close(&own);
	return source;
}

const struct cfi_source cfi_debug_frame = { .is_late = true,
					    .is_enough = true,
					    .open = debug_frame__open,
					    .find = frames__find,
					    .close = frames__close };
