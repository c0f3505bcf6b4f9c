#include "model/kernel_maps.h"

#include <string.h>
#include <sys/mman.h>

void kernel_maps__exit(struct kernel_maps *k)
{
	maps__exit(&k->maps);
	arena__exit(&k->arena);
	free(k->ref_name);
	k->ref_name = NULL;
}

static void kernel_maps__add(struct kernel_maps *k, const struct map *map, u32 rank)
{
	maps__add(&k->maps, &k->arena, arena__memdup(&k->arena, map, sizeof(*map)), rank);
}

/* Return the part after "[kernel.kallsyms]" ("_text"), or NULL if this is not the kernel's map. */
static const char *reference_name(const struct kernel_maps *k, const char *filename)
{
	const char *prefix = k->is_guest ? "[guest.kernel.kallsyms" : "[kernel.kallsyms";
	size_t len = strlen(prefix);

	if (strncmp(filename, prefix, len) || (filename[len] != ']' && filename[len] != '.'))
		return NULL;
	return filename + len + 1; /* after "]", or after the "." of the oldest form */
}

static void kernel_maps__text(struct kernel_maps *k, struct dsos *dsos, const struct mmap_record *m,
			      const char *ref)
{
	struct dso_id id = { .build_id = mmap_record__build_id(m) };
	const char *name = k->is_guest ? "[guest.kernel.kallsyms]" : "[kernel.kallsyms]";
	struct dso *dso = dsos__find_add(dsos, name, DSO_KERNEL, &id);
	size_t len = strcspn(ref, "]");

	dso->is_guest = k->is_guest;
	k->has_text = true;
	k->text = (struct map){ .start = m->start, .dso = dso->idx, .prot = PROT_EXEC };
	if (__builtin_add_overflow(m->start, m->len, &k->text.end) || !m->len)
		k->text.end = UINT64_MAX;
	k->text.pgoff = k->text.start; /* dso addresses are memory addresses */
	if (!m->pgoff || !len)
		return; /* kptr_restrict hid the address, or the form has none */
	free(k->ref_name);
	k->ref_name = xmemdup(ref, len + 1);
	k->ref_name[len] = '\0';
	k->ref_addr = m->pgoff;
}

void kernel_maps__mmap(struct kernel_maps *k, struct dsos *dsos, const struct mmap_record *m, u32 rank)
{
	const char *ref = reference_name(k, m->filename);
	struct map map = { .start = m->start, .prot = (u8)m->prot };
	struct dso_id id = { .build_id = mmap_record__build_id(m) };
	struct dso *dso;

	if (ref) {
		kernel_maps__text(k, dsos, m, ref);
		return;
	}
	if (!m->len)
		return;
	if (__builtin_add_overflow(m->start, m->len, &map.end))
		map.end = UINT64_MAX;
	dso = dsos__find_add(dsos, m->filename, DSO_MODULE, &id);
	dso->is_guest = k->is_guest;
	map.dso = dso->idx;
	kernel_maps__add(k, &map, rank);
}

void kernel_maps__ksymbol(struct kernel_maps *k, struct dsos *dsos, const struct ksymbol_record *s, u32 rank)
{
	struct map map = { .start = s->addr, .prot = PROT_EXEC, .dso = DSO_IDX_NONE };

	if (!s->len || __builtin_add_overflow(s->addr, s->len, &map.end))
		return;
	if (!s->unregister) {
		struct dso *dso = dsos__find_add(dsos, s->name, DSO_BPF, NULL);

		if (!dso->symtab.syms.nr) {
			symtab__add(&dso->symtab, 0, s->len, s->name, SYMBOL_GLOBAL);
			symtab__finish(&dso->symtab);
			dso->symtab.source = "ksymbol";
			dso->loaded = true;
		}
		map.dso = dso->idx;
	}
	kernel_maps__add(k, &map, rank); /* unregistered: the range is empty now */
}

const struct map *kernel_maps__find(const struct kernel_maps *k, u64 addr, u32 version,
				    struct maps_span *span)
{
	const struct map *map = maps__find_version(&k->maps, addr, version, span);

	if (map && map->dso != DSO_IDX_NONE)
		return map;
	if (k->has_text && addr >= k->text.start && addr < k->text.end)
		return &k->text;
	return NULL;
}
