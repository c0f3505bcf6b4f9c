#include "binary/symbols/elf_raw.h"

#include "binary/elf/elf_binary.h"
#include "binary/elf/elf_loads.h"

#include <string.h>

struct elf_raw_file {
	struct elf_binary binary;
	struct elf_loads loads;
};

static void read_sections(struct elf_raw *r, const struct elf_file *f)
{
	size_t names = 0, nr = 0;

	if (elf_getshdrnum(f->elf, &nr) || elf_getshdrstrndx(f->elf, &names))
		return;
	for (size_t i = 0; i < nr; i++) {
		Elf_Scn *scn = elf_getscn(f->elf, i);
		GElf_Shdr shdr = { 0 };

		if (scn)
			gelf_getshdr(scn, &shdr);
		array__add(&r->sections,
			   ((struct elf_raw_section){ .name = elf_file__str(f, (u32)names, shdr.sh_name),
						      .addr = shdr.sh_addr,
						      .size = shdr.sh_size,
						      .is_allocated = shdr.sh_flags & SHF_ALLOC,
						      .is_code = shdr.sh_flags & SHF_EXECINSTR }));
	}
}

static void read_symbols(struct elf_raw *r, const struct elf_file *f)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(f, NULL, SHT_SYMTAB, &shdr));
	size_t nr = data ? data->d_size / gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT) : 0;
	GElf_Sym sym;

	for (size_t i = 0; i < nr && gelf_getsym(data, (int)i, &sym); i++) {
		struct elf_raw_symbol s = { .name = elf_file__str(f, shdr.sh_link, sym.st_name),
					    .addr = sym.st_value,
					    .size = sym.st_size,
					    .type = GELF_ST_TYPE(sym.st_info),
					    .is_local = GELF_ST_BIND(sym.st_info) == STB_LOCAL,
					    .is_absolute = sym.st_shndx == SHN_ABS };

		if (sym.st_shndx < r->sections.nr)
			s.section = sym.st_shndx;
		if (s.type == STT_SECTION && !*s.name)
			s.name = s.section ? r->sections.v[s.section].name : "";
		array__add(&r->symbols, s);
	}
}

int elf_raw__open(struct elf_raw *r, const char *root, const char *path, const struct build_id *want,
		  struct err *err)
{
	struct elf_raw_file *file = xcalloc(1, sizeof(*file));
	const struct elf_file *f = &file->binary.file;

	*r = (struct elf_raw){ .file = file };
	elf_binary__open(&file->binary, path, want, root, NULL);
	if (!elf_file__is_open(f))
		return elf_binary__not_found(&file->binary, err);
	elf_loads__read(&file->loads, f);
	read_sections(r, f);
	read_symbols(r, f);
	return 0;
}

void elf_raw__close(struct elf_raw *r)
{
	if (r->file) {
		elf_binary__close(&r->file->binary);
		elf_loads__exit(&r->file->loads);
		free(r->file);
	}
	array__exit(&r->symbols);
	array__exit(&r->sections);
	r->file = NULL;
}

bool elf_raw__has_section(const struct elf_raw *r, const char *name)
{
	for (size_t i = 0; i < r->sections.nr; i++)
		if (!strcmp(r->sections.v[i].name, name))
			return true;
	return false;
}

bool elf_raw__vaddr(const struct elf_raw *r, u64 addr, u64 *vaddr)
{
	u64 bias;

	if (!elf_loads__bias(&r->file->loads, addr, &bias))
		return false;
	*vaddr = addr + bias;
	return true;
}

bool elf_raw__addr(const struct elf_raw *r, u64 vaddr, u64 *addr)
{
	const struct elf_loads *l = &r->file->loads;

	for (size_t i = 0; i < l->v.nr; i++) {
		const struct elf_load *p = &l->v.v[i];

		if (vaddr >= p->vaddr && vaddr - p->vaddr < p->size) {
			*addr = vaddr - p->vaddr + p->offset;
			return true;
		}
	}
	return false;
}
