#include "binary/dwarf/dwarf_relocate.h"

#include "binary/elf/kernel_file.h"

#include <errno.h>
#include <string.h>

enum { SECTIONS_MAX = 1 << 16 };

/*
 * The relocations that debug information uses; each is symbol + addend. (System V ABI, processor
 * supplements)
 */
static const struct relocation {
	u16 machine;
	u32 type;
	u8 size;
} relocations[] = {
	{ EM_X86_64, R_X86_64_64, 8 },      { EM_X86_64, R_X86_64_32, 4 },
	{ EM_X86_64, R_X86_64_32S, 4 },     { EM_AARCH64, R_AARCH64_ABS64, 8 },
	{ EM_AARCH64, R_AARCH64_ABS32, 4 }, { EM_RISCV, R_RISCV_64, 8 },
	{ EM_RISCV, R_RISCV_32, 4 },
};

struct relocator {
	struct dwarf_image *im;
	struct elf_file f;
	ARRAY(GElf_Shdr) headers; /* sh_addr: where the section is */
};

static bool bytes_are_inside(const struct dwarf_image *im, const GElf_Shdr *s)
{
	return s->sh_type != SHT_NOBITS && s->sh_offset <= im->size && s->sh_size <= im->size - s->sh_offset;
}

/* Place __init sections and data far from all code; addresses in debug sections count from 0. */
static bool relocator__place_sections(struct relocator *r)
{
	size_t nr = 0;

	if (elf_getshdrnum(r->im->elf, &nr) || nr > SECTIONS_MAX)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (!gelf_getshdr(elf_getscn(r->im->elf, i), array__push(&r->headers)))
			return false;
	module__place_sections(&r->f, r->headers.v, nr);
	for (size_t i = 0; i < nr; i++) {
		GElf_Shdr *s = &r->headers.v[i];

		if (s->sh_addr != MODULE_NOT_PLACED)
			s->sh_addr += MODULE_BASE;
		else
			s->sh_addr = s->sh_flags & SHF_ALLOC ? (i + 2) * MODULE_BASE : 0;
	}
	return true;
}

static u8 size_of(u16 machine, u32 type)
{
	for (size_t i = 0; i < ARRAY_SIZE(relocations); i++)
		if (relocations[i].machine == machine && relocations[i].type == type)
			return relocations[i].size;
	return 0;
}

static bool relocator__symbol(const struct relocator *r, const GElf_Shdr *symbols, u64 index, u64 *value)
{
	Elf64_Sym sym;

	if (index >= symbols->sh_size / sizeof(sym))
		return false;
	memcpy(&sym, r->im->map + symbols->sh_offset + index * sizeof(sym), sizeof(sym));
	*value = sym.st_value;
	if (sym.st_shndx && sym.st_shndx < r->headers.nr)
		*value += r->headers.v[sym.st_shndx].sh_addr;
	return true;
}

/* Apply the entries of one relocation section. Skip entries that point outside the section. */
static int relocator__apply(struct relocator *r, const GElf_Shdr *entries, const GElf_Shdr *symbols,
			    const GElf_Shdr *to)
{
	for (u64 i = 0; i < entries->sh_size / sizeof(Elf64_Rela); i++) {
		Elf64_Rela e;
		u64 value;
		u8 size;

		memcpy(&e, r->im->map + entries->sh_offset + i * sizeof(e), sizeof(e));
		if (!ELF64_R_TYPE(e.r_info))
			continue; /* no effect, on any machine */
		size = size_of(r->f.ehdr.e_machine, ELF64_R_TYPE(e.r_info));
		if (!size)
			return -ENOTSUP;
		if (e.r_offset > to->sh_size || size > to->sh_size - e.r_offset ||
		    !relocator__symbol(r, symbols, ELF64_R_SYM(e.r_info), &value))
			continue;
		value += (u64)e.r_addend;
		memcpy(r->im->map + to->sh_offset + e.r_offset, &value,
		       size); /* in the machine's byte order */
	}
	return 0;
}

static bool relocator__is_debug(const struct relocator *r, size_t names, const GElf_Shdr *s)
{
	return !strncmp(elf_file__str(&r->f, (u32)names, s->sh_name), ".debug_", 7);
}

static int relocator__run(struct relocator *r)
{
	size_t names;
	int ret = 0;

	if (elf_getshdrstrndx(r->im->elf, &names) || !relocator__place_sections(r))
		return -EINVAL;
	for (size_t i = 0; !ret && i < r->headers.nr; i++) {
		const GElf_Shdr *s = &r->headers.v[i], *all = r->headers.v;

		if (s->sh_type == SHT_RELA && s->sh_info < r->headers.nr && s->sh_link < r->headers.nr &&
		    relocator__is_debug(r, names, &all[s->sh_info]) && bytes_are_inside(r->im, s) &&
		    bytes_are_inside(r->im, &all[s->sh_info]) && bytes_are_inside(r->im, &all[s->sh_link]))
			ret = relocator__apply(r, s, &all[s->sh_link], &all[s->sh_info]);
	}
	return ret;
}

int dwarf_image__relocate(struct dwarf_image *im)
{
	struct relocator r = { .im = im, .f = { .fd = -1, .elf = im->elf } };
	bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	int ret = -ENOTSUP;

	if (is_little && gelf_getehdr(im->elf, &r.f.ehdr) && r.f.ehdr.e_ident[EI_CLASS] == ELFCLASS64 &&
	    r.f.ehdr.e_ident[EI_DATA] == ELFDATA2LSB)
		ret = relocator__run(&r);
	array__exit(&r.headers);
	return ret;
}
