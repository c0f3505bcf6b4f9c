#include "profile/gather/lock_names.h"

#include <string.h>
#include <sys/mman.h>

enum { FACTS_KNOWN = 1u << 31 };

void lock_names__init(struct lock_names *n, struct session *s)
{
	static const struct places_opts opts = { .inlines = true, .lines = true, .exact = true };

	*n = (struct lock_names){ .session = s };
	places__init(&n->places, s, &opts);
	chains__init(&n->chains);
}

void lock_names__exit(struct lock_names *n)
{
	for (size_t i = 0; i < n->objects.nr; i++)
		elf_object__delete(n->objects.v[i]);
	array__exit(&n->objects);
	array__exit(&n->tried);
	array__exit(&n->facts);
	chains__exit(&n->chains);
	places__exit(&n->places);
}

struct wait lock_names__wait(struct lock_names *n, const struct row *row)
{
	return chains__wait(&n->chains, &n->places, row);
}

/* ---- wakers ---- */

static u32 lock_names__facts_of_place(struct lock_names *n, u32 place)
{
	u32 *facts;

	while (n->facts.nr <= place)
		array__add(&n->facts, 0);
	facts = &n->facts.v[place];
	if (!*facts)
		*facts = FACTS_KNOWN | waker_facts__of(places__name(&n->places, place),
						       place__is_kernel(places__get(&n->places, place)));
	return *facts & ~FACTS_KNOWN;
}

u32 lock_names__facts(struct lock_names *n, const struct row *row)
{
	static const struct chain_opts whole = { .max_stack = UINT32_MAX };
	u32 facts = 0;

	if (!row->key.nr_chain || !chains__look_up(&n->chains, &n->places, row, &whole))
		return 0;
	for (size_t i = 0; i < n->chains.scratch.nr && !(facts & WAKER_INTERRUPT); i++)
		facts |= lock_names__facts_of_place(n, n->chains.scratch.v[i]);
	return facts;
}

/* ---- variables ---- */

static struct elf_object *lock_names__object(struct lock_names *n, u32 idx)
{
	struct dso *dso = n->session->machine.dsos.v.v[idx];

	while (n->objects.nr <= idx) {
		array__add(&n->objects, NULL);
		array__add(&n->tried, false);
	}
	if (n->tried.v[idx])
		return n->objects.v[idx];
	n->tried.v[idx] = true;
	pthread_mutex_lock(&dso->lock);
	if (dso->kind == DSO_ELF && !symbolizer__find_file(&n->session->symbolizer, dso, NULL) &&
	    !dso->file_error)
		elf_object__open_debug(&n->objects.v[idx], dso->root, dso->file, &dso->places, NULL);
	pthread_mutex_unlock(&dso->lock);
	return n->objects.v[idx];
}

/* Return the code of a binary that begins last at or below the address: variables follow code. */
static const struct map *code_below(const struct machine *m, const struct maps *maps, u32 rank, u64 addr)
{
	u32 version = maps ? maps__version(maps, rank) : 0;
	const struct map *best = NULL;

	for (; maps; version = maps->parent_version, maps = maps->parent) {
		for (u32 i = 0; i < version && i < maps->v.nr; i++) {
			const struct map *map = maps->v.v[i].map;

			if (map->start <= addr && (!best || map->start >= best->start) &&
			    (!map->prot || map->prot & PROT_EXEC) && m->dsos.v.v[map->dso]->kind == DSO_ELF)
				best = map;
		}
		if (best || maps->parent_end)
			break;
	}
	return best;
}

bool lock_names__add_variable(struct lock_names *n, const struct maps *maps, u32 rank, u64 addr,
			      struct strbuf *text)
{
	const struct map *map = code_below(&n->session->machine, maps, rank, addr);
	struct elf_object *o = map ? lock_names__object(n, map->dso) : NULL;
	u64 linked;

	return o && elf_object__code_addr(o, map->pgoff, &linked) &&
	       elf_object__name_at(o, linked + (addr - map->start), text);
}

/* ---- places ---- */

bool lock_names__is_glibc(struct lock_names *n, u32 frame)
{
	return frame < n->chains.scratch.nr &&
	       strstr(places__name(&n->places, n->chains.scratch.v[frame]), "pthread_");
}

bool lock_names__add_place(struct lock_names *n, u32 frame, struct strbuf *text)
{
	u32 id = frame < n->chains.scratch.nr ? n->chains.scratch.v[frame] : PLACE_NONE;
	const struct place *place = id != PLACE_NONE ? places__get(&n->places, id) : NULL;
	const char *name = place ? places__name(&n->places, id) : "";

	if (!*name)
		return false;
	strbuf__addstr(text, name);
	place = places__get(&n->places, id);
	if (place->has_line)
		strbuf__addf(text, " (%s)", places__text(&n->places, place->line));
	else if (place->sym && !place__is_kernel(place))
		strbuf__addf(text, "+0x%llx", (unsigned long long)(place->ip - place->sym->start + 1));
	return true;
}
