/*
 * Only one of several symbols at one address is kept: the one with a size, then a strong one over a weak one,
 * a global over a local one, the one with fewer leading underscores, the longer name, and the first in the
 * table. Symbols without a size get the bytes up to the next symbol BEFORE that choice, so of several without
 * a size at one address the last wins, as in stock perf. In stock perf it may win over one with a size, too,
 * such as OCaml's code_begin. Stock perf compares names as it shows them, so names of programs are compared
 * demangled.
 *
 * Stock perf's result for overlapping symbols depends on the shape of its search tree. Here the symbol that
 * starts last of those that contain the address wins.
 */
#include "binary/symbols/symtab.h"

#include "base/memory/reserve.h"
#include "base/message/bug.h"

#include <string.h>

enum {
	SYMTAB_PAGE = 4096,
	LONG_NAMES = 64 << 10, /* bytes of long names that have room in any table */
	TEXT_ROOM = 64 << 10,  /* bytes for names added later, of PLT stubs */
	OUTER_MAX = 64,        /* how many nested symbols a lookup checks */
};

static const u32 no_outer = UINT32_MAX;

void symtab__init(struct symtab *t)
{
	*t = (struct symtab){ .source = "none", .long_names = UINT64_MAX };
}

void symtab__limit_names(struct symtab *t, u64 bytes)
{
	u64 more = 2 * MIN(bytes, (u64)SYMBOL_NAME_KEPT);

	t->long_names = (t->long_names == UINT64_MAX ? LONG_NAMES : t->long_names) + more;
}

const char *symtab__name_within(struct symtab *t, const char *name)
{
	const char *kept = name__within(name, &t->long_names);

	t->has_cut_names |= kept != name;
	return kept;
}

void symtab__exit(struct symtab *t)
{
	array__exit(&t->syms);
	array__exit(&t->text);
	array__exit(&t->rank);
	array__exit(&t->outer);
}

void symtab__expect(struct symtab *t, size_t nr, size_t text)
{
	if (t->syms.alloc || !nr || nr > UINT32_MAX)
		return;
	t->syms.v = xmalloc_large(nr * sizeof(*t->syms.v));
	t->syms.alloc = nr;
	if (!t->text.alloc && text) {
		t->text.v = xmalloc_large(text);
		t->text.alloc = text;
	}
	array__reserve(&t->rank, nr);
}

void symtab__add(struct symtab *t, u64 start, u64 size, const char *name, enum symbol_binding binding)
{
	symtab__addn(t, start, size, name, strlen(name), binding);
}

void symtab__add_at(struct symtab *t, u64 start, u64 size, u32 name, enum symbol_binding binding)
{
	array__add(&t->syms, ((struct symbol){ .start = start,
					       .size = MIN(size, (u64)SYMBOL_SIZE_MAX) & SYMBOL_SIZE_MAX,
					       .name = name & SYMBOL_NAME_FOLLOWS }));
	array__add(&t->rank, (u8)binding);
}

void symtab__addn(struct symtab *t, u64 start, u64 size, const char *name, size_t len,
		  enum symbol_binding binding)
{
	u32 at = (u32)t->text.nr;

	if (t->text.nr + len + 1 > SYMBOL_NAME_KEPT)
		return; /* over 2 GiB of names: damaged */
	array__reserve(&t->text, t->text.nr + len + 1);
	memcpy(t->text.v + t->text.nr, name, len);
	t->text.v[t->text.nr + len] = '\0';
	t->text.nr += len + 1;
	symtab__add_at(t, start, size, at, binding);
}

char *symtab__take_text(struct symtab *t, size_t size)
{
	size_t room = size + TEXT_ROOM;

	if (t->text.nr || size > SYMBOL_NAME_KEPT - TEXT_ROOM)
		return NULL;
	array__exit(&t->text);
	t->text.v = xmalloc_large(room);
	t->text.alloc = room;
	t->text.nr = size + 1;
	t->text.v[size] = '\0';
	return t->text.v;
}

/* The symbols with their ranks; sort_symbols needs a second one. */
struct sort_buffer {
	struct symbol *syms;
	u8 *rank;
};

static void swap_buffers(struct sort_buffer *a, struct sort_buffer *b)
{
	struct sort_buffer was = *a;

	*a = *b;
	*b = was;
}

/*
 * Sort by start, keeping the order of equal ones: a radix sort from the lowest byte up that skips bytes
 * equal in all symbols. The result is in v.
 */
