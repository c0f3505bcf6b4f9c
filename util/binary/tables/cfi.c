#include "binary/tables/cfi.h"

#include "base/memory/arena.h"
#include "base/memory/array.h"
#include "base/system/file.h"
#include "base/memory/hash.h"
#include "binary/tables/arm_table.h"
#include "binary/tables/cfi_spans.h"
#include "binary/elf/dwarf_open.h"
#include "binary/elf/elf_binary.h"
#include "binary/elf/elf_loads.h"
#include "binary/tables/go_table.h"
#include "binary/tables/plt_stub.h"

#include <dwarf.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum {
	EXPR_OPS_MAX = 256,
	IMAGE_MAX = 512 << 20, /* bytes */
	ENTRY_SIZE = 192,      /* bytes: ld.so's _start and _dl_start_user */
};

struct stubs { /* a section of PLT stubs */
	u64 offset;
	const void *data;
	size_t size;
};

/* .debug_frame alone, as an ELF image of its own: libdw would read all the other debug sections, too. */
struct debug_frame {
	bool tried;
	u8 *image;
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_CFI *cfi; /* the dwarf's */
};

struct cfi {
	char *path, *symfs;
	const struct debug_places *places;
	struct build_id want;
	u16 machine;
	u64 entry, eh_header; /* virtual addresses; 0: none */
	const u8 *own_image;  /* with is_image */
	bool image_tried;
	u8 *image; /* the file's bytes, when they were asked for */
	u64 image_size;
	bool is_image;
	struct elf_file file;
	Dwarf_CFI *eh; /* NULL: no .eh_frame */
	struct debug_frame debug;
	struct go_table go;   /* nr_functions 0: it is not a Go program */
	struct arm_table arm; /* 32-bit ARM */
	ARRAY(struct stubs) stubs;
	struct elf_loads loads;

	pthread_mutex_t lock; /* of what follows, and of libdw's structures */
	struct arena arena;
	ARRAY(const struct cfi_row *) rows; /* [0] is NULL: no CFI */
	struct hash_table by_content;       /* of rows: most are used at many places */
	struct cfi_spans spans;             /* address -> row */
};

/* ---- segments ---- */

