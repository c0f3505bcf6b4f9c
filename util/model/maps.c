#include "model/maps.h"

#include "model/maps_index.h"

enum { MAPS_SCAN_MAX = 64 }; /* smaller spaces need no tree: they are searched rarely */

void maps__exit(struct maps *m)
{
	maps_index__delete(m->of_points);
	maps_index__delete(m->of_edges);
	m->of_points = m->of_edges = NULL;
}

bool maps__is_large(const struct maps *m)
{
	return m->v.nr > MAPS_SCAN_MAX;
}

void maps__expect(struct maps *m, u64 *points, u32 nr_points)
{
	maps_index__delete(m->of_points);
	m->of_points = maps_index__new(m->v.v, (u32)m->v.nr, points, nr_points);
}

/* Two threads may build the tree at once; the second discards its copy. */
static const struct maps_index *maps__index_edges(const struct maps *m)
{
	struct maps_index **of_edges = &((struct maps *)m)->of_edges,
			  *old = __atomic_load_n(of_edges, __ATOMIC_ACQUIRE), *new;

	if (old)
		return old;
	new = maps_index__new_of_edges(m->v.v, (u32)m->v.nr);
	if (__atomic_compare_exchange_n(of_edges, &old, new, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return new;
	maps_index__delete(new);
	return old;
}

static u32 maps__last_by_index(const struct maps *m, u64 addr, u32 version, u32 *next)
{
	const struct maps_index *ix = m->of_points;
	u32 point = ix ? maps_index__point(ix, addr) : MAPS_INDEX_NONE;

	if (point == MAPS_INDEX_NONE || ix->points[point] != addr) {
		ix = maps__index_edges(m);
		point = maps_index__point(ix, addr);
	}
	*next = MAPS_INDEX_NONE;
	return point == MAPS_INDEX_NONE ? MAPS_INDEX_NONE : maps_index__last(ix, point, version, next);
}

static u32 maps__last_by_scan(const struct maps *m, u64 addr, u32 version, u32 *next)
{
	*next = MAPS_INDEX_NONE;
	for (u32 i = (u32)m->v.nr; i-- > 0;) {
		const struct map *map = m->v.v[i].map;

		if (addr < map->start || addr >= map->end)
			continue;
		if (i < version)
			return i;
		*next = i;
	}
	return MAPS_INDEX_NONE;
}

/* As maps__find, without the parents. */
static const struct map *maps__find_own(const struct maps *m, u64 addr, u32 version, struct maps_span *span)
{
	u32 next, i = maps__is_large(m) ? maps__last_by_index(m, addr, version, &next)
					: maps__last_by_scan(m, addr, version, &next);

	/* The map at position i is in force from version i + 1 on. */
	span->first = i == MAPS_INDEX_NONE ? 0 : i + 1;
	span->end = next == MAPS_INDEX_NONE ? UINT32_MAX : next + 1;
	return i == MAPS_INDEX_NONE ? NULL : m->v.v[i].map;
}

const struct map *maps__find_version(const struct maps *m, u64 addr, u32 version, struct maps_span *span)
{
	const struct map *map = maps__find_own(m, addr, version, span);
	struct maps_span of_parent;

	if (!map && m->parent_end) {
		if (version < m->parent_end)
			span->end = MIN(span->end, m->parent_end);
		else
			span->first = m->parent_end;
	}
	while (!map && m->parent && (!m->parent_end || version < m->parent_end)) {
		version = m->parent_version;
		m = m->parent;
		map = maps__find_own(m, addr, version, &of_parent);
	}
	return map;
}

const struct map *maps__find(const struct maps *m, u64 addr, u32 rank)
{
	struct maps_span span;

	return maps__find_version(m, addr, maps__version(m, rank), &span);
}

u32 maps__version_between(const struct maps *m, u32 rank, u32 lo, u32 hi)
{
	return bisect(i, lo, hi, m->v.v[i].rank <= rank);
}

u32 maps__version(const struct maps *m, u32 rank)
{
	u32 nr = (u32)m->v.nr;

	return nr && m->v.v[nr - 1].rank > rank ? maps__version_between(m, rank, 0, nr - 1) : nr;
}
