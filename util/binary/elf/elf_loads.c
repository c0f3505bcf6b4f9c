#include "binary/elf/elf_loads.h"

void elf_loads__read(struct elf_loads *l, const struct elf_file *f, bool is_debug)
{
	size_t nr = 0;

	if (elf_getphdrnum(f->elf, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr p;

		if (gelf_getphdr(f->elf, (int)i, &p) && p.p_type == PT_LOAD)
			array__add(&l->v, ((struct elf_load){ p.p_offset, p.p_vaddr,
							      is_debug ? p.p_memsz : p.p_filesz }));
	}
	for (size_t i = 0; is_debug && i < l->v.nr; i++)
		l->v.v[i].offset = l->v.v[i].vaddr - l->v.v[0].vaddr;
}

void elf_loads__exit(struct elf_loads *l)
{
	array__exit(&l->v);
}

bool elf_loads__bias(const struct elf_loads *l, u64 offset, u64 *bias)
{
	for (size_t i = 0; i < l->v.nr; i++) {
		const struct elf_load *load = &l->v.v[i];

		if (offset < load->offset || offset - load->offset >= load->size)
			continue;
		*bias = load->vaddr - load->offset;
		return true;
	}
	return false;
}
