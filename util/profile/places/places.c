#include "profile/places/places_private.h"

#include "base/memory/hash.h"
#include "binary/symbols/jitdump.h"
#include "profile/waits/wait_kinds.h"

#include <string.h>

enum { LOCATION_SLOTS_MIN = 1 << 10, LOCATIONS_MANY = 1 << 13 };
#define CALLER_ALONE UINT32_MAX /* code_places.frames */

void places__init(struct places *p, struct session *s, const struct places_opts *opts)
{
	*p = (struct places){
		.session = s, .opts = *opts, .locations_mask = LOCATION_SLOTS_MIN - 1, .scratch = STRBUF_INIT
	};
	strpool__init(&p->texts);
	array__add(&p->frames, 0); /* list 0 means "no list yet" */
	p->locations = xcalloc_table(LOCATION_SLOTS_MIN, sizeof(*p->locations));
	p->recent = xcalloc(RECENT_FRAMES, sizeof(*p->recent));
}

void places__forget_addresses(struct places *p)
{
	memset(p->locations, 0, (p->locations_mask + 1) * sizeof(*p->locations));
	memset(p->recent, 0, RECENT_FRAMES * sizeof(*p->recent));
	p->nr_locations = p->codes.nr = 0;
	hash_table__exit(&p->by_code);
	p->frames.nr = 1; /* only codes refer to lists */
}

void places__spare_memory(struct places *p)
{
	if (p->nr_locations > LOCATIONS_MANY && p->session->symbolizer.opts.spares_memory)
		places__forget_addresses(p);
}

void places__exit(struct places *p)
{
	for (size_t i = 0; i < p->v.nr; i++)
		free(p->v.v[i].name);
	array__exit(&p->v);
	hash_table__exit(&p->by_place);
	array__exit(&p->codes);
	hash_table__exit(&p->by_code);
	free(p->locations);
	free(p->recent);
	p->locations = NULL;
	p->recent = NULL;
	hash_table__exit(&p->by_graph);
	hash_table__exit(&p->by_version);
	array__exit(&p->firsts);
	array__exit(&p->versioned);
	hash_table__exit(&p->by_raw_name);
	array__exit(&p->inlined_names);
	array__exit(&p->frames);
	strpool__exit(&p->texts);
	code_frames__exit(&p->found);
	strbuf__exit(&p->scratch);
}

struct row_space row_space__make(const struct machine *m, const struct row_key *key, u32 rank, u8 cpumode)
{
	struct row_space s = { .cpumode = cpumode, .key = cpumode };

	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		s.version = key->kernel_version;
		break;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		s.version = maps__version(&m->guest_kernel.maps, rank);
		break;
	case PERF_RECORD_MISC_USER:
		if (key->space == ROW_NO_SPACE)
			break;
		s.maps = m->spaces.v[key->space];
		s.version = key->space_version;
		s.key |= (key->space + 1) << 3;
		break;
	}
	return s;
}

struct row_space places__space(const struct places *p, const struct row *row, u8 cpumode)
{
	return row_space__make(&p->session->machine, &row->key, row->rank, cpumode);
}

static bool place__equals(const struct place *a, const struct place *b)
{
	return a->sym == b->sym && a->ip == b->ip && a->dso == b->dso && a->mapped == b->mapped &&
	       a->inlined == b->inlined && a->line == b->line && a->file == b->file &&
	       a->line_number == b->line_number && a->map_size == b->map_size && a->wait == b->wait &&
	       a->is_idle == b->is_idle;
}

/* Return the place without what call graphs do not distinguish. */
static struct place place__in_graphs(const struct place *place, enum graph_key key)
{
	struct place g = *place;

	if (key == GRAPH_BY_FUNCTION)
		g.line = g.file = 0;
	if (key != GRAPH_BY_ADDRESS && g.sym)
		g.ip = 0; /* opts.exact */
	if (g.inlined && key != GRAPH_BY_ADDRESS) {
		g.sym = NULL;
		g.dso = 0;
	}
	return g;
}

static u64 place__hash(const struct place *place)
{
	return hash__add(hash__add(hash__add(place->dso, place->ip), (u64)(uintptr_t)place->sym),
			 ((u64)place->inlined << 32 | place->line) ^ (u64)place->wait << 48);
}

