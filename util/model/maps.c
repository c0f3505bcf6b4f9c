#include "model/maps.h"

#include <string.h>

enum { MAPS_SCAN_MAX = 12 }; /* a space with fewer maps is scanned, newest first */

void maps__exit(struct maps *m)
{
	array__exit(&m->v);
	free(m->bounds);
	free(m->node_first);
	free(m->node_maps);
	m->bounds = NULL;
	m->node_first = m->node_maps = NULL;
}

void maps__add(struct maps *m, const struct map *map)
{
	array__add(&m->v, *map);
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void maps__collect_bounds(struct maps *m)
{
	u64 *b = xreallocarray(NULL, m->v.nr * 2, sizeof(*b));
	size_t nr = 0, unique = 0;

	for (size_t i = 0; i < m->v.nr; i++) {
		b[nr++] = m->v.v[i].start;
		b[nr++] = m->v.v[i].end;
	}
	qsort(b, nr, sizeof(*b), compare_u64);
	for (size_t i = 0; i < nr; i++)
		if (!unique || b[unique - 1] != b[i])
			b[unique++] = b[i];
	m->bounds = b;
	m->nr_slots = (u32)unique;
}

/* The last slot whose bound is <= addr, or UINT32_MAX: slot i is [bounds[i], bounds[i + 1]). */
static u32 maps__slot(const struct maps *m, u64 addr)
{
	u32 lo = 0, hi = m->nr_slots;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (m->bounds[mid] <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : UINT32_MAX;
}

/*
 * Files every map under the O(log n) nodes that make up its slots (a bottom-up segment tree:
 * leaf of slot i is node nr_slots + i, parent of node k is k / 2). Called twice: to count
 * (node_maps NULL) and to fill. Maps are taken in rank order, so each node's list is in rank order.
 */
static void maps__file(struct maps *m, u32 *fill)
{
	for (u32 i = 0; i < m->v.nr; i++) {
		u32 l = maps__slot(m, m->v.v[i].start) + m->nr_slots;
		u32 r = maps__slot(m, m->v.v[i].end) + m->nr_slots;

		for (; l < r; l /= 2, r /= 2) {
			u32 nodes[2], nr = 0;

			if (l & 1)
				nodes[nr++] = l++;
			if (r & 1)
				nodes[nr++] = --r;
			for (u32 k = 0; k < nr; k++) {
				if (m->node_maps)
					m->node_maps[fill[nodes[k]]] = i;
				fill[nodes[k]]++;
			}
		}
	}
}

void maps__finish(struct maps *m)
{
	u32 *fill, nr_nodes, total = 0;

	if (m->v.nr <= MAPS_SCAN_MAX)
		return;
	maps__collect_bounds(m);
	nr_nodes = m->nr_slots * 2;
	fill = xcalloc(nr_nodes, sizeof(*fill));
	maps__file(m, fill);
	m->node_first = xreallocarray(NULL, nr_nodes + 1, sizeof(*m->node_first));
	for (u32 i = 0; i < nr_nodes; i++) {
		m->node_first[i] = total;
		total += fill[i];
		fill[i] = m->node_first[i];
	}
	m->node_first[nr_nodes] = total;
	m->node_maps = xreallocarray(NULL, total, sizeof(*m->node_maps));
	maps__file(m, fill);
	free(fill);
}

static const struct map *maps__scan(const struct maps *m, u64 addr, u32 rank)
{
	for (size_t i = m->v.nr; i-- > 0;) {
		const struct map *map = &m->v.v[i];

		if (addr >= map->start && addr < map->end && map->rank <= rank)
			return map;
	}
	return NULL;
}

/* The position behind the node's last map of rank <= rank, at least first. */
static u32 maps__node_upper(const struct maps *m, u32 first, u32 end, u32 rank)
{
	while (first < end) {
		u32 mid = first + (end - first) / 2;

		if (m->v.v[m->node_maps[mid]].rank <= rank)
			first = mid + 1;
		else
			end = mid;
	}
	return first;
}

static const struct map *maps__find_in_tree(const struct maps *m, u64 addr, u32 rank)
{
	u32 slot = maps__slot(m, addr), best = UINT32_MAX;

	if (slot == UINT32_MAX)
		return NULL;
	for (u32 node = slot + m->nr_slots; node; node /= 2) {
		u32 first = m->node_first[node], end = m->node_first[node + 1], i;

		if (first == end)
			continue;
		if (m->v.v[m->node_maps[end - 1]].rank > rank)
			end = maps__node_upper(m, first, end, rank);
		if (first == end)
			continue;
		i = m->node_maps[end - 1];
		if (best == UINT32_MAX || i > best)
			best = i;
	}
	return best == UINT32_MAX ? NULL : &m->v.v[best];
}

const struct map *maps__find(const struct maps *m, u64 addr, u32 rank)
{
	for (; m; rank = m->parent_rank, m = m->parent) {
		const struct map *map =
			m->bounds ? maps__find_in_tree(m, addr, rank) : maps__scan(m, addr, rank);

		if (map)
			return map;
		if (m->parent_end && rank >= m->parent_end)
			return NULL;
	}
	return NULL;
}

u32 maps__version(const struct maps *m, u32 rank)
{
	u32 lo = 0, hi = (u32)m->v.nr;

	if (!hi || m->v.v[hi - 1].rank <= rank)
		return hi;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (m->v.v[mid].rank <= rank)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
