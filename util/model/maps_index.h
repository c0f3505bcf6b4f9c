/*
 * Which of many maps cover an address: a segment tree over a set of addresses, the POINTS. A map is filed
 * under the O(log n) nodes that make up the points it covers; a map that covers none costs nothing. Lists of
 * nodes are in the maps' order. Made at once, then read-only: thread-safe.
 *
 * The points are either what will be asked for, or all edges of the maps: then any address has the answers of
 * the last point that is not behind it.
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

/* Takes points, in any order, of which there is at least one. The maps are not kept. */
struct maps_index *maps_index__new(const struct map_since *maps, u32 nr_maps, u64 *points, u32 nr_points);
/* The edges of all maps are the points. */
struct maps_index *maps_index__new_of_edges(const struct map_since *maps, u32 nr_maps);
void maps_index__delete(struct maps_index *ix);

/* The last point that is <= addr, or MAPS_INDEX_NONE. */
u32 maps_index__point(const struct maps_index *ix, u64 addr);
/*
 * Of the maps that cover a point: the last one whose position is below nr, and in *next the first one whose
 * position is not. MAPS_INDEX_NONE: there is none.
 */
u32 maps_index__last(const struct maps_index *ix, u32 point, u32 nr, u32 *next);

#endif
