#include "profile/places.h"

#include "base/hash.h"

#include <string.h>

void places__init(struct places *p, struct session *s, const struct places_opts *opts)
{
	*p = (struct places){ .session = s, .opts = *opts };
}

void places__exit(struct places *p)
{
	for (size_t i = 0; i < p->v.nr; i++)
		free(p->v.v[i].name);
	array__exit(&p->v);
	array__exit(&p->locations);
	array__exit(&p->spaces);
	hash_table__exit(&p->by_place);
	hash_table__exit(&p->by_address);
	hash_table__exit(&p->by_space);
}

static bool row__in_space(const struct row *row, const struct space_state *s)
{
	return row->key.space_version == s->version && row->key.kernel_version == s->kernel_version &&
	       (s->maps ? row->key.space == s->maps->idx : row->key.space == ROW_NO_SPACE);
}

u32 places__space(struct places *p, const struct row *row)
{
	const struct machine *m = &p->session->machine;
	u64 hash = hash__add(hash__u64((u64)row->key.space << 32 | row->key.space_version), row->key.kernel_version);
	struct space_state *s;
	u32 i;

	if (p->spaces.nr && row__in_space(row, &p->spaces.v[p->last_space]))
		return p->last_space;
	hash_table__for_each(&p->by_space, hash, i)
		if (row__in_space(row, &p->spaces.v[i]))
			return p->last_space = i;
	p->last_space = (u32)p->spaces.nr;
	hash_table__insert(&p->by_space, hash, p->last_space);
	s = array__push(&p->spaces);
	*s = (struct space_state){ .version = row->key.space_version, .kernel_version = row->key.kernel_version,
				   .rank = row->rank };
	if (row->key.space != ROW_NO_SPACE)
		s->maps = m->spaces.v[row->key.space];
	return p->last_space;
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

static struct location places__resolve(struct places *p, u32 space, u8 cpumode, u64 ip)
{
	struct session *s = p->session;
	const struct space_state *state = &p->spaces.v[space];
	struct location loc = { .ip = ip, .space = space << 3 | cpumode };
	struct dso_addr addr;
	struct place place;
	struct dso *dso;

	place = (struct place){ .mapped = machine__resolve(&s->machine, state->maps, state->rank, cpumode, ip, &addr) };
	dso = s->machine.dsos.v.v[addr.dso];
	if (place.mapped)
		place.sym = symbolizer__find(&s->symbolizer, dso, addr.addr);
	else if (cpumode == PERF_RECORD_MISC_KERNEL)
		place.mapped = (place.sym = symbolizer__find_kernel(&s->symbolizer, ip, &dso)) != NULL;
	place.dso = place.sym ? dso->idx : addr.dso;
	place.dso_name = dso->short_name;
	place.level = is_kernel(dso) ? 'k' : '.';
	place.ip = place.sym ? 0 : addr.addr;
	loc.leaf = places__intern(p, &place);
	place.ip = place.sym && !p->opts.by_address ? 0 : ip;
	loc.caller = places__intern(p, &place);
	return loc;
}

const struct location *places__locate(struct places *p, u32 space, u8 cpumode, u64 ip)
{
	u32 key = space << 3 | cpumode, i;
	u64 hash = hash__add(ip, key);
	struct location loc;

	hash_table__for_each(&p->by_address, hash, i)
		if (p->locations.v[i].ip == ip && p->locations.v[i].space == key)
			return &p->locations.v[i];
	loc = places__resolve(p, space, cpumode, ip);
	hash_table__insert(&p->by_address, hash, (u32)p->locations.nr);
	array__add(&p->locations, loc);
	return &p->locations.v[p->locations.nr - 1];
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
