/*
 * Call trees: chains with common beginnings share them. A tree is made of an entry's chains when it is
 * shown, and only as far as it is shown: runs of places that only ever occur together are one node, branches
 * that are too small are not followed, large ones come first.
 */
#ifndef PROFILE_CALL_TREE_H
#define PROFILE_CALL_TREE_H

#include "base/memory/arena.h"
#include "base/memory/array.h"
#include "base/memory/hash.h"

struct call_path { /* a chain and what it counts for */
	const u32 *places;
	u32 nr_places;
	u64 period, nr;
};

struct call_node {
	const struct call_node *parent; /* of a tree built by_place; NULL: the root, which has no places */
	const u32 *places;              /* in one of the paths */
	u32 nr_places;
	u32 nr_children;
	struct call_node **children; /* in order */
	u64 self, nr_self;           /* period and samples of chains that end here */
	u64 total, nr_total;         /* of those that end here or further on */
};

struct call_tree_opts {
	u64 min_period;   /* smaller branches are left out */
	double min_share; /* of their parent's branches, 0 ... 1: instead, when is_relative */
	bool is_relative;
	bool by_place; /* children in the order of places, not the largest first */
	u32 nr_places; /* ids of places are below */
	/* Order of places, and of equally large branches: below 0 when a comes first. */
	int (*compare_places)(void *ctx, u32 a, u32 b);
	void *ctx;
};

/* What is behind some paths, by which it is known again. */
struct call_branch {
	const u32 *places; /* where the first of them goes on */
	u64 hash;          /* of where the others do, and of their periods */
	size_t nr;
	const struct call_node *node; /* with total, nr_total */
};

/*
 * What trees of one view are made with: those of callers and of what they call have most branches in common.
 */
struct call_trees {
	struct arena arena;
	ARRAY(struct call_path) paths; /* of the tree to be made: filled by the caller */
	struct hash_table table;       /* of branches that may be met again */
	ARRAY(struct call_branch) branches;
	u64 min_period; /* that they were made with */
};

#define CALL_TREES_INIT \
	{               \
		0       \
	}
void call_trees__exit(struct call_trees *t);
/*
 * The root of the tree of t->paths, which are left in another order. It lives until the next one is made.
 * From tree to tree only min_period may change in opts.
 */
const struct call_node *call_trees__make(struct call_trees *t, const struct call_tree_opts *opts);

/*
 * The nodes of a tree that was built by_place where chains end: those that count most first, at least
 * min_period each.
 */
struct call_list {
	ARRAY(const struct call_node *) v;
};
void call_list__make(struct call_list *list, const struct call_node *root, u64 min_period);
void call_list__exit(struct call_list *list);

#endif
