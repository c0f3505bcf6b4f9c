#include "profile/places.h"

#include "base/hash.h"

#include <string.h>

enum { LOCATION_SLOTS_MIN = 1 << 10 };

void places__init(struct places *p, struct session *s, const struct places_opts *opts)
{
	*p = (struct places){ .session = s, .opts = *opts, .locations_mask = LOCATION_SLOTS_MIN - 1 };
	p->locations = xcalloc(LOCATION_SLOTS_MIN, sizeof(*p->locations));
}

void places__exit(struct places *p)
{
	for (size_t i = 0; i < p->v.nr; i++)
		free(p->v.v[i].name);
	array__exit(&p->v);
	hash_table__exit(&p->by_place);
	free(p->locations);
	p->locations = NULL;
}

struct row_space places__space(const struct places *p, const struct row *row, u8 cpumode)
{
	const struct machine *m = &p->session->machine;
	struct row_space s = { .cpumode = cpumode, .key = cpumode };

	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		s.version = row->key.kernel_version;
		break;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		s.version = maps__version(&m->guest_kernel.maps, row->rank);
		break;
	case PERF_RECORD_MISC_USER:
		if (row->key.space == ROW_NO_SPACE)
			break;
		s.maps = m->spaces.v[row->key.space];
		s.version = row->key.space_version;
		s.key |= (row->key.space + 1) << 3;
		break;
	}
	return s;
}

/* The id of an equal place, made if it is new. */
static u32 places__intern(struct places *p, const struct place *place)
{
	u64 hash = hash__add(hash__add(place->dso, place->ip), (u64)(uintptr_t)place->sym);
	u32 i;

	hash_table__for_each(&p->by_place, hash, i) {
		const struct place *o = &p->v.v[i];

		if (o->sym == place->sym && o->ip == place->ip && o->dso == place->dso && o->mapped == place->mapped)
			return i;
	}
	i = (u32)p->v.nr;
	hash_table__insert(&p->by_place, hash, i);
	array__add(&p->v, *place);
	return i;
}

static bool is_kernel(const struct dso *dso)
{
	return dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE || dso->kind == DSO_BPF;
}

static void places__resolve(struct places *p, const struct row_space *space, struct location *loc)
{
	struct session *s = p->session;
	struct dso_addr addr;
	struct place place;
	struct dso *dso;

	place = (struct place){ .mapped = machine__resolve_at(&s->machine, space->maps, space->version,
							      space->cpumode, loc->ip, &addr, &loc->span) };
	dso = s->machine.dsos.v.v[addr.dso];
	if (place.mapped)
		place.sym = symbolizer__find(&s->symbolizer, dso, addr.addr);
	else if (space->cpumode == PERF_RECORD_MISC_KERNEL)
		place.mapped = (place.sym = symbolizer__find_kernel(&s->symbolizer, loc->ip, &dso)) != NULL;
	place.dso = place.sym ? dso->idx : addr.dso;
	place.dso_name = dso->short_name;
	place.level = is_kernel(dso) ? 'k' : '.';
	place.ip = place.sym ? 0 : addr.addr;
	loc->leaf = places__intern(p, &place);
	place.ip = place.sym && !p->opts.by_address ? 0 : loc->ip;
	loc->caller = places__intern(p, &place);
}

/* The slot of an address, free or not. */
static struct location *places__slot(const struct places *p, u64 ip, u32 key)
{
	size_t pos = (size_t)hash__u64(ip ^ (u64)key << 40) & p->locations_mask;
	struct location *loc = &p->locations[pos];

	while (loc->span.end && (loc->ip != ip || loc->key != key)) {
		pos = (pos + 1) & p->locations_mask;
		loc = &p->locations[pos];
	}
	return loc;
}

static void places__grow(struct places *p)
{
	size_t nr = p->locations_mask + 1;
	struct location *old = p->locations;

	p->locations_mask = nr * 2 - 1;
	p->locations = xcalloc(nr * 2, sizeof(*p->locations));
	for (size_t i = 0; i < nr; i++)
		if (old[i].span.end)
			*places__slot(p, old[i].ip, old[i].key) = old[i];
	free(old);
}

const struct location *places__locate(struct places *p, const struct row_space *space, u64 ip)
{
	struct location *loc = places__slot(p, ip, space->key);

	if (loc->span.end && space->version >= loc->span.first && space->version < loc->span.end)
		return loc;
	if (!loc->span.end && ++p->nr_locations * 2 > p->locations_mask) {
		places__grow(p);
		loc = places__slot(p, ip, space->key);
	}
	loc->ip = ip;
	loc->key = space->key;
	places__resolve(p, space, loc);
	return loc;
}

const char *places__name(struct places *p, u32 id)
{
	struct place *place = &p->v.v[id];
	const struct dso *dso = p->session->machine.dsos.v.v[place->dso];
	const char *raw;

	if (!place->sym)
		return "";
	if (place->name)
		return place->name;
	raw = symtab__name(&dso->symtab, place->sym);
	if (!p->opts.no_demangle && (p->opts.demangle_kernel || !is_kernel(dso)))
		place->name = symbol__demangle(raw);
	if (!place->name)
		place->name = xstrdup(raw);
	return place->name;
}