/* is_debug: as elf_loads__read. */
static void cfi__read_segments(struct cfi *c, const struct elf_file *f, bool is_debug)
{
	size_t nr = 0;

	elf_loads__read(&c->loads, f, is_debug);
	if (elf_getphdrnum(f->elf, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr p;

		if (gelf_getphdr(f->elf, (int)i, &p) && p.p_type == PT_GNU_EH_FRAME)
			c->eh_header = p.p_vaddr;
	}
}

/* ---- .debug_frame ---- */

static bool has_debug_frame(const struct elf_file *f)
{
	GElf_Shdr shdr;

	return elf_file__section(f, ".debug_frame", 0, &shdr) != NULL;
}

/*
 * An ELF image of three sections: none, .debug_frame, and the names of both. Of f are the class, the byte
 * order and the machine.
 */
static u8 *wrap_section(const struct elf_file *f, const void *data, size_t size, size_t *image_size)
{
	static const char names[] = "\0.debug_frame\0.shstrtab";
	size_t at_names = sizeof(Elf64_Ehdr) + ROUND_UP(size, 8),
	       at_headers = ROUND_UP(at_names + sizeof(names), 8);
	u8 *image = xcalloc(1, at_headers + 3 * sizeof(Elf64_Shdr));
	Elf_Data in = { .d_version = EV_CURRENT }, out = { .d_version = EV_CURRENT };
	unsigned encoding = f->ehdr.e_ident[EI_DATA];
	Elf64_Ehdr ehdr = { .e_type = f->ehdr.e_type,
			    .e_machine = f->ehdr.e_machine,
			    .e_version = EV_CURRENT,
			    .e_shoff = at_headers,
			    .e_ehsize = sizeof(ehdr),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 3,
			    .e_shstrndx = 2 };
	Elf64_Shdr shdrs[3] = {
		[1] = { .sh_name = 1,
			.sh_type = SHT_PROGBITS,
			.sh_offset = sizeof(ehdr),
			.sh_size = size,
			.sh_addralign = 8 },
		[2] = { .sh_name = 14,
			.sh_type = SHT_STRTAB,
			.sh_offset = at_names,
			.sh_size = sizeof(names),
			.sh_addralign = 1 },
	};

	memcpy(ehdr.e_ident, f->ehdr.e_ident, EI_NIDENT);
	in.d_type = ELF_T_EHDR;
	in.d_buf = &ehdr;
	in.d_size = out.d_size = sizeof(ehdr);
	out.d_buf = image;
	elf64_xlatetof(&out, &in, encoding);
	memcpy(image + sizeof(ehdr), data, size);
	memcpy(image + at_names, names, sizeof(names));
	in.d_type = ELF_T_SHDR;
	in.d_buf = shdrs;
	in.d_size = out.d_size = sizeof(shdrs);
	out.d_buf = image + at_headers;
	elf64_xlatetof(&out, &in, encoding);
	*image_size = at_headers + sizeof(shdrs);
	return image;
}

static void debug_frame__open(struct debug_frame *d, const struct elf_file *f)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(f, ".debug_frame", 0, &shdr);
	Elf_Data *data;
	size_t size = 0;

	if (scn && (shdr.sh_flags & SHF_COMPRESSED))
		elf_compress(scn, 0, 0);
	data = elf_file__data(scn);
	if (!data || f->ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return;
	d->image = wrap_section(f, data->d_buf, data->d_size, &size);
	d->elf = elf_memory((char *)d->image, size);
	d->dwarf = d->elf ? dwarf_open(d->elf) : NULL;
	d->cfi = d->dwarf ? dwarf_getcfi(d->dwarf) : NULL;
}

/* On the first address that .eh_frame does not cover. */
static void cfi__open_debug_frame(struct cfi *c)
{
	const struct elf_file *f;
	struct elf_binary b;

	c->debug.tried = true;
	if (c->is_image)
		return;
	elf_binary__open(&b, c->path, &c->want, c->symfs, c->places);
	f = elf_binary__find(&b, has_debug_frame);
	if (f)
		debug_frame__open(&c->debug, f);
	if (f == &b.debug && !c->loads.v.nr) {
		c->machine = f->ehdr.e_machine;
		cfi__read_segments(c, f, true);
	}
	elf_binary__close(&b);
}

/* ---- 32-bit ARM ---- */

static void cfi__open_arm(struct cfi *c, const struct elf_file *f)
{
	static const char *const names[] = { ".ARM.exidx", ".ARM.extab" };
	struct arm_section *sections[] = { &c->arm.index, &c->arm.more };

	if (c->machine != EM_ARM || f->ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		GElf_Shdr shdr;
		Elf_Data *data = elf_file__data(elf_file__section(f, names[i], 0, &shdr));

		if (data && data->d_buf)
			*sections[i] = (struct arm_section){ data->d_buf, data->d_size, shdr.sh_addr };
	}
}

/* r4 to r11 are left to callers as they were, and the link register holds the return address. */
static void read_arm_row(const struct arm_frame *frame, struct cfi_row *row, struct cfi_rule *rules)
{
	enum { SP = 13, LR = 14, PC = 15 };

	*row = (struct cfi_row){ .cfa_reg = frame->base,
				 .cfa_offset = frame->offset,
				 .kept = (0xff0 | 1 << LR) & ~(u64)frame->saved,
				 .ra = frame->saved >> PC & 1 ? PC : LR };
	/* Only what a signal interrupted has all registers on the stack. */
	row->is_signal = row->ra == PC && (frame->saved >> SP & 1);
	for (u8 reg = 0; reg < 16; reg++)
		if (frame->saved >> reg & 1)
			rules[row->nr_rules++] = (struct cfi_rule){
				.reg = reg, .kind = CFI_AT_CFA, .offset = frame->at[reg] - frame->offset
			};
}

/* ---- Go ---- */

/* The row of a Go function: it keeps no registers but the frame pointer. */
static bool cfi__read_go_row(const struct cfi *c, const struct go_frame *frame, struct cfi_row *row,
			     struct cfi_rule *rules)
{
	s64 depth = (s64)frame->depth;

	switch (c->machine) {
	case EM_X86_64:
		*row = (struct cfi_row){
			.cfa_reg = 7, .cfa_offset = depth + 8, .ra = 16, .kept = depth ? 0 : 1 << 6
		};
		rules[0] = (struct cfi_rule){ .reg = 16, .kind = CFI_AT_CFA, .offset = -8 };
		rules[1] = (struct cfi_rule){ .reg = 6, .kind = CFI_AT_CFA, .offset = -16 };
		row->nr_rules = depth ? 2 : 1;
		if (frame->caller == GO_CALLER_BY_FRAME_POINTER) {
			row->cfa_reg = 6;
			row->cfa_offset = 16;
			row->nr_rules = 2;
			row->leaves_stack = true;
		}
		break;
	case EM_AARCH64:
		/*
		 * The return address is at the stack pointer, the caller's frame pointer below it: its own
		 * leads there.
		 */
		*row = (struct cfi_row){
			.cfa_reg = 31, .cfa_offset = depth, .ra = 30, .kept = depth ? 0 : 1 << 29 | 1 << 30
		};
		rules[0] = (struct cfi_rule){ .reg = 30, .kind = CFI_AT_CFA, .offset = -depth };
		rules[1] = (struct cfi_rule){ .reg = 29, .kind = CFI_AT_CFA, .offset = -depth - 8 };
		row->nr_rules = depth ? 2 : 0;
		if (frame->caller == GO_CALLER_BY_FRAME_POINTER && depth) {
			row->cfa_reg = 29;
			row->cfa_offset = depth + 8;
			row->leaves_stack = true;
		}
		break;
	default:
		return false;
	}
	if (frame->caller == GO_CALLER_NONE) {
		row->nr_rules = 0;
		row->kept = 0;
	}
	return true;
}

/* ---- PLT stubs ---- */

static void cfi__open_stubs(struct cfi *c, const struct elf_file *f)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got", ".iplt" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		GElf_Shdr shdr;
		Elf_Data *data = elf_file__data(elf_file__section(f, names[i], 0, &shdr));

		if (data && data->d_buf)
			array__add(&c->stubs, ((struct stubs){ shdr.sh_offset, data->d_buf, data->d_size }));
	}
}

