/*
 * Which of many maps cover an address: a segment tree over a sorted set of addresses, the points. A map is
 * stored in the O(log n) nodes that cover its points; a map without points costs nothing. Lists of nodes are
 * in the maps' order. Built at once, then read-only: thread-safe.
 *
 * The points are either the addresses that will be looked up, or all edges of the maps; in the second case
 * any address has the answer of the last point at or below it.
 */
#ifndef MODEL_MAPS_INDEX_H
#define MODEL_MAPS_INDEX_H

#include "model/map.h"

struct maps_index {
	u64 *points; /* sorted, distinct */
	u32 nr_points;
	u32 *node_first; /* 2 * nr_points + 1 entries into node_maps; leaf of point i is node nr_points + i */
	u32 *node_maps;  /* positions in the list of maps */
};

enum { MAPS_INDEX_NONE = UINT32_MAX };

/* Build the tree. Takes ownership of points: unsorted, at least one. The maps are not kept. */
struct maps_index *maps_index__new(const struct map_since *maps, u32 nr_maps, u64 *points, u32 nr_points);
/* Build the tree with the edges of all maps as points. */
struct maps_index *maps_index__new_of_edges(const struct map_since *maps, u32 nr_maps);
void maps_index__delete(struct maps_index *ix);

/* Return the last point that is <= addr, or MAPS_INDEX_NONE. */
u32 maps_index__point(const struct maps_index *ix, u64 addr);
/*
 * Find maps that cover a point. Return the last one with a position below nr, and in *next the first one at
 * or above it; MAPS_INDEX_NONE: there is none.
 */
u32 maps_index__last(const struct maps_index *ix, u32 point, u32 nr, u32 *next);

#endif
