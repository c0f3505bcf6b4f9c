#include "profile/places/survey.h"

#include "base/memory/hash.h"

#include <string.h>

enum {
	PAGE_SHIFT = 12,
	SEEN_PAGES = 1 << 10,
	/* pages to look up; binaries hit only in other pages are loaded on first use */
	HITS_MAX = 1 << 16,
	HITS_AT_ONCE = 1 << 12, /* spares_memory: addresses that are looked up together */
	/*
	 * The kernel's text, in stretches of about a function. With hits in more than STRETCHES_MANY,
	 * loading all symbols is faster than searching for each.
	 */
	STRETCH_SHIFT = 8,
	STRETCH_BITS = 1 << 15,
	STRETCHES_MANY = 800,
};

/* the addresses to look up in a large space */
struct space_points {
	struct maps *maps;
	ARRAY(u64) points;
	struct hash_table table;
};

struct hit { /* the first address seen in a page, or each one if memory is to be spared */
	const struct maps *maps;
	u32 version;
	bool is_caller;
	u64 ip;
};

struct survey {
	struct session *session;
	bool wants_dsos, spares_memory;
	unsigned lines;     /* enum dwarf_wants */
	unsigned hit_shift; /* addresses that differ in lower bits only are one hit */
	ARRAY(struct space_points) large;
	u32 *large_of_space; /* by space idx: position in large + 1; 0: not large, or not seen yet */
	struct {
		u32 space;
		u64 page;
	} seen[SEEN_PAGES]; /* space UINT32_MAX: free */
	ARRAY(struct hit) hits;
	bool *is_wanted;                /* by dso: it is in wants.dsos */
	struct hash_table by_place;     /* spares_memory: wants.places, each once */
	u8 stretches[STRETCH_BITS / 8]; /* kernel stretches seen, by hash */
	struct symbol_wants wants;      /* kernel_addrs: one address for each stretch */
};

static struct space_points *survey__points_of(struct survey *s, struct maps *maps)
{
	u32 *i = &s->large_of_space[maps->idx];

	if (!*i) {
		*array__push(&s->large) = (struct space_points){ .maps = maps };
		*i = (u32)s->large.nr;
	}
	return &s->large.v[*i - 1];
}

static void space_points__add(struct space_points *p, u64 ip)
{
	u64 hash = hash__u64(ip);
	u32 i;

	hash_table__for_each (&p->table, hash, i)
		if (p->points.v[i] == ip)
			return;
	hash_table__insert(&p->table, hash, (u32)p->points.nr);
	array__add(&p->points, ip);
}

static void survey__add_place(struct survey *s, struct dso *dso, u64 addr)
{
	array__add(&s->wants.places, ((struct dso_place){ dso, addr }));
}

static void survey__add_place_once(struct survey *s, struct dso *dso, u64 addr)
{
	u64 hash = hash__add(dso->idx, addr);
	u32 i;

	hash_table__for_each (&s->by_place, hash, i)
		if (s->wants.places.v[i].dso == dso && s->wants.places.v[i].addr == addr)
			return;
	hash_table__insert(&s->by_place, hash, (u32)s->wants.places.nr);
	survey__add_place(s, dso, addr);
}

/* Add the addresses that were hit to the wanted ones. */
static void survey__take_hits(struct survey *s)
{
	const struct dsos *dsos = &s->session->machine.dsos;

	for (size_t i = 0; i < s->hits.nr; i++) {
		const struct hit *hit = &s->hits.v[i];
		struct maps_span span;
		const struct map *map = maps__find_version(hit->maps, hit->ip, hit->version, &span);

		if (map && s->spares_memory)
			survey__add_place_once(s, dsos->v.v[map->dso], map__dso_addr(map, hit->ip));
		else if (map && s->lines)
			survey__add_place(s, dsos->v.v[map->dso], map__dso_addr(map, hit->ip));
		if (map && s->spares_memory && hit->is_caller) /* the call: see places__list_frames */
			survey__add_place_once(s, dsos->v.v[map->dso], map__dso_addr(map, hit->ip) - 1);
		if (!map || s->is_wanted[map->dso])
			continue;
		s->is_wanted[map->dso] = true;
		array__add(&s->wants.dsos, dsos->v.v[map->dso]);
	}
	s->hits.nr = 0;
}

static void survey__hit(struct survey *s, const struct maps *maps, u32 version, u64 ip, bool is_caller)
{
	u64 page = ip >> s->hit_shift | (u64)(s->spares_memory && is_caller) << 63;
	size_t i = (page ^ maps->idx * 37u) % SEEN_PAGES;

	if (s->seen[i].page == page && s->seen[i].space == maps->idx)
		return;
	s->seen[i].page = page;
	s->seen[i].space = maps->idx;
	if (s->spares_memory && s->hits.nr == HITS_AT_ONCE)
		survey__take_hits(s);
	if (s->hits.nr < HITS_MAX)
		array__add(&s->hits, ((struct hit){ maps, version, is_caller, ip }));
}

/*
 * Treat any word of a chain as an address. Marks and kernel addresses are in the upper half; words that are
 * not addresses do no harm.
 */
static void survey__add_points(struct survey *s, const struct row *row, struct maps *maps)
{
	struct space_points *p = survey__points_of(s, maps);

	if (row->key.cpumode == PERF_RECORD_MISC_USER)
		space_points__add(p, row->key.ip);
	for (u32 i = 0; i < row->key.nr_chain; i++)
		if (!addr__is_kernel(row->chain[i]))
			space_points__add(p, row->chain[i]);
}