static void sort_symbols(struct sort_buffer *v, struct sort_buffer *spare, size_t nr)
{
	size_t count[sizeof(u64)][256] = { 0 };

	for (size_t i = 0; i < nr; i++)
		for (unsigned byte = 0; byte < sizeof(u64); byte++)
			count[byte][v->syms[i].start >> (8 * byte) & 0xff]++;
	for (unsigned byte = 0; byte < sizeof(u64); byte++) {
		size_t *place = count[byte], sum = 0;

		if (place[v->syms[0].start >> (8 * byte) & 0xff] == nr)
			continue;
		for (unsigned i = 0; i < 256; i++) {
			size_t n = place[i];

			place[i] = sum;
			sum += n;
		}
		for (size_t i = 0; i < nr; i++) {
			size_t to = place[v->syms[i].start >> (8 * byte) & 0xff]++;

			spare->syms[to] = v->syms[i];
			spare->rank[to] = v->rank[i];
		}
		swap_buffers(v, spare);
	}
}

static bool symtab__is_sorted(const struct symtab *t)
{
	for (size_t i = 1; i < t->syms.nr; i++)
		if (t->syms.v[i - 1].start > t->syms.v[i].start)
			return false;
	return true;
}

static void symtab__sort(struct symtab *t)
{
	struct sort_buffer v = { t->syms.v, t->rank.v }, spare;
	size_t nr = t->syms.nr;

	if (symtab__is_sorted(t))
		return;
	spare = (struct sort_buffer){ xmalloc_large(nr * sizeof(*spare.syms)), xmalloc(nr) };
	sort_symbols(&v, &spare, nr);
	free(spare.syms);
	free(spare.rank);
	if (v.syms != t->syms.v)
		t->syms.alloc = t->rank.alloc = nr;
	t->syms.v = v.syms;
	t->rank.v = v.rank;
}

u32 symtab__last_size(u64 start)
{
	u64 end = ROUND_UP(MIN(start, UINT64_MAX - 2 * SYMTAB_PAGE), (u64)SYMTAB_PAGE) + SYMTAB_PAGE;

	return (u32)(end - start);
}

static void symtab__fix_sizes(struct symtab *t)
{
	for (size_t i = 0; i < t->syms.nr; i++) {
		struct symbol *s = &t->syms.v[i];

		if (s->size)
			continue;
		s->is_extended = true;
		s->size = SYMBOL_SIZE_MAX &
			  (i + 1 < t->syms.nr ? (u32)MIN(s[1].start - s->start, (u64)SYMBOL_SIZE_MAX)
					      : symtab__last_size(s->start));
	}
}

static int underscores(const char *name)
{
	return (int)strspn(name, "_");
}

/* Is y a better name than x for the same address? */
static bool is_better_name(const char *x, const char *y)
{
	size_t lx, ly;

	if (underscores(x) != underscores(y))
		return underscores(x) > underscores(y);
	lx = strlen(x);
	ly = strlen(y);
	if (lx != ly)
		return ly > lx;
	/* Prefer the name of a system call that is not SyS_... or compat_SyS_... */
	return !strncmp(x, "SyS", 3) || !strncmp(x, "compat_SyS", 10);
}

/*
 * Are the names equal when demangled? True for equal names, and for mangled ones that differ only in the
 * kind of a constructor or destructor ("C1", "C2").
 */
static bool are_variants(const char *x, const char *y)
{
	size_t i = 0;

	while (x[i] && x[i] == y[i])
		i++;
	if (x[i] == y[i])
		return true;
	return i > 2 && x[i] >= '0' && x[i] <= '9' && y[i] >= '0' && y[i] <= '9' &&
	       (x[i - 1] == 'C' || x[i - 1] == 'D') && !strcmp(x + i + 1, y + i + 1);
}

static bool is_better_demangled(const char *x, const char *y)
{
	char *dx, *dy;
	bool better;

	if (are_variants(x, y))
		return false;
	dx = symbol__demangle(x);
	dy = symbol__demangle(y);
	better = is_better_name(dx ? dx : x, dy ? dy : y);
	free(dx);
	free(dy);
	return better;
}

/* Is the symbol at index b better than the one at a, which comes first? */
static bool symtab__better(const struct symtab *t, size_t a, size_t b)
{
	const struct symbol *x = &t->syms.v[a], *y = &t->syms.v[b];
	const char *nx = symtab__name(t, x), *ny = symtab__name(t, y);

	if (!x->size != !y->size)
		return !x->size;
	if (x->is_extended != y->is_extended)
		return x->is_extended;
	if ((t->rank.v[a] == SYMBOL_WEAK) != (t->rank.v[b] == SYMBOL_WEAK))
		return t->rank.v[a] == SYMBOL_WEAK;
	if ((t->rank.v[a] == SYMBOL_GLOBAL) != (t->rank.v[b] == SYMBOL_GLOBAL))
		return t->rank.v[b] == SYMBOL_GLOBAL;
	return t->demangled ? is_better_demangled(nx, ny) : is_better_name(nx, ny);
}

