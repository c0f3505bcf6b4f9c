/*
 * Call trees: chains with common beginnings share them. A tree is made of an entry's chains when it is
 * shown, and only as far as it is shown: runs of places that only ever occur together are one node, branches that are too
 * small are not followed, large ones come first.
 */
#ifndef PROFILE_CALL_TREE_H
#define PROFILE_CALL_TREE_H

#include "base/arena.h"
#include "base/array.h"

struct call_path { /* a chain and what it counts for */
	const u32 *places;
	u32 nr_places;
	u64 period, nr;
};

struct call_node {
	const struct call_node *parent; /* NULL: none but the root, which has no places */
	const u32 *places; /* in one of the paths */
	u32 nr_places;
	u32 nr_children;
	struct call_node **children; /* in order */
	u64 self, nr_self;   /* period and samples of chains that end here */
	u64 total, nr_total; /* of those that end here or further on */
};

struct call_tree_opts {
	u64 min_period;	  /* smaller branches are left out */
	double min_share; /* of their parent's branches, 0 ... 1: instead, when is_relative */
	bool is_relative;
	bool by_place;	/* children in the order of places, not the largest first */
	u32 nr_places;	/* ids of places are below */
	/* Order of places, and of equally large branches: below 0 when a comes first. */
	int (*compare_places)(void *ctx, u32 a, u32 b);
	void *ctx;
};

/* The root, in the arena. The paths must live as long. */
const struct call_node *call_tree__build(const struct call_path *paths, size_t nr, const struct call_tree_opts *opts,
					 struct arena *arena);

/* The nodes of a tree that was built by_place where chains end: those that count most first, at least min_period each. */
struct call_list {
	ARRAY(const struct call_node *) v;
};
void call_list__make(struct call_list *list, const struct call_node *root, u64 min_period);
void call_list__exit(struct call_list *list);

#endif