/* False for marks and for modules, which have their own symbol tables. */
static bool is_in_kernel_text(const struct survey *s, u64 ip)
{
	const struct kernel_maps *k = &s->session->machine.kernel;

	return k->has_text && ip >= k->text.start && ip < k->text.end;
}

static void survey__kernel_hit(struct survey *s, u64 ip)
{
	u64 bit = hash__u64(ip >> STRETCH_SHIFT) % STRETCH_BITS;
	u8 *byte = &s->stretches[bit / 8], mask = (u8)(1 << bit % 8);

	if (*byte & mask)
		return;
	*byte |= mask;
	if ((s->wants.kernel_addrs.nr <= STRETCHES_MANY || s->spares_memory) && is_in_kernel_text(s, ip))
		array__add(&s->wants.kernel_addrs, ip);
}

static void survey__dsos(struct survey *s, const struct row *row, const struct maps *maps)
{
	if (row->key.cpumode == PERF_RECORD_MISC_KERNEL)
		survey__kernel_hit(s, row->key.ip);
	else if (row->key.cpumode == PERF_RECORD_MISC_USER && maps)
		survey__hit(s, maps, row->key.space_version, row->key.ip, false);
	for (u32 i = 0; i < row->key.nr_chain; i++) {
		if (addr__is_kernel(row->chain[i]))
			survey__kernel_hit(s, row->chain[i]);
		else if (maps)
			survey__hit(s, maps, row->key.space_version, row->chain[i], true);
	}
}

static const struct maps *survey__maps_of(const struct survey *s, const struct row *row)
{
	const struct machine *machine = &s->session->machine;

	return row->key.space == ROW_NO_SPACE ? NULL : machine->spaces.v[row->key.space];
}

static void survey__row(struct survey *s, const struct row *row)
{
	const struct maps *maps = survey__maps_of(s, row);

	for (const struct maps *m = maps; m; m = m->parent)
		if (maps__is_large(m))
			survey__add_points(s, row, s->session->machine.spaces.v[m->idx]);
	if (s->wants_dsos && !s->spares_memory)
		survey__dsos(s, row, maps);
}

/* Hand the points to the maps, which own them from now on. */
static void survey__expect_points(struct survey *s)
{
	for (size_t i = 0; i < s->large.nr; i++) {
		struct space_points *p = &s->large.v[i];

		hash_table__exit(&p->table);
		if (p->points.nr)
			maps__expect(p->maps, p->points.v, (u32)p->points.nr);
	}
}

static int compare_dso_places(const void *x, const void *y)
{
	const struct dso_place *a = x, *b = y;

	if (a->dso != b->dso)
		return a->dso->idx < b->dso->idx ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void survey__load(struct survey *s, unsigned nr_threads)
{
	struct dso *kernel = symbolizer__searched_kernel(&s->session->symbolizer);

	if (kernel && s->wants.kernel_addrs.nr > STRETCHES_MANY && !s->spares_memory)
		array__add(&s->wants.dsos, kernel); /* first, because it takes longest */
	else if (s->wants.kernel_addrs.nr)
		s->wants.kernel = kernel;
	/* Sort: neighbours are searched in the same part of a file. */
	if (s->wants.kernel)
		qsort(s->wants.kernel_addrs.v, s->wants.kernel_addrs.nr, sizeof(*s->wants.kernel_addrs.v),
		      u64__compare);
	survey__take_hits(s);
	s->wants.lines = s->lines;
	if (s->wants.places.nr)
		qsort(s->wants.places.v, s->wants.places.nr, sizeof(*s->wants.places.v), compare_dso_places);
	symbolizer__load_all(&s->session->symbolizer, &s->wants, nr_threads);
}

static bool machine__has_large_space(const struct machine *m)
{
	for (size_t i = 0; i < m->spaces.nr; i++)
		if (maps__is_large(m->spaces.v[i]))
			return true;
	return false;
}

void survey__rows(struct session *session, const struct row_table *rows, unsigned lines, unsigned nr_threads)
{
	const struct machine *m = &session->machine;
	bool spares_memory = session->symbolizer.opts.spares_memory;
	bool wants_dsos = nr_threads > 1 || spares_memory;
	struct survey *s;

	if (!wants_dsos && !machine__has_large_space(m))
		return;
	s = xcalloc(1, sizeof(*s));
	s->session = session;
	s->wants_dsos = wants_dsos;
	s->spares_memory = spares_memory;
	s->lines = lines;
	s->hit_shift = spares_memory ? 0 : PAGE_SHIFT;
	s->large_of_space = xcalloc(m->spaces.nr + 1, sizeof(*s->large_of_space));
	s->is_wanted = xcalloc(m->dsos.v.nr, sizeof(*s->is_wanted));
	memset(s->seen, 0xff, sizeof(s->seen));
	for (size_t i = 0; i < rows->rows.nr; i++)
		survey__row(s, row_table__get(rows, i));
	survey__expect_points(s);
	for (size_t i = 0; s->spares_memory && i < rows->rows.nr; i++) {
		const struct row *row = row_table__get(rows, i);

		survey__dsos(s, row, survey__maps_of(s, row));
	}
	if (s->wants_dsos)
		survey__load(s, nr_threads);
	array__exit(&s->large);
	array__exit(&s->hits);
	hash_table__exit(&s->by_place);
	array__exit(&s->wants.dsos);
	array__exit(&s->wants.kernel_addrs);
	array__exit(&s->wants.places);
	free(s->large_of_space);
	free(s->is_wanted);
	free(s);
}
