#include "binary/elf/elf_loads.h"

static const u64 NOWHERE = 1ull << 62; /* an offset that no file has */

/* ---- debug files ---- */

static u64 page_floor(u64 addr, u64 page)
{
	return addr & ~(page - 1);
}

static bool is_of_segment(const struct elf_mapping *m, const GElf_Phdr *p, u64 page)
{
	u64 start = page_floor(p->p_vaddr, page), end = page_floor(p->p_vaddr + p->p_memsz + page - 1, page);

	return m->is_exec && p->p_flags & PF_X && m->end - m->start == end - start &&
	       page_floor(m->start, page) == m->start && page_floor(m->pgoff, page) == m->pgoff;
}

/*
 * Get the difference between mapped and linked addresses. An executable segment is mapped at its own size,
 * but the first segment of a file may be mapped with room for all others. *bias begins with 0.
 */
static bool find_bias(const struct elf_file *f, const elf_phdr_array *loads,
		      const struct debug_places *places, u64 *bias)
{
	static const u64 pages[] = { 4 << 10, 16 << 10, 64 << 10 };
	const struct elf_mapping *first = NULL;

	for (size_t i = 0; i < places->nr_maps && !first; i++)
		if (places->maps[i].is_exec)
			first = &places->maps[i];
	if (!first || f->ehdr.e_type == ET_EXEC)
		return first;
	for (size_t k = 0; k < ARRAY_SIZE(pages) * loads->nr; k++) {
		const GElf_Phdr *p = &loads->v[k % loads->nr];
		u64 page = pages[k / loads->nr];

		if (!is_of_segment(first, p, page))
			continue;
		*bias = first->start - page_floor(p->p_vaddr, page);
		return true;
	}
	for (size_t i = 0; i < loads->nr; i++) {
		if (!(loads->v[i].p_flags & PF_X))
			continue;
		*bias = first->start - page_floor(loads->v[i].p_vaddr, pages[0]);
		return true;
	}
	return false;
}

/* Set the file offset of a segment to that in its map. */
static bool place_load(GElf_Phdr *p, u64 bias, const struct debug_places *places)
{
	for (size_t i = 0; i < places->nr_maps; i++) {
		const struct elf_mapping *m = &places->maps[i];
		u64 at = p->p_vaddr + bias;

		if (at < m->start || at >= m->end || m->is_exec != !!(p->p_flags & PF_X))
			continue;
		p->p_offset = at - m->start + m->pgoff;
		return true;
	}
	return false;
}

bool elf_debug_loads(const struct elf_file *f, const struct debug_places *places, elf_phdr_array *loads)
{
	bool placed = false, has_bias;
	u64 bias = 0;

	elf_file__loads(f, loads);
	has_bias = places && find_bias(f, loads, places, &bias);
	for (size_t i = 0; i < loads->nr; i++) {
		GElf_Phdr *p = &loads->v[i];

		p->p_filesz = p->p_memsz;
		p->p_offset = p->p_vaddr - loads->v[0].p_vaddr;
		if (has_bias && place_load(p, bias, places))
			placed = true;
		else if (has_bias)
			p->p_offset += NOWHERE; /* a guess could be in the middle of another segment */
	}
	return placed;
}

/* ---- both ---- */

static void elf_loads__add(struct elf_loads *l, const GElf_Phdr *p)
{
	array__add(&l->v, ((struct elf_load){ p->p_offset, p->p_vaddr, p->p_filesz }));
}

void elf_loads__read(struct elf_loads *l, const struct elf_file *f)
{
	elf_phdr_array loads = { 0 };

	elf_file__loads(f, &loads);
	for (size_t i = 0; i < loads.nr; i++)
		elf_loads__add(l, &loads.v[i]);
	array__exit(&loads);
}

bool elf_loads__read_debug(struct elf_loads *l, const struct elf_file *f, const struct debug_places *places)
{
	elf_phdr_array loads = { 0 };
	bool placed = elf_debug_loads(f, places, &loads);

	for (size_t i = 0; i < loads.nr; i++)
		elf_loads__add(l, &loads.v[i]);
	array__exit(&loads);
	return placed;
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
