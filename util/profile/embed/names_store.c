#include "profile/embed/names_store.h"

#include <string.h>

void names_store__init(struct names_store *n)
{
	*n = (struct names_store){ 0 };
	strpool__init(&n->texts);
}

void names_store__exit(struct names_store *n)
{
	for (size_t i = 0; i < n->dsos.nr; i++) {
		array__exit(&n->dsos.v[i].symbols);
		array__exit(&n->dsos.v[i].loads);
		names_lines__exit(&n->dsos.v[i].lines);
	}
	array__exit(&n->dsos);
	array__exit(&n->kinds);
	array__exit(&n->symbols);
	array__exit(&n->addresses);
	hash_table__exit(&n->by_name);
	hash_table__exit(&n->by_symbol);
	hash_table__exit(&n->by_address);
	strpool__exit(&n->texts);
}

static const char *names_store__text(struct names_store *n, const char *s)
{
	return s ? strpool__get(&n->texts, strpool__intern(&n->texts, s)) : NULL;
}

/* A later session may not see the record with the build-id. */
static bool is_same(const struct names_dso_id *a, const struct names_dso_id *b)
{
	return a->maj_min == b->maj_min && a->ino == b->ino && a->ino_generation == b->ino_generation &&
	       a->pid == b->pid && !strcmp(a->name, b->name) &&
	       (!a->build_id.size || !b->build_id.size || build_id__equal(&a->build_id, &b->build_id));
}

u32 names_store__dso(struct names_store *n, const struct names_dso_id *id, enum dso_kind kind)
{
	u64 hash = hash__bytes(id->name, strlen(id->name), id->ino);
	struct names_dso *new;
	u32 i;

	hash_table__for_each (&n->by_name, hash, i) {
		struct names_dso_id *known = &n->dsos.v[i].id;

		if (!is_same(known, id))
			continue;
		if (!known->build_id.size)
			known->build_id = id->build_id;
		return i;
	}
	i = (u32)n->dsos.nr;
	hash_table__insert(&n->by_name, hash, i);
	new = array__push(&n->dsos);
	*new = (struct names_dso){ .id = *id };
	new->id.name = names_store__text(n, id->name);
	array__add(&n->kinds, kind);
	return i;
}

struct dso *names_store__find_dso(const struct names_store *n, u32 i, struct dsos *dsos)
{
	const struct names_dso_id *id = &n->dsos.v[i].id;
	const struct dso_id wanted = { .build_id = id->build_id,
				       .maj_min = id->maj_min,
				       .ino = id->ino,
				       .ino_generation = id->ino_generation };

	return dsos__find_add(dsos, id->name, n->kinds.v[i], &wanted);
}

/*
 * Return where the address of the binary is in an array, or add it there and to the table; i is UINT32_MAX
 * then.
 */
static struct stored_at *add_once(struct hash_table *table, stored_at_array *array, u32 dso, u64 addr)
{
	u64 hash = hash__u64(addr ^ (u64)dso << 48);
	u32 i;

	hash_table__for_each (table, hash, i)
		if (array->v[i].addr == addr && array->v[i].dso == dso)
			return &array->v[i];
	hash_table__insert(table, hash, (u32)array->nr);
	array__add(array, ((struct stored_at){ addr, dso, UINT32_MAX }));
	return &array->v[array->nr - 1];
}

void names_store__add_symbol(struct names_store *n, u32 dso, const struct names_symbol *s)
{
	struct stored_at *at = add_once(&n->by_symbol, &n->symbols, dso, s->start);
	struct names_dso *d = &n->dsos.v[dso];
	struct names_symbol new = *s;

	if (at->i != UINT32_MAX) {
		struct names_symbol *known = &d->symbols.v[at->i];

		known->hits += s->hits;
		known->own_hits += s->own_hits;
		if (known->is_made_up && !s->is_made_up) {
			known->is_made_up = false;
			known->name = names_store__text(n, s->name);
			known->size = s->size;
		}
		return;
	}
	at->i = (u32)d->symbols.nr;
	new.name = names_store__text(n, s->name);
	array__add(&d->symbols, new);
}

void names_store__add_address(struct names_store *n, u32 dso, u64 addr)
{
	add_once(&n->by_address, &n->addresses, dso, addr);
}

void names_store__add_lines(struct names_store *n, u32 dso, u64 addr, const struct code_frames *frames)
{
	struct names_lines *lines = &n->dsos.v[dso].lines;
	size_t nr = frames->v.nr;

	array__add(&lines->addresses, ((struct names_address){ addr, (u32)lines->frames.nr, (u32)nr }));
	for (size_t i = 0; i < nr; i++) {
		const struct code_frame *f = &frames->v.v[i];
		const char *name = i + 1 < nr ? names_store__text(n, f->name) : NULL;

		array__add(&lines->frames, ((struct names_frame){ name, names_store__text(n, f->file),
								  f->line, f->start_line }));
	}
}