static bool place__is_later(const struct place *a, const struct place *b)
{
	if (a->dso != b->dso || !a->sym || !b->sym)
		return a->dso > b->dso;
	return a->sym->start > b->sym->start;
}

/* Return the place that represents place i in call graphs: the first that is equal there. */
static u32 places__graph_place(struct places *p, u32 i)
{
	struct place wanted = place__in_graphs(&p->v.v[i], p->opts.graph_key);
	u64 hash = place__hash(&wanted);
	u32 k;

	hash_table__for_each (&p->by_graph, hash, k) {
		struct place g = place__in_graphs(&p->v.v[k], p->opts.graph_key);

		if (!place__equals(&g, &wanted))
			continue;
		if (place__is_later(&p->v.v[i], &p->v.v[p->v.v[k].last]))
			p->v.v[k].last = i;
		return k;
	}
	hash_table__insert(&p->by_graph, hash, i);
	return i;
}

u32 places__intern(struct places *p, const struct place *place)
{
	u64 hash = place__hash(place);
	u32 i;

	hash_table__for_each (&p->by_place, hash, i)
		if (place__equals(&p->v.v[i], place))
			return i;
	i = (u32)p->v.nr;
	hash_table__insert(&p->by_place, hash, i);
	array__add(&p->v, *place);
	p->v.v[i].last = p->v.v[i].row = i;
	p->v.v[i].graph = p->opts.inlines || p->opts.lines || p->opts.exact ? places__graph_place(p, i) : i;
	return i;
}

/* ---- versions of code ---- */

static u64 hash_of_name(const struct dso *dso, const char *name)
{
	return hash__bytes(name, strlen(name), dso->idx);
}

static const struct symbol *places__find_version(const struct places *p, const struct dso *dso,
						 const char *name)
{
	u32 i;

	hash_table__for_each (&p->by_version, hash_of_name(dso, name), i) {
		const struct first_version *f = &p->firsts.v[i];

		if (f->dso == dso->idx && !strcmp(symtab__name(&dso->symtab, f->sym), name))
			return f->sym;
	}
	return NULL;
}

/* Return the symbol that stands for all versions of a method, in a binary of the recorder's making. */
static const struct symbol *places__first_version(struct places *p, const struct dso *dso,
						  const struct symbol *sym)
{
	const struct symtab *t = &dso->symtab;
	const struct symbol *first;
	size_t i = 0;

	while (i < p->versioned.nr && p->versioned.v[i] != dso->idx)
		i++;
	if (i == p->versioned.nr) {
		array__add(&p->versioned, dso->idx);
		for (size_t k = 0; k < t->syms.nr; k++) {
			const char *name = symtab__name(t, &t->syms.v[k]);

			if (places__find_version(p, dso, name))
				continue;
			hash_table__insert(&p->by_version, hash_of_name(dso, name), (u32)p->firsts.nr);
			array__add(&p->firsts, ((struct first_version){ dso->idx, &t->syms.v[k] }));
		}
	}
	first = places__find_version(p, dso, symtab__name(t, sym));
	return first ? first : sym;
}

static bool dso__is_kernel(const struct dso *dso)
{
	return dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE || dso->kind == DSO_BPF;
}

static const struct map *places__map(const struct places *p, const struct row_space *space, u64 ip,
				     struct dso_addr *addr, struct maps_span *span)
{
	return machine__resolve_at(&p->session->machine, space->maps, space->version, space->cpumode, ip,
				   addr, span);
}

/* Return the place of an address that map (NULL: none) says to be at addr. */
static struct place places__of_map(struct places *p, const struct row_space *space, u64 ip,
				   const struct map *map, const struct dso_addr *addr)
{
	struct session *s = p->session;
	struct place place = { .ip = ip };
	struct dso *dso;

	place.mapped = map;
	if (map && p->opts.map_sizes)
		place.map_size = map->end - map->start;
	dso = s->machine.dsos.v.v[addr->dso];
	if (place.mapped)
		place.sym = symbolizer__find(&s->symbolizer, dso, addr->addr);
	else if (space->cpumode == PERF_RECORD_MISC_KERNEL)
		place.mapped = (place.sym = symbolizer__find_kernel(&s->symbolizer, ip, &dso)) != NULL;
	if (place.sym && dso->kind == DSO_JITDUMP && p->opts.joins_versions && dso->symtab.syms.nr > 1 &&
	    jitdump__is_made(dso__long_name(&s->machine.dsos, dso)))
		place.sym = places__first_version(p, dso, place.sym);
	/* All processes have one place for an address of a binary, although they map it at different ones. */
	if (place.mapped && !place.sym && !s->symbolizer.opts.no_made_up_names)
		place.ip = addr->addr;
	place.dso = place.sym ? dso->idx : addr->dso;
	place.dso_name = dso->short_name;
	place.level = dso__is_kernel(dso) ? 'k' : '.';
	return place;
}