static int compare_starts(const void *a, const void *b)
{
	const struct symtab_start *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void symtab__find_starts(const struct symtab *t, struct symtab_start *v, size_t nr)
{
	for (size_t k = 0; k < nr; k++)
		v[k].best = UINT32_MAX;
	for (u32 i = 0; i < t->syms.nr && nr; i++) {
		const struct symtab_start key = { .addr = t->syms.v[i].start };
		struct symtab_start *start = bsearch(&key, v, nr, sizeof(*v), compare_starts);

		if (start && (start->best == UINT32_MAX || symtab__better(t, start->best, i)))
			start->best = i;
	}
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

/* Store the nearest symbol before i that ends after it. The symbols before i have theirs already. */
static void symtab__link_outer(struct symtab *t, size_t i)
{
	const struct symbol *v = t->syms.v;
	u32 o = i ? (u32)i - 1 : no_outer;

	while (o != no_outer &&
	       (v[i].start - v[o].start >= v[o].size || v[o].size - (v[i].start - v[o].start) <= v[i].size))
		o = t->outer.v[o];
	t->outer.v[i] = o;
}

static void symtab__find_outer(struct symtab *t)
{
	const struct symbol *v = t->syms.v;
	bool any = false;

	for (size_t i = 1; i < t->syms.nr && !any; i++)
		any = v[i - 1].size > v[i].start - v[i - 1].start;
	if (!any)
		return;
	array__reserve(&t->outer, t->syms.nr);
	t->outer.nr = t->syms.nr;
	for (size_t i = 0; i < t->syms.nr; i++)
		symtab__link_outer(t, i);
}

/*
 * Is addr inside one of the first nr symbols that was added after the symbol with that name? Names are in
 * the order in which symbols were added.
 */
static bool symtab__is_overwritten(const struct symtab *t, size_t nr, u64 addr, u32 name)
{
	u32 i = nr ? (u32)nr - 1 : no_outer;

	for (unsigned depth = 0; i != no_outer && depth < OUTER_MAX; depth++, i = t->outer.v[i])
		if (addr - t->syms.v[i].start < t->syms.v[i].size && t->syms.v[i].name > name)
			return true;
	return false;
}

static void symtab__drop_overwritten(struct symtab *t)
{
	size_t kept = 0;

	array__reserve(&t->outer, t->syms.nr);
	for (size_t i = 0; i < t->syms.nr; i++) {
		struct symbol s = t->syms.v[i];

		if (kept && t->syms.v[kept - 1].start == s.start)
			kept--;
		else if (symtab__is_overwritten(t, kept, s.start, s.name))
			continue;
		t->syms.v[kept] = s;
		symtab__link_outer(t, kept++);
	}
	t->syms.nr = t->outer.nr = kept;
}

void symtab__finish(struct symtab *t)
{
	if (BUG_UNLESS(t->rank.nr == t->syms.nr, "%zu of %zu symbols have a rank: finished twice?",
		       t->rank.nr, t->syms.nr))
		return;
	if (t->syms.nr) {
		symtab__sort(t);
		symtab__fix_sizes(t);
		symtab__drop_duplicates(t);
		symtab__find_outer(t);
	}
	array__exit(&t->rank);
}

void symtab__finish_by_age(struct symtab *t)
{
	if (BUG_UNLESS(t->rank.nr == t->syms.nr, "%zu of %zu symbols have a rank: finished twice?",
		       t->rank.nr, t->syms.nr))
		return;
	if (t->syms.nr) {
		symtab__sort(t);
		symtab__fix_sizes(t);
		symtab__drop_overwritten(t);
	}
	array__exit(&t->rank);
}

const struct symbol *symtab__find(const struct symtab *t, u64 addr)
{
	size_t lo = bisect(i, 0, t->syms.nr, t->syms.v[i].start <= addr);

	for (unsigned depth = 0; lo && depth < OUTER_MAX; depth++) {
		const struct symbol *s = &t->syms.v[lo - 1];

		if (addr - s->start < s->size)
			return s;
		lo = t->outer.nr && t->outer.v[lo - 1] != no_outer ? t->outer.v[lo - 1] + 1 : 0;
	}
	return NULL;
}

void symtab__narrow(const struct symtab *t, const struct symbol *sym, u64 addr, u64 *start, u64 *end)
{
	size_t after = bisect(i, (size_t)0, t->syms.nr, t->syms.v[i].start <= addr);

	if (after < t->syms.nr)
		*end = MIN(*end, t->syms.v[after].start);
	if (sym) {
		*start = MAX(*start, sym->start);
	} else if (after) {
		u64 before = t->syms.v[after - 1].start + t->syms.v[after - 1].size;

		if (before <= addr)
			*start = MAX(*start, before);
	}
}
