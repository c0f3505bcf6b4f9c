/*
 * Of several symbols at one address the one with a size wins over one without, then a strong one over a weak one, a
 * global over a local one, the one with fewer leading underscores, the longer name, and the first in
 * the table. Symbols without a size get the room up to the next symbol BEFORE that choice is made, so
 * that of several sizeless ones at an address the last of the table wins: what stock perf shows.
 */
#include "binary/symtab.h"

#include <string.h>

enum { SYMTAB_PAGE = 4096 };

void symtab__init(struct symtab *t)
{
	*t = (struct symtab){ .source = "none" };
}

void symtab__exit(struct symtab *t)
{
	array__exit(&t->syms);
	array__exit(&t->text);
	array__exit(&t->rank);
}

void symtab__add(struct symtab *t, u64 start, u64 size, const char *name, enum symbol_binding binding)
{
	symtab__addn(t, start, size, name, strlen(name), binding);
}

void symtab__addn(struct symtab *t, u64 start, u64 size, const char *name, size_t len, enum symbol_binding binding)
{
	struct symbol *s;

	if (t->text.nr + len + 1 > UINT32_MAX)
		return; /* 4 GiB of names: nonsense */
	s = array__push(&t->syms);
	s->start = start;
	s->size = (u32)MIN(size, (u64)UINT32_MAX);
	s->name = (u32)t->text.nr;
	array__reserve(&t->text, t->text.nr + len + 1);
	memcpy(t->text.v + t->text.nr, name, len);
	t->text.v[t->text.nr + len] = '\0';
	t->text.nr += len + 1;
	array__add(&t->rank, (u8)binding);
}

/* What is sorted: the start, and the place in the table so that equal starts keep their order. */
struct sort_entry {
	u64 start;
	u32 index;
};

static int compare_entries(const void *a, const void *b)
{
	const struct sort_entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

static void symtab__sort(struct symtab *t)
{
	size_t nr = t->syms.nr;
	struct sort_entry *order = xreallocarray(NULL, nr, sizeof(*order));
	struct symbol *syms = xreallocarray(NULL, nr, sizeof(*syms));
	u8 *rank = xreallocarray(NULL, nr, 1);
	bool sorted = true;

	for (size_t i = 0; i < nr; i++) {
		order[i] = (struct sort_entry){ t->syms.v[i].start, (u32)i };
		sorted = sorted && (!i || order[i - 1].start <= order[i].start);
	}
	if (!sorted)
		qsort(order, nr, sizeof(*order), compare_entries);
	for (size_t i = 0; i < nr; i++) {
		syms[i] = t->syms.v[order[i].index];
		rank[i] = t->rank.v[order[i].index];
	}
	free(order);
	free(t->syms.v);
	free(t->rank.v);
	t->syms.v = syms;
	t->rank.v = rank;
	t->syms.alloc = t->rank.alloc = nr;
}

static void symtab__fix_sizes(struct symtab *t)
{
	for (size_t i = 0; i < t->syms.nr; i++) {
		struct symbol *s = &t->syms.v[i];
		u64 end;

		if (s->size)
			continue;
		if (i + 1 < t->syms.nr)
			end = s[1].start;
		else
			end = ROUND_UP(MIN(s->start, UINT64_MAX - 2 * SYMTAB_PAGE), (u64)SYMTAB_PAGE) + SYMTAB_PAGE;
		s->size = (u32)MIN(end - s->start, (u64)UINT32_MAX);
	}
}

static int underscores(const char *name)
{
	return (int)strspn(name, "_");
}

/* Whether the symbol at index b is better than the one at a, which stands before it. */
static bool symtab__better(const struct symtab *t, size_t a, size_t b)
{
	const struct symbol *x = &t->syms.v[a], *y = &t->syms.v[b];
	const char *nx = symtab__name(t, x), *ny = symtab__name(t, y);
	size_t lx, ly;

	if (!x->size != !y->size)
		return !x->size;
	if ((t->rank.v[a] == SYMBOL_WEAK) != (t->rank.v[b] == SYMBOL_WEAK))
		return t->rank.v[a] == SYMBOL_WEAK;
	if ((t->rank.v[a] == SYMBOL_GLOBAL) != (t->rank.v[b] == SYMBOL_GLOBAL))
		return t->rank.v[b] == SYMBOL_GLOBAL;
	if (underscores(nx) != underscores(ny))
		return underscores(nx) > underscores(ny);
	lx = strlen(nx);
	ly = strlen(ny);
	if (lx != ly)
		return ly > lx;
	/* Of a system call's two names the one that is not SyS_..., compat_SyS_... */
	return !strncmp(nx, "SyS", 3) || !strncmp(nx, "compat_SyS", 10);
}

static void symtab__drop_duplicates(struct symtab *t)
{
	size_t best = 0, kept = 0;

	for (size_t i = 0; i <= t->syms.nr; i++) {
		if (i < t->syms.nr && t->syms.v[i].start == t->syms.v[best].start) {
			if (i != best && symtab__better(t, best, i))
				best = i;
			continue;
		}
		if (t->syms.nr)
			t->syms.v[kept++] = t->syms.v[best];
		best = i;
	}
	t->syms.nr = kept;
}

void symtab__finish(struct symtab *t)
{
	if (t->syms.nr) {
		symtab__sort(t);
		symtab__fix_sizes(t);
		symtab__drop_duplicates(t);
	}
	array__exit(&t->rank);
}

const struct symbol *symtab__find(const struct symtab *t, u64 addr)
{
	size_t lo = 0, hi = t->syms.nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->syms.v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr - t->syms.v[lo - 1].start >= t->syms.v[lo - 1].size)
		return NULL;
	return &t->syms.v[lo - 1];
}