struct place places__look_up(struct places *p, const struct row_space *space, u64 ip, struct dso_addr *addr,
			     struct maps_span *span)
{
	const struct map *map = places__map(p, space, ip, addr, span);

	return places__of_map(p, space, ip, map, addr);
}

u32 places__exact(struct places *p, const struct row_space *space, u64 ip)
{
	struct maps_span span;
	struct dso_addr at;
	struct place place = places__look_up(p, space, ip, &at, &span);

	if (place.mapped)
		place.ip = at.addr;
	return places__intern(p, &place);
}

/* Return the index of the code at an address of a dso if it was found before and is shared, or UINT32_MAX. */
static u32 places__find_code(const struct places *p, const struct dso_addr *addr)
{
	u32 i;

	hash_table__for_each (&p->by_code, hash__add(addr->dso, addr->addr), i)
		if (p->codes.v[i].dso == addr->dso && p->codes.v[i].addr == addr->addr)
			return i;
	return UINT32_MAX;
}

/* Find the places of a location's address. own: the index of codes to use if they are not shared. */
static u32 places__resolve(struct places *p, const struct row_space *space, struct location *loc, u32 own)
{
	struct code_places code = { 0 };
	struct dso_addr addr;
	const struct map *map = places__map(p, space, loc->ip, &addr, &loc->span);
	/* may they depend on the dso and its address alone? */
	bool may_share = map && p->opts.graph_key != GRAPH_BY_ADDRESS && !p->opts.map_sizes;
	u32 known = may_share ? places__find_code(p, &addr) : UINT32_MAX;
	struct place leaf, caller;

	if (known != UINT32_MAX)
		return known;
	leaf = caller = places__of_map(p, space, loc->ip, map, &addr);
	leaf.ip = leaf.sym && !p->opts.exact ? 0 : addr.addr;
	if (p->opts.lines)
		places__add_line(p, &leaf, addr.addr);
	code.leaf = places__intern(p, &leaf);
	if (caller.sym && p->opts.graph_key != GRAPH_BY_ADDRESS)
		caller.ip = 0;
	code.caller = places__intern(p, &caller);
	code.dso = addr.dso;
	code.addr = addr.addr;
	code.is_shared = may_share && leaf.sym;
	if (code.is_shared)
		hash_table__insert(&p->by_code, hash__add(addr.dso, addr.addr), own);
	if (own == p->codes.nr)
		array__add(&p->codes, code);
	else
		p->codes.v[own] = code;
	return own;
}

/* Return the slot of an address, used or free. */
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
	p->locations = xcalloc_table(nr * 2, sizeof(*p->locations));
	for (size_t i = 0; i < nr; i++)
		if (old[i].span.end)
			*places__slot(p, old[i].ip, old[i].key) = old[i];
	free(old);
}

static struct code_places *places__code(struct places *p, const struct row_space *space, u64 ip)
{
	struct location *loc = places__slot(p, ip, space->key);
	u32 own = (u32)p->codes.nr;

	if (loc->span.end && space->version >= loc->span.first && space->version < loc->span.end)
		return &p->codes.v[loc->code];
	if (loc->span.end && !p->codes.v[loc->code].is_shared)
		own = loc->code;
	if (!loc->span.end && ++p->nr_locations * 2 > p->locations_mask) {
		places__grow(p);
		loc = places__slot(p, ip, space->key);
	}
	loc->ip = ip;
	loc->key = space->key;
	loc->code = places__resolve(p, space, loc, own);
	return &p->codes.v[loc->code];
}

