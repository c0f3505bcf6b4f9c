#include "binary/elf/kernel_file.h"

#include <string.h>

enum { MODULE_MAX = 1 << 28 }; /* bytes; larger sections of modules are invalid */

void module__place_sections(const struct elf_file *f, GElf_Shdr *headers, size_t nr)
{
	size_t names = 0;
	u64 at = 0;

	elf_getshdrstrndx(f->elf, &names);
	for (size_t i = 0; i < nr; i++) {
		GElf_Shdr *s = &headers[i];
		u64 align = s->sh_addralign ? s->sh_addralign : 1;

		s->sh_addr = MODULE_NOT_PLACED;
		if ((s->sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR) ||
		    s->sh_size > MODULE_MAX || align > MODULE_MAX || at > MODULE_MAX ||
		    !strncmp(elf_file__str(f, (u32)names, s->sh_name), ".init", 5))
			continue;
		at = (at + align - 1) / align * align;
		s->sh_addr = at;
		at += s->sh_size;
	}
}

u64 elf_file__symbol_value(const struct elf_file *f, const char *name)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(f, NULL, SHT_SYMTAB, &shdr));
	size_t nr = data && shdr.sh_entsize ? data->d_size / shdr.sh_entsize : 0;

	for (size_t i = 0; i < nr; i++) {
		GElf_Sym sym;

		if (gelf_getsym(data, (int)i, &sym) && sym.st_shndx != SHN_UNDEF &&
		    !strcmp(elf_file__str(f, shdr.sh_link, sym.st_name), name))
			return sym.st_value;
	}
	return 0;
}
