#include "model/maps.h"

#include <string.h>

enum { MAPS_SCAN_MAX = 64 }; /* a space with no more maps is scanned, newest first: most are not asked twice */

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

/* An address where a map begins or ends: map i begins at edge 2 * i and ends at edge 2 * i + 1. */
struct edge {
	u64 addr;
	u32 which;
};

/* By address: a radix sort, two bytes at a time from the lowest, without those that all have in common. v or spare. */
static struct edge *sort_edges(struct edge *v, struct edge *spare, size_t nr)
{
	u32 *places = xreallocarray(NULL, 1 << 16, sizeof(*places));

	for (unsigned shift = 0; shift < 64; shift += 16) {
		struct edge *from = v;
		u32 sum = 0;

		memset(places, 0, (1 << 16) * sizeof(*places));
		for (size_t i = 0; i < nr; i++)
			places[v[i].addr >> shift & 0xffff]++;
		if (places[v[0].addr >> shift & 0xffff] == nr)
			continue;
		for (unsigned i = 0; i < 1 << 16; i++) {
			u32 n = places[i];

			places[i] = sum;
			sum += n;
		}
		for (size_t i = 0; i < nr; i++)
			spare[places[from[i].addr >> shift & 0xffff]++] = from[i];
		v = spare;
		spare = from;
	}
	free(places);
	return v;
}

/* The distinct edges are the bounds of slots. Returns the slot that each edge begins. */
static u32 *maps__make_slots(struct maps *m)
{
	size_t nr = m->v.nr * 2;
	struct edge *edges = xreallocarray(NULL, nr * 2, sizeof(*edges)), *sorted;
	u32 *slots = xreallocarray(NULL, nr, sizeof(*slots)), unique = 0;

	for (size_t i = 0; i < nr; i += 2) {
		edges[i] = (struct edge){ m->v.v[i / 2].start, (u32)i };
		edges[i + 1] = (struct edge){ m->v.v[i / 2].end, (u32)i + 1 };
	}
	sorted = sort_edges(edges, edges + nr, nr);
	m->bounds = xreallocarray(NULL, nr, sizeof(*m->bounds));
	for (size_t i = 0; i < nr; i++) {
		if (!unique || m->bounds[unique - 1] != sorted[i].addr)
			m->bounds[unique++] = sorted[i].addr;
		slots[sorted[i].which] = unique - 1;
	}
	m->nr_slots = unique;
	free(edges);
	return slots;
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
static void maps__file(struct maps *m, const u32 *slots, u32 *fill)
{
	for (u32 i = 0; i < m->v.nr; i++) {
		u32 l = slots[2 * i] + m->nr_slots, r = slots[2 * i + 1] + m->nr_slots;

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
	u32 *slots, *fill, nr_nodes, total = 0;

	if (m->v.nr <= MAPS_SCAN_MAX)
		return;
	slots = maps__make_slots(m);
	nr_nodes = m->nr_slots * 2;
	fill = xcalloc(nr_nodes, sizeof(*fill));
	maps__file(m, slots, fill);
	m->node_first = xreallocarray(NULL, nr_nodes + 1, sizeof(*m->node_first));
	for (u32 i = 0; i < nr_nodes; i++) {
		m->node_first[i] = total;
		total += fill[i];
		fill[i] = m->node_first[i];
	}
	m->node_first[nr_nodes] = total;
	m->node_maps = xreallocarray(NULL, total, sizeof(*m->node_maps));
	maps__file(m, slots, fill);
	free(fill);
	free(slots);
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
