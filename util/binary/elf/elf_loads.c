#include "binary/elf/elf_loads.h"

void elf_loads__read(struct elf_loads *l, const struct elf_file *f, bool is_debug)
{
	elf_phdr_array loads = { 0 };

	elf_file__loads(f, &loads);
	for (size_t i = 0; i < loads.nr; i++) {
		const GElf_Phdr *p = &loads.v[i];

		array__add(&l->v,
			   ((struct elf_load){ is_debug ? p->p_vaddr - loads.v[0].p_vaddr : p->p_offset,
					       p->p_vaddr, is_debug ? p->p_memsz : p->p_filesz }));
	}
	array__exit(&loads);
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
