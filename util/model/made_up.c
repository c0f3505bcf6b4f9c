#include "model/made_up.h"

#include "base/text/strbuf.h"

#include <string.h>

struct made_up *made_up__new(struct borders *borders)
{
	struct made_up *m = xcalloc(1, sizeof(*m));

	m->borders = borders;
	return m;
}

void made_up__delete(struct made_up *m)
{
	if (!m)
		return;
	borders__delete(m->borders);
	arena__exit(&m->arena);
	array__exit(&m->v);
	hash_table__exit(&m->by_start);
	free(m);
}

static const struct symbol *made_up__add(struct made_up *m, const struct code_range *range,
					 const char *binary)
{
	unsigned long long vaddr = range->start + range->bias;
	char *name = range->name ? xstrdup(range->name) : xasprintf("%s@%#llx", binary, vaddr);
	struct symbol *sym = arena__alloc(&m->arena, sizeof(*sym) + strlen(name) + 1);

	*sym = (struct symbol){ .start = range->start,
				.size = MIN(range->end - range->start, (u64)SYMBOL_SIZE_MAX) &
					SYMBOL_SIZE_MAX,
				.name = SYMBOL_NAME_FOLLOWS,
				.is_made_up = !range->name };
	memcpy(sym + 1, name, strlen(name) + 1);
	free(name);
	hash_table__insert(&m->by_start, hash__u64(range->start), (u32)m->v.nr);
	array__add(&m->v, sym);
	return sym;
}

const struct symbol *made_up__find(struct made_up *m, const struct symtab *t, const struct symbol *sym,
				   const char *binary, u64 addr)
{
	struct code_range range;
	u64 start;
	u32 i;

	if (!m->borders || !borders__find(m->borders, addr, &range))
		return sym;
	start = range.start;
	symtab__narrow(t, sym, addr, &range.start, &range.end);
	if (range.start != start)
		range.name = NULL; /* the code after a symbol inside of main */
	if (sym && range.start == sym->start)
		return sym;
	hash_table__for_each (&m->by_start, hash__u64(range.start), i)
		if (m->v.v[i]->start == range.start)
			return m->v.v[i];
	return made_up__add(m, &range, binary);
}
