/*
 * An address space over time.
 *
 * Side-band records are replayed in time order; each has a RANK, its position in that order from 1
 * (rank 0 is "before everything"). A space is the address space of one process between two execs.
 * It keeps every map it ever saw; what is at an address at a rank is the LATEST map of rank <= that
 * one which covers the address, since a newer map takes the place of what it overlaps and perf has no
 * record for munmap. A forked space sees its parent's maps as they were at the fork, wherever
 * it has none of its own; a space that an exec began sees those of the program before only until it is set
 * up. Nothing is ever cut or copied.
 *
 * maps__find is O(log n) nodes: the maps of a space with many are filed in a segment tree over the
 * distinct address boundaries, each node's list in rank order. Built by maps__finish, then read-only,
 * thread-safe.
 */
#ifndef MODEL_MAPS_H
#define MODEL_MAPS_H

#include "base/array.h"
#include "base/types.h"

struct map {
	u64 start, end; /* memory addresses, end exclusive */
	u64 pgoff;      /* dso address = address - start + pgoff */
	u32 dso;        /* idx */
	u32 rank;       /* since when */
	u32 prot, flags;
};

struct maps {
	ARRAY(struct map) v;       /* in rank order */
	const struct maps *parent; /* NULL: none */
	u32 parent_rank;           /* the parent as of this rank */
	u32 idx;                   /* position in the machine's list of spaces: its identity */
	u32 pid;
	bool exec_done; /* the next map belongs to the program that was exec'ed: it begins another space */
	u32 parent_end; /* the parent counts for ranks below this; 0: for all */
	/* Segment tree; bounds NULL while v is short enough to scan. */
	u64 *bounds;
	u32 nr_slots;
	u32 *node_first; /* 2 * nr_slots + 1 entries into node_maps */
	u32 *node_maps;  /* indices into v */
};

void maps__exit(struct maps *m);
/* rank must not fall from call to call. */
void maps__add(struct maps *m, const struct map *map);
void maps__finish(struct maps *m);
/* The map at addr as of rank, or NULL. */
const struct map *maps__find(const struct maps *m, u64 addr, u32 rank);
/*
 * How many maps of this space and the ones it inherits from are in force by rank: two lookups of one
 * address in one space with equal versions have equal answers.
 */
u32 maps__version(const struct maps *m, u32 rank);

static inline u64 map__dso_addr(const struct map *m, u64 addr)
{
	return addr - m->start + m->pgoff;
}

#endif
