/*
 * An address space over time.
 *
 * Side-band records are replayed in time order; each has a RANK, its position in that order from 1 (rank 0 is
 * "before everything"). A space is the address space of one process between two execs. It keeps every map it
 * ever saw; its VERSION at a rank is how many of them are in force by then. The LATEST map in force that
 * covers an address tells what is there: a newer map replaces what it overlaps, and perf has no record for
 * munmap. A forked space sees its parent's maps as they were at the fork, wherever it has none of its own; a
 * space that an exec began sees those of the program before only until it is set up. Nothing is ever cut or
 * copied.
 *
 * Few maps are scanned, newest first; many are found by a tree (maps_index.h), which is made when a large
 * space is first looked into. Filled in the first pass, then read-only: all lookups are thread-safe.
 */
#ifndef MODEL_MAPS_H
#define MODEL_MAPS_H

#include "base/memory/arena.h"
#include "base/memory/array.h"
#include "base/message/bug.h"
#include "model/map.h"

struct maps_index;

struct maps {
	ARRAY(struct map_since) v; /* in rank order, in the arena */
	const struct maps *parent; /* NULL: none */
	u32 parent_version;        /* the version of the parent that this space sees */
	u32 parent_end;            /* the parent's maps are seen by versions below this; 0: by all */
	u32 idx;                   /* index in the machine's list of spaces: the identity */
	u32 pid;
	u32 ppid;       /* of a process that ran before the recording: its parent; 0: another one */
	bool exec_done; /* the next map belongs to the new program and begins another space */
	struct maps_index *of_points; /* tree over the points of maps__expect; NULL: none */
	struct maps_index *of_edges;  /* tree over all edges, made on first use; atomic */
};

void maps__exit(struct maps *m);
/*
 * Add a map. rank: not less than in the call before. The map must live as long as m; m's own data is in the
 * arena.
 */
static inline void maps__add(struct maps *m, struct arena *arena, const struct map *map, u32 rank)
{
	u32 last = m->v.nr ? m->v.v[m->v.nr - 1].rank : 0;

	if (BUG_UNLESS(rank >= last, "rank %u after %u", rank, last))
		rank = last;
	*arena__array_push(arena, &m->v) = (struct map_since){ map, rank };
}

/* Do lookups need a tree? */
bool maps__is_large(const struct maps *m);
/*
 * Announce the addresses that will be looked up in a large space and its parents; this makes their lookups
 * much cheaper. Other addresses are still found. Takes ownership of points. Not thread-safe.
 */
void maps__expect(struct maps *m, u64 *points, u32 nr_points);

/* Return the map at addr as of rank, or NULL. */
const struct map *maps__find(const struct maps *m, u64 addr, u32 rank);
/* Return the number of maps of this space in force at rank. */
u32 maps__version(const struct maps *m, u32 rank);
/* As maps__version, for a result known to be between lo and hi. */
u32 maps__version_between(const struct maps *m, u32 rank, u32 lo, u32 hi);

/* Versions [first, end). */
struct maps_span {
	u32 first, end;
};
/* Return the map at addr as of a version, or NULL. span: the versions around it with the same answer. */
const struct map *maps__find_version(const struct maps *m, u64 addr, u32 version, struct maps_span *span);

/*
 * Move to the space where a lookup begins: for a forked process without maps of its own that is its parent,
 * as of the fork. Equal (space, version, address) have equal answers.
 */
static inline void maps__skip_empty(const struct maps **m, u32 *version)
{
	for (; !*version && (*m)->parent; *m = (*m)->parent)
		*version = (*m)->parent_version;
}

#endif
