/*
 * Call chains of places, interned: equal ones have one id. Chain 0 is the empty one.
 */
#ifndef PROFILE_CHAINS_H
#define PROFILE_CHAINS_H

#include "profile/gather/places.h"

struct chain {
	u32 nr;
	const u32 *graph; /* the places by which call graphs go; most often the same */
	u32 places[];
};

struct chains {
	struct arena arena;
	ARRAY(const struct chain *) v;
	struct hash_table table;
	ARRAY(u32) scratch; /* places of the chain that was looked up last */
};

struct chain_opts {
	bool caller_first;    /* from the outermost caller to the leaf, otherwise from the leaf */
	bool hide_unresolved; /* leave unresolved places out */
	/* addresses taken, from the end where the order begins; what is inlined there is extra */
	u32 max_stack;
};

void chains__init(struct chains *c);
void chains__exit(struct chains *c);
/* The places of a row's chain, from the leaf, in scratch until the next call. False: it is spoilt. */
bool chains__look_up(struct chains *c, struct places *p, const struct row *row,
		     const struct chain_opts *opts);
/* The chain of a row as places: PERF_CONTEXT_ marks are followed and dropped. */
u32 chains__of_row(struct chains *c, struct places *p, const struct row *row, const struct chain_opts *opts);

static inline const struct chain *chains__get(const struct chains *c, u32 id)
{
	return c->v.v[id];
}

#endif
