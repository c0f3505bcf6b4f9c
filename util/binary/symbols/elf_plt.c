#include "binary/symbols/elf_plt.h"

#include "base/memory/array.h"
#include "base/text/strbuf.h"

#include <stdlib.h>
#include <string.h>

/*
 * Sizes of the first and of the other stubs of .plt, for machines whose stubs and relocations have the same
 * order.
 */
static const struct plt_shape {
	u16 machine;
	u32 header, entry;
} shapes[] = {
	{ EM_386, 16, 16 },
	{ EM_ARM, 20, 12 },
};

struct plt_slot { /* a GOT slot that a relocation fills */
	u64 addr;
	u32 symbol; /* index in .dynsym, 0: none */
	s64 addend;
};

/* A stub of an indirect function. target: the code that chooses the function. */
struct plt_indirect {
	u64 target, offset; /* file offsets */
	u32 size;
	s64 addend;
};

struct plt {
	const struct elf_file *f;
	struct symtab *t;
	Elf_Data *dynsym;
	u32 dynstr;                   /* section index */
	size_t dynstr_in_text;        /* size of dynstr if the text of t begins with it, else 0 */
	ARRAY(struct plt_slot) slots; /* in the order of the relocations */
	size_t nr_plt_slots;          /* the first slots are from .rela.plt, the rest from .rela.dyn */
	u64 slots_start, slots_end;   /* range of addresses; relocations outside are skipped */
	ARRAY(struct plt_indirect) indirect;
	struct strbuf name; /* of the current stub */
};

enum { PIECE = 512 /* relocations that are read at once */ };

static void plt__add_slot(struct plt *p, u64 addr, u32 symbol, s64 addend)
{
	if (addr >= p->slots_start && addr < p->slots_end)
		array__add(&p->slots, ((struct plt_slot){ addr, symbol, addend }));
}

/*
 * Read a section of x86-64 relocations piece by piece: libelf would keep all of it, which is 8 MB in a
 * compiler. Return false if the section is of another form.
 */
static bool plt__read_pieces(struct plt *p, const GElf_Shdr *shdr)
{
	Elf64_Rela piece[PIECE];
	u64 at = 0, size = shdr->sh_size - shdr->sh_size % sizeof(*piece);

	if (shdr->sh_type != SHT_RELA || shdr->sh_entsize != sizeof(*piece) ||
	    shdr->sh_flags & SHF_COMPRESSED || p->f->ehdr.e_machine != EM_X86_64 ||
	    p->f->ehdr.e_ident[EI_CLASS] != ELFCLASS64 || p->f->ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
	    __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return false;
	for (; at < size; at += sizeof(piece)) {
		size_t n = (size_t)MIN((u64)sizeof(piece), size - at);

		if (!elf_file__read(p->f, piece, n, shdr->sh_offset + at))
			break;
		for (size_t i = 0; i < n / sizeof(*piece); i++)
			plt__add_slot(p, piece[i].r_offset, (u32)ELF64_R_SYM(piece[i].r_info),
				      piece[i].r_addend);
	}
	return true;
}

static void plt__read_slots(struct plt *p, const char *const *names)
{
	for (; *names; names++) {
		GElf_Shdr shdr;
		Elf_Scn *scn = elf_file__section(p->f, *names, 0, &shdr);
		Elf_Data *data = !scn || plt__read_pieces(p, &shdr) ? NULL : elf_file__data(scn);
		size_t nr = data && shdr.sh_entsize ? shdr.sh_size / shdr.sh_entsize : 0;

		for (size_t i = 0; i < nr; i++) {
			GElf_Rela rela;
			GElf_Rel rel;

			if (shdr.sh_type == SHT_RELA && gelf_getrela(data, (int)i, &rela))
				plt__add_slot(p, rela.r_offset, (u32)GELF_R_SYM(rela.r_info), rela.r_addend);
			else if (shdr.sh_type == SHT_REL && gelf_getrel(data, (int)i, &rel))
				plt__add_slot(p, rel.r_offset, (u32)GELF_R_SYM(rel.r_info), 0);
			else
				break;
		}
	}
}

/* Return the file offset of a virtual address; 0 if no segment contains it. */
static u64 plt__file_offset(const struct plt *p, u64 addr)
{
	size_t nr = 0;

	elf_getphdrnum(p->f->elf, &nr);
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr phdr;

		if (gelf_getphdr(p->f->elf, (int)i, &phdr) && phdr.p_type == PT_LOAD &&
		    addr >= phdr.p_vaddr && addr - phdr.p_vaddr < phdr.p_filesz)
			return addr - phdr.p_vaddr + phdr.p_offset;
	}
	return 0;
}

/* Add a stub for the function named in p->name. */
static void plt__add_stub(struct plt *p, u64 offset, u32 size)
{
	strbuf__addstr(&p->name, "@plt");
	symtab__add(p->t, offset, size, symtab__name_within(p->t, p->name.buf), SYMBOL_GLOBAL);
	strbuf__reset(&p->name);
}

