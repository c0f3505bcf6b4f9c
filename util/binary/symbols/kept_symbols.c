#include "binary/symbols/kept_symbols.h"

void kept_symbols__exit(struct kept_symbols *k)
{
	arena__exit(&k->arena);
	array__exit(&k->answers);
	hash_table__exit(&k->by_addr);
	array__exit(&k->v);
	hash_table__exit(&k->by_start);
}

bool kept_symbols__find(const struct kept_symbols *k, u64 addr, const struct symbol **sym)
{
	u32 i;

	hash_table__for_each (&k->by_addr, hash__u64(addr), i)
		if (k->answers.v[i].addr == addr) {
			*sym = k->answers.v[i].sym;
			return true;
		}
	return false;
}

static const struct symbol *kept_symbols__copy(struct kept_symbols *k, const struct symtab *t,
					       const struct symbol *sym)
{
	const char *name = symtab__name(t, sym);
	size_t size = strlen(name) + 1;
	struct symbol *copy;
	u32 i;

	hash_table__for_each (&k->by_start, hash__u64(sym->start), i) {
		const struct symbol *s = k->v.v[i];

		if (s->start == sym->start && s->size == sym->size && !strcmp(symtab__name(t, s), name))
			return s;
	}
	copy = arena__alloc(&k->arena, sizeof(*copy) + size);
	*copy = *sym;
	if (sym->name != SYMBOL_NAME_FOLLOWS)
		copy->name = SYMBOL_NAME_KEPT;
	memcpy(copy + 1, name, size);
	hash_table__insert(&k->by_start, hash__u64(copy->start), (u32)k->v.nr);
	array__add(&k->v, copy);
	return copy;
}

const struct symbol *kept_symbols__add(struct kept_symbols *k, u64 addr, const struct symtab *t,
				       const struct symbol *sym)
{
	if (sym)
		sym = kept_symbols__copy(k, t, sym);
	hash_table__insert(&k->by_addr, hash__u64(addr), (u32)k->answers.nr);
	array__add(&k->answers, ((struct kept_answer){ addr, sym }));
	return sym;
}