static bool cfi__find_stub(const struct cfi *c, u64 addr, struct plt_stub *stub)
{
	for (size_t i = 0; i < c->stubs.nr; i++) {
		const struct stubs *s = &c->stubs.v[i];

		if (addr >= s->offset && addr - s->offset < s->size)
			return plt_stub__at(c->machine, s->data, s->size, addr - s->offset, stub);
	}
	return false;
}

/* Stubs keep all registers: arm64's link register has the return address, x86-64's stack. */
static void read_stub_row(u16 machine, const struct plt_stub *stub, struct cfi_row *row,
			  struct cfi_rule *rules)
{
	if (machine == EM_AARCH64) {
		*row = (struct cfi_row){
			.kept = UINT64_MAX, .cfa_reg = 31, .cfa_offset = stub->depth, .ra = 30
		};
		return;
	}
	*row = (struct cfi_row){
		.kept = UINT64_MAX, .cfa_reg = 7, .cfa_offset = stub->depth + 8, .ra = 16, .nr_rules = 1
	};
	rules[0] = (struct cfi_rule){ .reg = 16, .kind = CFI_AT_CFA, .offset = -8 };
}

/* ---- rows ---- */

static const struct cfi_expr *cfi__copy_expr(struct cfi *c, const Dwarf_Op *ops, size_t nr)
{
	struct cfi_expr *e;

	if (!nr || nr > EXPR_OPS_MAX)
		return NULL;
	e = arena__alloc(&c->arena, sizeof(*e) + nr * sizeof(*e->ops));
	e->is_value = ops[nr - 1].atom == DW_OP_stack_value;
	e->nr = (u32)(e->is_value ? nr - 1 : nr);
	for (u32 i = 0; i < e->nr; i++) {
		e->ops[i] = (struct cfi_op){ ops[i].atom, ops[i].number, ops[i].number2 };
		/* branches count in bytes: from here on in operations */
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

/* libdw speaks of rules as locations: "CFA, plus offset", with stack_value at the end for a value. */
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

/* False: nothing is known of the register in the caller. */
static bool cfi__read_rule(struct cfi *c, const Dwarf_Op *ops, size_t nr, struct cfi_rule *rule)
{
	bool is_value = nr && ops[nr - 1].atom == DW_OP_stack_value;

	if (is_cfa_plus(ops, nr - is_value, &rule->offset))
		rule->kind = is_value ? CFI_IS_CFA : CFI_AT_CFA;
	else if (is_register(ops, nr, &rule->other))
		rule->kind = CFI_IN_REGISTER;
	else if ((rule->expr = cfi__copy_expr(c, ops, nr)))
		rule->kind = CFI_BY_EXPR;
	else
		return false;
	return true;
}

/* How many registers the ABI's CFI may speak of. */
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

static bool cfi__read_cfa(struct cfi *c, Dwarf_Frame *frame, struct cfi_row *row)
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
	row->cfa_expr = cfi__copy_expr(c, ops, nr);
	return row->cfa_expr != NULL;
}

static bool cfi__read_row(struct cfi *c, Dwarf_Frame *frame, struct cfi_row *row, struct cfi_rule *rules,
			  Dwarf_Addr *end)
{
	unsigned nr_regs = nr_registers(c->machine);
	bool is_signal = false;
	int ra = dwarf_frame_info(frame, NULL, end, &is_signal);

	if (ra < 0 || ra >= CFI_REGS_MAX || !cfi__read_cfa(c, frame, row))
		return false;
	row->ra = (u8)ra;
	row->is_cfi = true;
	row->is_signal = is_signal;
	for (unsigned reg = 0; reg < nr_regs; reg++) {
		struct cfi_rule *rule = &rules[row->nr_rules];
		Dwarf_Op mem[3], *ops = NULL;
		size_t nr = 0;

		if (dwarf_frame_register(frame, (int)reg, mem, &ops, &nr))
			continue;
		*rule = (struct cfi_rule){ .reg = (u8)reg };
		if (!nr && !ops)
			row->kept |= 1ull << reg;
		else if (nr && cfi__read_rule(c, ops, nr, rule))
			row->nr_rules++;
	}
	return true;
}

static bool cfi_rule__same(const struct cfi_rule *a, const struct cfi_rule *b)
{
	return a->reg == b->reg && a->kind == b->kind && a->other == b->other && a->offset == b->offset;
}

static bool cfi_row__same(const struct cfi_row *a, const struct cfi_row *b, const struct cfi_rule *rules_of_b)
{
	if (a->kept != b->kept || a->cfa_expr != b->cfa_expr || a->cfa_offset != b->cfa_offset ||
	    a->cfa_reg != b->cfa_reg || a->ra != b->ra || a->is_signal != b->is_signal ||
	    a->leaves_stack != b->leaves_stack || a->nr_rules != b->nr_rules)
		return false;
	for (unsigned i = 0; i < a->nr_rules; i++)
		if (!cfi_rule__same(&a->rules[i], &rules_of_b[i]))
			return false;
	return true;
}

/* (Expressions are told apart by where they are, so a row with one is never found again.) */
static u64 cfi_row__hash(const struct cfi_row *row, const struct cfi_rule *rules)
{
	u64 hash = hash__add(row->kept, (u64)row->cfa_offset << 8 | row->cfa_reg);

	for (unsigned i = 0; i < row->nr_rules; i++)
		hash = hash__add(hash, (u64)rules[i].offset << 16 | rules[i].reg << 8 | rules[i].kind);
	return hash;
}

static u32 cfi__add_row(struct cfi *c, const struct cfi_row *row, const struct cfi_rule *rules)
{
	u64 hash = cfi_row__hash(row, rules);
	struct cfi_row *copy;
	u32 i;

	hash_table__for_each (&c->by_content, hash, i)
		if (cfi_row__same(c->rows.v[i], row, rules))
			return i;
	copy = arena__alloc(&c->arena, sizeof(*copy) + row->nr_rules * sizeof(*rules));
	*copy = *row;
	memcpy(copy->rules, rules, row->nr_rules * sizeof(*rules));
	copy->is_outermost = !(copy->kept >> copy->ra & 1) && !cfi_row__rule(copy, copy->ra);
	i = (u32)c->rows.nr;
	hash_table__insert(&c->by_content, hash, i);
	array__add(&c->rows, copy);
	return i;
}

/* The row of a place without CFI: 0, or its number, and its end in dso addresses. */
static u32 cfi__compile_without(struct cfi *c, u64 addr, u64 bias, u64 *end)
{
	struct cfi_rule rules[CFI_REGS_MAX];
	struct cfi_row row = { 0 };
	struct plt_stub stub;
	struct arm_frame arm;
	struct go_frame go;

	if (go_table__find(&c->go, addr + bias, &go) && cfi__read_go_row(c, &go, &row, rules)) {
		*end = go.end - bias;
		return cfi__add_row(c, &row, rules);
	}
	if (arm_table__find(&c->arm, addr + bias, &arm)) {
		read_arm_row(&arm, &row, rules);
		*end = arm.end - bias;
		return cfi__add_row(c, &row, rules);
	}
	if (!cfi__find_stub(c, addr, &stub))
		return 0;
	*end = addr + stub.size;
	read_stub_row(c->machine, &stub, &row, rules);
	return cfi__add_row(c, &row, rules);
}

/* The row at addr, or 0, and its end. (Its start is wrong in libdw 0.188 after a DW_CFA_restore_state.) */
static u32 cfi__compile(struct cfi *c, u64 addr, u64 *end)
{
	struct cfi_rule rules[CFI_REGS_MAX];
	struct cfi_row row = { 0 };
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr frame_end;
	u64 bias = 0;
	u32 i = 0;

	*end = addr + 1;

	if (!elf_loads__bias(&c->loads, addr, &bias) && c->loads.v.nr)
		return 0;
	if (!c->eh || dwarf_cfi_addrframe(c->eh, addr + bias, &frame)) {
		if ((i = cfi__compile_without(c, addr, bias, end)))
			return i;
		if (!c->debug.tried)
			cfi__open_debug_frame(c);
		if (!c->debug.cfi || !elf_loads__bias(&c->loads, addr, &bias) ||
		    dwarf_cfi_addrframe(c->debug.cfi, addr + bias, &frame))
			return 0;
	}
	if (cfi__read_row(c, frame, &row, rules, &frame_end)) {
		i = cfi__add_row(c, &row, rules);
		*end = frame_end - bias;
	}
	free(frame);
	return i;
}

const struct cfi_row *cfi__find(struct cfi *c, u64 addr)
{
	const struct cfi_row *row;
	u64 end;
	u32 i;

	pthread_mutex_lock(&c->lock);
	if (!cfi_spans__find(&c->spans, addr, &i)) {
		i = cfi__compile(c, addr, &end);
		cfi_spans__add(&c->spans, addr, end, i);
	}
	row = c->rows.v[i];
	pthread_mutex_unlock(&c->lock);
	return row;
}

u64 cfi__row_bytes(struct cfi *c)
{
	u64 bytes;

	pthread_mutex_lock(&c->lock);
	bytes = c->arena.total + c->rows.alloc * sizeof(*c->rows.v) + cfi_spans__bytes(&c->spans);
	if (c->by_content.slots)
		bytes += (c->by_content.mask + 1ull) * sizeof(*c->by_content.slots);
	pthread_mutex_unlock(&c->lock);
	return bytes;
}

bool cfi__is_entry(struct cfi *c, u64 addr)
{
	u64 bias = 0;

	return c->entry && elf_loads__bias(&c->loads, addr, &bias) && addr + bias - c->entry < ENTRY_SIZE &&
	       !cfi__find(c, addr) == !cfi__find(c, c->entry - bias);
}

bool cfi__is_stub(const struct cfi *c, u64 addr)
{
	struct plt_stub stub;

	return cfi__find_stub(c, addr, &stub);
}

/* ---- for others ---- */

bool cfi__vaddr(const struct cfi *c, u64 addr, u64 *vaddr)
{
	u64 bias;

	if (!elf_loads__bias(&c->loads, addr, &bias))
		return false;
	*vaddr = addr + bias;
	return true;
}

/* The whole file, for good. */
static bool cfi__load_image(struct cfi *c)
{
	if (!c->image_tried && !c->is_image) {
		struct strbuf sb = STRBUF_INIT;
		struct elf_binary b;

		elf_binary__open(&b, c->path, &c->want, c->symfs, NULL);
		if (elf_file__is_open(&b.file) && b.file.fd >= 0 &&
		    !file__read_fd(b.file.fd, &sb, IMAGE_MAX)) {
			c->image_size = sb.len;
			c->image = (u8 *)strbuf__detach(&sb);
		} else {
			strbuf__exit(&sb);
		}
		elf_binary__close(&b);
	}
	c->image_tried = true;
	return c->image || c->is_image;
}

bool cfi__read(struct cfi *c, u64 vaddr, void *data, size_t size)
{
	const u8 *image;
	bool done = false;

	pthread_mutex_lock(&c->lock);
	if (cfi__load_image(c)) {
		image = c->is_image ? c->own_image : c->image;
		for (size_t i = 0; !done && i < c->loads.v.nr; i++) {
			const struct elf_load *l = &c->loads.v.v[i];
			u64 at = vaddr - l->vaddr, offset = l->offset + at;

			if (vaddr < l->vaddr || at >= l->size || l->size - at < size ||
			    offset >= c->image_size || c->image_size - offset < size)
				continue;
			memcpy(data, image + offset, size);
			done = true;
		}
	}
	pthread_mutex_unlock(&c->lock);
	return done;
}

/* ---- instructions ---- */

/* (Arm Architecture Reference Manual for A-profile, BL, BLR, BLRAA) */
static enum cfi_call read_aarch64_call(u32 insn, u64 at, u64 *target)
{
	if (insn >> 26 == 0x25) { /* 26 bits: the signed distance in words */
		*target = at + (u64)((s64)((u64)insn << 38) >> 36);
		return CFI_CALL_TO;
	}
	if ((insn & 0xfffffc1f) == 0xd63f0000 || (insn & 0xfefff800) == 0xd63f0800)
		return CFI_ANY_CALL;
	return CFI_NO_CALL;
}

/* An instruction of arm64. */
static bool cfi__read_insn(struct cfi *c, u64 addr, u32 *insn)
{
	u64 vaddr;

	return c->machine == EM_AARCH64 && cfi__vaddr(c, addr, &vaddr) &&
	       cfi__read(c, vaddr, insn, sizeof(*insn));
}

enum cfi_call cfi__call_before(struct cfi *c, u64 addr, u64 *target)
{
	u32 insn;
	u64 at = addr - sizeof(insn);

	if (addr < sizeof(insn) || !cfi__read_insn(c, at, &insn))
		return CFI_ANY_CALL;
	return read_aarch64_call(insn, at, target);
}

/*
 * (Arm ARM, "Branches, Exception generating and System instructions": bits 28 to 26 are 101, and 0xd503....
 * are hints and barriers; "ADD (immediate)", which "MOV (to/from SP)" is an alias of)
 */
bool cfi__sets_frame_pointer(struct cfi *c, u64 addr)
{
	enum { INSNS_MAX = 16 };
	u32 insn;

	for (unsigned i = 0; i < INSNS_MAX && cfi__read_insn(c, addr + i * sizeof(insn), &insn); i++) {
		if ((insn & 0xff8003ff) == 0x910003fd) /* add x29, sp, #N */
			return true;
		if ((insn >> 26 & 7) == 5 && insn >> 16 != 0xd503)
			return false;
	}
	return false;
}

/* ---- for another unwinder ---- */

/* Version 1, pointers of 4 bytes: to .eh_frame from here, a number, and a table from the header on. */
bool cfi__search_table(struct cfi *c, struct cfi_search_table *t)
{
	static const u8 expected[4] = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
					DW_EH_PE_datarel | DW_EH_PE_sdata4 };
	u8 header[12];
	u32 nr;

	if (!c->eh_header || !cfi__read(c, c->eh_header, header, sizeof(header)) ||
	    memcmp(header, expected, sizeof(expected)))
		return false;
	memcpy(&nr, header + 8, sizeof(nr));
	*t = (struct cfi_search_table){ .header = c->eh_header,
					.entries = c->eh_header + sizeof(header),
					.nr = nr };
	return true;
}