const struct code_places *places__locate(struct places *p, const struct row_space *space, u64 ip)
{
	return places__code(p, space, ip);
}

/*
 * May an address stand for several functions or have a line? If lines are not wanted, or addresses are only
 * noted, the binary must have debug information.
 */
static bool places__may_be_several(struct places *p, const struct code_places *code)
{
	const struct place *place = &p->v.v[code->caller];
	struct session *s = p->session;

	return (p->opts.lines && !p->opts.looked_up) || p->opts.exact ||
	       (p->opts.inlines && (place->sym || (p->opts.looked_up && place->mapped)) &&
		symbolizer__has_lines(&s->symbolizer, s->machine.dsos.v.v[place->dso]));
}

const u32 *places__frames(struct places *p, const struct row_space *space, u64 ip, bool is_call, u32 *nr)
{
	struct code_places *code = places__code(p, space, ip);
	u32 *list = &code->frames[is_call];
	const u32 *places = &code->caller;

	*nr = 1;
	if (!*list)
		*list = places__may_be_several(p, code) ? places__list_frames(p, space, ip, is_call)
							: CALLER_ALONE;
	if (*list != CALLER_ALONE) {
		*nr = p->frames.v[*list];
		places = &p->frames.v[*list + 1];
	}
	if (*nr == 1)
		*recent_frame__slot(p->recent, ip) =
			(struct recent_frame){ ip, space->key, space->version, *places, 1u + is_call };
	return places;
}

u32 places__symbol(struct places *p, const struct dso *dso, const struct symbol *sym)
{
	struct place place = { .sym = sym, .dso = dso->idx, .dso_name = dso->short_name, .mapped = true };

	place.level = dso__is_kernel(dso) ? 'k' : '.';
	return places__intern(p, &place);
}

u32 places__leaf(struct places *p, const struct row_space *space, u64 ip)
{
	const struct code_places *code = places__locate(p, space, ip);
	u32 nr;

	if (!p->opts.inline_rows || !p->v.v[code->leaf].sym)
		return code->leaf;
	return *places__frames(p, space, ip, false, &nr);
}

u32 places__waiting(struct places *p, u32 place, u8 kind, bool is_idle)
{
	struct place waiting = p->v.v[place];

	waiting.wait = kind;
	waiting.is_idle = is_idle;
	waiting.name = NULL;
	return places__intern(p, &waiting);
}

u32 places__stand_in(struct places *p, u8 kind)
{
	const struct row_space nowhere = { .cpumode = PERF_RECORD_MISC_USER };
	struct maps_span span;
	struct dso_addr at;
	struct place place = places__look_up(p, &nowhere, 0, &at, &span);

	place.wait = kind;
	return places__intern(p, &place);
}

const char *place__stand_in(const struct place *place)
{
	if (place->mapped || place->ip || place->sym)
		return NULL;
	return place->wait == WAIT_RUNNABLE       ? "[ready, not running]"
	       : place->wait == WAIT_NOT_SAMPLED  ? "[not sampled]"
	       : place->wait == WAIT_NOT_RECORDED ? "[not recorded]"
						  : NULL;
}

void place__add_mark(const struct place *place, struct strbuf *sb)
{
	if (place__stand_in(place))
		return;
	if (place->wait)
		strbuf__addf(sb, " (%s%s)", wait_kind__name(place->wait), place->is_idle ? ", idle" : "");
	else if (place->inlined)
		strbuf__addstr(sb, INLINED_MARK);
}

char *places__demangle(const struct places *p, const struct dso *dso, const char *raw)
{
	const struct symbolize_opts *opts = &p->session->symbolizer.opts;
	char *name = NULL;

	if (!opts->no_demangle && (opts->demangle_kernel || !dso__is_kernel(dso)))
		name = symbol__demangle(raw);
	return name ? name : xstrdup(raw);
}

const char *places__name(struct places *p, u32 id)
{
	struct place *place = &p->v.v[id];
	const struct dso *dso = p->session->machine.dsos.v.v[place->dso];
	const char *raw;

	if (!place->sym)
		return "";
	if (place->inlined)
		return places__text(p, place->inlined);
	if (place->name)
		return place->name;
	raw = symtab__name(&dso->symtab, place->sym);
	place->name = places__demangle(p, dso, raw);
	return place->name;
}
