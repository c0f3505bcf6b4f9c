#include "model/maps_index.h"

#include "base/memory/array.h"

#include <string.h>

enum { RADIX_SORT_MIN = 4096 }; /* smaller arrays are sorted faster by comparing */

/* Sort by two bytes at a time, lowest first; skip bytes that all keys share. */
static void radix_sort(u64 *v, size_t nr)
{
	u32 *places = xreallocarray(NULL, 1 << 16, sizeof(*places));
	u64 *spare = xreallocarray(NULL, nr, sizeof(*spare)), *from = v, *to = spare;

	for (unsigned shift = 0; shift < 64; shift += 16) {
		u64 *was_from = from;
		u32 sum = 0;

		memset(places, 0, (1 << 16) * sizeof(*places));
		for (size_t i = 0; i < nr; i++)
			places[from[i] >> shift & 0xffff]++;
		if (places[from[0] >> shift & 0xffff] == nr)
			continue;
		for (unsigned i = 0; i < 1 << 16; i++) {
			u32 n = places[i];

			places[i] = sum;
			sum += n;
		}
		for (size_t i = 0; i < nr; i++)
			to[places[from[i] >> shift & 0xffff]++] = from[i];
		from = to;
		to = was_from;
	}
	if (from != v)
		memcpy(v, from, nr * sizeof(*v));
	free(spare);
	free(places);
}

/* Sort, and remove duplicates. Return how many are left. */
static u32 sort_points(u64 *v, u32 nr)
{
	u32 unique = 1;

	if (nr < RADIX_SORT_MIN)
		qsort(v, nr, sizeof(*v), u64__compare);
	else
		radix_sort(v, nr);
	for (u32 i = 1; i < nr; i++)
		if (v[i] != v[unique - 1])
			v[unique++] = v[i];
	return unique;
}

/* Return how many points are below addr. */
static u32 maps_index__nr_below(const struct maps_index *ix, u64 addr)
{
	return bisect(i, 0, ix->nr_points, ix->points[i] < addr);
}

struct covered { /* points [first, end) are inside the map */
	u32 map, first, end;
};

/* Most maps of a process that maps and unmaps all the time are between the same points as the map before. */
static struct covered *maps_index__cover(const struct maps_index *ix, const struct map_since *maps,
					 u32 nr_maps, u32 *nr)
{
	ARRAY(struct covered) v = { 0 };
	u64 gap_start = 0, gap_end = 0; /* no point in [gap_start, gap_end) */

	for (u32 i = 0; i < nr_maps; i++) {
		const struct map *map = maps[i].map;
		struct covered c = { .map = i };

		if (map->start >= gap_start && map->end <= gap_end)
			continue;
		c.first = maps_index__nr_below(ix, map->start);
		if (c.first < ix->nr_points && ix->points[c.first] < map->end) {
			c.end = maps_index__nr_below(ix, map->end);
			array__add(&v, c);
			continue;
		}
		gap_start = c.first ? ix->points[c.first - 1] + 1 : 0;
		gap_end = c.first < ix->nr_points ? ix->points[c.first] : UINT64_MAX;
	}
	*nr = (u32)v.nr;
	return v.v;
}

/* Called twice: first to count (node_maps NULL), then to fill. The parent of node k is k / 2. */
static void maps_index__file(struct maps_index *ix, const struct covered *v, u32 nr, u32 *fill)
{
	for (u32 i = 0; i < nr; i++) {
		u32 l = v[i].first + ix->nr_points, r = v[i].end + ix->nr_points;

		for (; l < r; l /= 2, r /= 2) {
			u32 nodes[2], nr_nodes = 0;

			if (l & 1)
				nodes[nr_nodes++] = l++;
			if (r & 1)
				nodes[nr_nodes++] = --r;
			for (u32 k = 0; k < nr_nodes; k++) {
				if (ix->node_maps)
					ix->node_maps[fill[nodes[k]]] = v[i].map;
				fill[nodes[k]]++;
			}
		}
	}
}

struct maps_index *maps_index__new(const struct map_since *maps, u32 nr_maps, u64 *points, u32 nr_points)
{
	struct maps_index *ix = xcalloc(1, sizeof(*ix));
	u32 nr_nodes, nr_covered, total = 0, *fill;
	struct covered *covered;

	ix->points = points;
	ix->nr_points = sort_points(points, nr_points);
	nr_nodes = ix->nr_points * 2;
	covered = maps_index__cover(ix, maps, nr_maps, &nr_covered);
	fill = xcalloc(nr_nodes, sizeof(*fill));
	maps_index__file(ix, covered, nr_covered, fill);
	ix->node_first = xreallocarray(NULL, nr_nodes + 1, sizeof(*ix->node_first));
	for (u32 i = 0; i < nr_nodes; i++) {
		ix->node_first[i] = total;
		total += fill[i];
		fill[i] = ix->node_first[i];
	}
	ix->node_first[nr_nodes] = total;
	ix->node_maps = xreallocarray(NULL, MAX(total, 1u), sizeof(*ix->node_maps));
	maps_index__file(ix, covered, nr_covered, fill);
	free(fill);
	free(covered);
	return ix;
}

struct maps_index *maps_index__new_of_edges(const struct map_since *maps, u32 nr_maps)
{
	u64 *edges = xreallocarray(NULL, (size_t)nr_maps * 2, sizeof(*edges));

	for (u32 i = 0; i < nr_maps; i++) {
		edges[2 * i] = maps[i].map->start;
		edges[2 * i + 1] = maps[i].map->end;
	}
	return maps_index__new(maps, nr_maps, edges, nr_maps * 2);
}

void maps_index__delete(struct maps_index *ix)
{
	if (!ix)
		return;
	free(ix->points);
	free(ix->node_first);
	free(ix->node_maps);
	free(ix);
}

u32 maps_index__point(const struct maps_index *ix, u64 addr)
{
	u32 nr = addr == UINT64_MAX ? ix->nr_points : maps_index__nr_below(ix, addr + 1);

	return nr ? nr - 1 : MAPS_INDEX_NONE;
}

/* Return the position after the node's last map below nr. */
static u32 maps_index__upper(const struct maps_index *ix, u32 first, u32 end, u32 nr)
{
	while (first < end) {
		u32 mid = first + (end - first) / 2;

		if (ix->node_maps[mid] < nr)
			first = mid + 1;
		else
			end = mid;
	}
	return first;
}

u32 maps_index__last(const struct maps_index *ix, u32 point, u32 nr, u32 *next)
{
	u32 best = MAPS_INDEX_NONE;

	*next = MAPS_INDEX_NONE;
	for (u32 node = point + ix->nr_points; node; node /= 2) {
		u32 first = ix->node_first[node], end = ix->node_first[node + 1], i;

		i = maps_index__upper(ix, first, end, nr);
		if (i > first && (best == MAPS_INDEX_NONE || ix->node_maps[i - 1] > best))
			best = ix->node_maps[i - 1];
		if (i < end)
			*next = MIN(*next, ix->node_maps[i]);
	}
	return best;
}