/* ---- life ---- */

/* Whether the binary itself says how to unwind it. */
static bool cfi__has_own(const struct cfi *c)
{
	return c->eh || c->go.nr_functions || c->arm.index.data;
}

static struct cfi *cfi__new(void)
{
	struct cfi *c = xcalloc(1, sizeof(*c));

	c->file.fd = -1;
	pthread_mutex_init(&c->lock, NULL);
	array__add(&c->rows, NULL);
	return c;
}

void cfi__delete(struct cfi *c)
{
	if (!c)
		return;
	if (c->eh)
		dwarf_cfi_end(c->eh);
	elf_file__close(&c->file);
	if (c->debug.dwarf)
		dwarf_end(c->debug.dwarf);
	if (c->debug.elf)
		elf_end(c->debug.elf);
	free(c->debug.image);
	free(c->image);
	elf_loads__exit(&c->loads);
	array__exit(&c->stubs);
	array__exit(&c->rows);
	hash_table__exit(&c->by_content);
	cfi_spans__exit(&c->spans);
	arena__exit(&c->arena);
	pthread_mutex_destroy(&c->lock);
	free(c->path);
	free(c->symfs);
	free(c);
}

u16 cfi__machine(const struct cfi *c)
{
	return c->machine;
}

/* Takes f over. */
static void cfi__use(struct cfi *c, struct elf_file *f)
{
	c->file = *f;
	c->machine = f->ehdr.e_machine;
	c->entry = f->ehdr.e_entry;
	cfi__read_segments(c, f, false);
	c->eh = dwarf_getcfi_elf(f->elf);
	go_table__open(&c->go, f);
	cfi__open_arm(c, f);
	cfi__open_stubs(c, f);
	/* What is needed of it is in memory now: do not hold a descriptor for each binary. */
	if (c->file.fd >= 0 && !elf_cntl(c->file.elf, ELF_C_FDDONE)) {
		close(c->file.fd);
		c->file.fd = -1;
	}
}