/* Take names from the table's text if they are there: libelf would read the section once more. */
static const char *plt__dynamic_name(const struct plt *p, u32 name)
{
	return name < p->dynstr_in_text ? p->t->text.v + name : elf_file__str(p->f, p->dynstr, name);
}

static void plt__add(struct plt *p, u64 offset, u32 size, const struct plt_slot *slot)
{
	GElf_Sym sym;

	if (slot->symbol && p->dynsym && gelf_getsym(p->dynsym, (int)slot->symbol, &sym)) {
		strbuf__addstr(&p->name, plt__dynamic_name(p, sym.st_name));
		plt__add_stub(p, offset, size);
		return;
	}
	array__add(&p->indirect, ((struct plt_indirect){ .target = plt__file_offset(p, (u64)slot->addend),
							 .offset = offset,
							 .size = size,
							 .addend = slot->addend }));
}

static int compare_indirect(const void *a, const void *b)
{
	const struct plt_indirect *x = a, *y = b;

	return (x->target > y->target) - (x->target < y->target);
}

static void plt__add_indirect(struct plt *p)
{
	const size_t nr = p->indirect.nr;
	ARRAY(struct symtab_start) starts = { 0 };

	if (nr)
		qsort(p->indirect.v, nr, sizeof(*p->indirect.v), compare_indirect);
	for (size_t i = 0; i < nr; i++)
		if (!i || p->indirect.v[i].target != p->indirect.v[i - 1].target)
			array__add(&starts, ((struct symtab_start){ .addr = p->indirect.v[i].target }));
	symtab__find_starts(p->t, starts.v, starts.nr);
	for (size_t i = 0, k = 0; i < nr; i++) {
		const struct plt_indirect *stub = &p->indirect.v[i];

		k += stub->target != starts.v[k].addr;
		if (starts.v[k].best != UINT32_MAX)
			strbuf__addstr(&p->name, symtab__name(p->t, &p->t->syms.v[starts.v[k].best]));
		else
			strbuf__addf(&p->name, "*ABS*+0x%llx", (unsigned long long)stub->addend);
		plt__add_stub(p, stub->offset, stub->size);
	}
	array__exit(&starts);
}

static void plt__add_by_order(struct plt *p, const struct plt_shape *shape)
{
	u32 entry = shape->entry;
	GElf_Shdr shdr;

	if (!elf_file__section(p->f, ".plt", 0, &shdr))
		return;
	for (size_t i = 0; i < p->slots.nr; i++) {
		u64 at = shape->header + i * entry;

		if (at + entry > shdr.sh_size)
			return;
		plt__add(p, shdr.sh_offset + at, entry, &p->slots.v[i]);
	}
}

static int compare_slots(const void *a, const void *b)
{
	const struct plt_slot *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/*
 * Return the GOT slot that an x86-64 stub jumps through, or 0: "jmp *disp32(%rip)", which may follow endbr64
 * and a bnd prefix.
 */
static u64 x86_64_stub_slot(const u8 *code, size_t size, u64 addr)
{
	for (size_t i = 0; i + 6 <= size; i++)
		if (code[i] == 0xff && code[i + 1] == 0x25) {
			s32 disp;

			memcpy(&disp, code + i + 2, sizeof(disp));
			return addr + i + 6 + (u64)(s64)disp;
		}
	return 0;
}

/* ---- AArch64 ---- */

/*
 * A stub begins with "adrp x16, PAGE" and "ldr x17, [x16, OFFSET]", which may follow "bti c". (Procedure
 * Call Standard and "ELF for the Arm 64-bit Architecture": registers that a stub may use)
 */
enum {
	ARM64_BTI_C = 0xd503245f,
	ARM64_ADRP_X16 = 0x90000010,
	ARM64_ADRP_MASK = 0x9f00001f,
	ARM64_LDR_X17_X16 = 0xf9400211,
	ARM64_LDR_MASK = 0xffc003ff,
	ARM64_BR_X17 = 0xd61f0220,
	ARM64_BRAA_X17_X16 = 0xd71f0a30,
};

static u32 arm64_instruction(const u8 *code)
{
	return (u32)code[0] | (u32)code[1] << 8 | (u32)code[2] << 16 | (u32)code[3] << 24;
}

/*
 * Return the GOT slot of a stub with these two instructions, or 0 if they are not the beginning of a stub.
 */
static u64 arm64_stub_slot(u32 adrp, u32 ldr, u64 addr)
{
	u64 pages;

	if ((adrp & ARM64_ADRP_MASK) != ARM64_ADRP_X16 || (ldr & ARM64_LDR_MASK) != ARM64_LDR_X17_X16)
		return 0;
	pages = (u64)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	pages |= -(pages & 1 << 20); /* sign extension from 21 bits */
	return (addr & ~0xfffull) + (pages << 12) + (ldr >> 10 & 0xfff) * 8;
}

static const struct plt_slot *plt__slot_at(const struct plt *p, u64 addr)
{
	const struct plt_slot key = { .addr = addr };

	return addr && p->slots.nr ? bsearch(&key, p->slots.v, p->slots.nr, sizeof(key), compare_slots)
				   : NULL;
}

/* Stubs end with their branch and are padded to a multiple of 8 bytes. */
static u32 arm64_stub_size(const u8 *code, size_t size)
{
	enum { STUB_MAX = 32 };
	size_t at = 0;

	for (; at + 4 <= MIN(size, (size_t)STUB_MAX); at += 4) {
		u32 instruction = arm64_instruction(code + at);

		if (instruction == ARM64_BR_X17 || instruction == ARM64_BRAA_X17_X16)
			return (u32)ROUND_UP(at + 4, 8);
	}
	return (u32)MIN(size, (size_t)16);
}

static void plt__add_arm64(struct plt *p)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(p->f, ".plt", 0, &shdr);
	Elf_Data *data = elf_file__data(scn);
	const u8 *code = data ? data->d_buf : NULL;

	for (size_t at = 0; code && at + 8 <= data->d_size; at += 4) {
		const struct plt_slot *slot =
			plt__slot_at(p, arm64_stub_slot(arm64_instruction(code + at),
							arm64_instruction(code + at + 4), shdr.sh_addr + at));
		size_t start = at;

		if (!slot)
			continue;
		if (at >= 4 && arm64_instruction(code + at - 4) == ARM64_BTI_C)
			start -= 4;
		plt__add(p, shdr.sh_offset + start, arm64_stub_size(code + start, data->d_size - start),
			 slot);
	}
}