int cfi__open(struct cfi **cfi, const char *path, const struct build_id *want, const struct cfi_opts *opts,
	      struct err *err)
{
	struct cfi *c = cfi__new();
	struct elf_binary b;
	int ret = 0;

	elf_binary__open(&b, path, want, opts ? opts->symfs : NULL, NULL);
	c->path = xstrdup(path);
	c->symfs = xstrdup(b.root);
	c->places = opts ? opts->places : NULL;
	c->want = b.id;
	if (elf_file__is_open(&b.file))
		cfi__use(c, &b.file);
	if (!cfi__has_own(c))
		cfi__open_debug_frame(c);
	if (!cfi__has_own(c) && !c->debug.cfi) {
		ret = elf_file__is_open(&c->file)
			      ? err__set(err, -ENODATA, "'%s' has no call frame information", path)
			      : elf_binary__not_found(&b, err);
		cfi__delete(c);
		return ret;
	}
	*cfi = c;
	return 0;
}

int cfi__open_image(struct cfi **cfi, const void *image, size_t size, struct err *err)
{
	struct cfi *c = cfi__new();
	struct elf_file f;
	int ret = elf_file__from_memory(&f, image, size, err);

	c->is_image = true;
	c->own_image = image;
	c->image_size = size;
	if (!ret)
		cfi__use(c, &f);
	if (!ret && !cfi__has_own(c))
		ret = err__set(err, -ENODATA, "the image in memory has no call frame information");
	if (ret)
		cfi__delete(c);
	else
		*cfi = c;
	return ret;
}