/* ---- x86-64 ---- */

/*
 * Widen the range of slots by those that the section's stubs jump through: most relocations of a large
 * library are elsewhere.
 */
static void plt__widen_slots(struct plt *p, const char *section)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(p->f, section, 0, &shdr);
	Elf_Data *code = elf_file__data(scn);

	for (size_t at = 0; code && at + 8 <= code->d_size; at += 8) {
		u64 slot = x86_64_stub_slot((u8 *)code->d_buf + at, MIN(code->d_size - at, (size_t)16),
					    shdr.sh_addr + at);

		if (!slot)
			continue;
		p->slots_start = MIN(p->slots_start, slot);
		p->slots_end = MAX(p->slots_end, slot + 1);
	}
}

static void plt__add_by_code(struct plt *p, const char *section)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(p->f, section, 0, &shdr);
	Elf_Data *code = elf_file__data(scn);
	size_t entry;

	if (!code)
		return;
	entry = shdr.sh_entsize;
	if (entry != 8 && entry != 16) /* static programs have no entry size */
		entry = shdr.sh_size == 8 * p->nr_plt_slots ? 8 : 16;
	for (size_t at = 0; at + entry <= code->d_size; at += entry) {
		struct plt_slot key = { .addr = x86_64_stub_slot((u8 *)code->d_buf + at, entry,
								 shdr.sh_addr + at) };
		struct plt_slot *slot = NULL;

		if (key.addr && p->slots.nr)
			slot = bsearch(&key, p->slots.v, p->slots.nr, sizeof(key), compare_slots);
		if (slot && (slot->symbol || slot->addend))
			plt__add(p, shdr.sh_offset + at, (u32)entry, slot);
	}
}

void elf_plt__add_symbols(struct symtab *t, const struct elf_file *f, size_t dynstr_in_text)
{
	static const char *const plt_relocs[] = { ".rela.plt", ".rel.plt", NULL };
	static const char *const dyn_relocs[] = { ".rela.dyn", ".rel.dyn", NULL };
	static const char *const stubs[] = { ".plt", ".plt.sec", ".plt.got" };
	struct plt p = {
		.f = f, .t = t, .dynstr_in_text = dynstr_in_text, .slots_end = UINT64_MAX, .name = STRBUF_INIT
	};
	GElf_Shdr shdr;
	Elf_Scn *dynsym = elf_file__section(f, NULL, SHT_DYNSYM, &shdr);

	if (dynsym) {
		p.dynsym = elf_file__data(dynsym);
		p.dynstr = shdr.sh_link;
	}
	plt__read_slots(&p, plt_relocs);
	p.nr_plt_slots = p.slots.nr;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		if (shapes[i].machine == f->ehdr.e_machine)
			plt__add_by_order(&p, &shapes[i]);
	if (f->ehdr.e_machine == EM_AARCH64) {
		if (p.slots.nr)
			qsort(p.slots.v, p.slots.nr, sizeof(*p.slots.v), compare_slots);
		plt__add_arm64(&p);
	}
	if (f->ehdr.e_machine == EM_X86_64 && f->ehdr.e_ident[EI_DATA] == ELFDATA2LSB) {
		p.slots_start = UINT64_MAX;
		p.slots_end = 0;
		for (size_t i = 0; i < ARRAY_SIZE(stubs); i++)
			plt__widen_slots(&p, stubs[i]);
		plt__read_slots(&p, dyn_relocs);
		if (p.slots.nr)
			qsort(p.slots.v, p.slots.nr, sizeof(*p.slots.v), compare_slots);
		for (size_t i = 0; i < ARRAY_SIZE(stubs); i++)
			plt__add_by_code(&p, stubs[i]);
	}
	plt__add_indirect(&p);
	array__exit(&p.indirect);
	array__exit(&p.slots);
	strbuf__exit(&p.name);
}
