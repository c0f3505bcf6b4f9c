/*
 * Call trees: chains with common beginnings share nodes. A tree is built from an entry's chains when it is
 * shown, and only as far as it is shown: a run of places that only occur together is one node, small
 * branches are left out, large ones come first.
 */
#ifndef PROFILE_CALL_TREE_H
#define PROFILE_CALL_TREE_H

#include "base/memory/arena.h"
#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "base/memory/numbers.h"
#include "profile/branches/branch_history.h"

struct call_path { /* a chain, with its period and samples */
	u32 at;    /* position of the first place in call_tree_opts.numbers */
	u32 nr_places;
	u64 period, nr;
};

struct call_path_flags {                /* of the places of a path */
	const struct chain_flags *list; /* NULL: none */
	u32 from;                       /* index of the first place in them */
};

struct call_node {
	const struct call_node *parent; /* in a tree built by_place; NULL: the root, which has no places */
	const u32 *places;
	const u32 *depths; /* how often each is repeated, at most; NULL: recursion is not folded */
	const struct branch_sums *sums; /* of the flags of each; NULL: none */
	u32 nr_places;
	u32 nr_children;
	struct call_node **children; /* in the order shown */
	u64 self, nr_self;           /* period and samples of chains that end here */
	u64 total, nr_total;         /* of chains that pass through or end here */
};

struct call_tree_opts {
	u64 min_period;   /* branches with a smaller period are left out */
	double min_share; /* with is_relative, instead: minimum share (0 ... 1) of the parent's branches */
	bool is_relative;
	bool by_place;                 /* sort children by place instead of by size */
	u32 nr_places;                 /* all place ids are smaller */
	const struct numbers *numbers; /* the places of paths */
	bool has_depths;               /* in numbers, each place is followed by how often it is repeated */
	/* Order of places, and of branches of equal size: < 0 if a comes first. */
	int (*compare_places)(void *ctx, u32 a, u32 b);
	void *ctx;
};

/* The identity of a set of path tails, to find an equal branch that was built before. */
struct call_branch {
	u32 at;   /* tail of the first path */
	u64 hash; /* of the positions of the other tails, and of all periods */
	size_t nr;
	const struct call_node *node; /* its total and nr_total belong to the identity */
};

/*
 * State shared by the trees of one view: the trees of callers and of their callees have most branches in
 * common.
 */
struct call_trees {
	struct arena arena;
	ARRAY(struct call_path) paths;       /* filled by the caller for the next tree */
	ARRAY(struct call_path_flags) flags; /* of each path, or empty */
	struct hash_table table;             /* branches, for reuse */
	ARRAY(struct call_branch) branches;
	u64 min_period;      /* with which they were built */
	ARRAY(u32) group_of; /* scratch, by place: 0 */
};

#define CALL_TREES_INIT \
	{               \
		0       \
	}
void call_trees__exit(struct call_trees *t);
/*
 * Build the tree of t->paths, which it reorders, with t->flags. Return the root, valid until the next call.
 * Only min_period in opts may differ between calls.
 */
const struct call_node *call_trees__make(struct call_trees *t, const struct call_tree_opts *opts);

/* The nodes where chains end, in a tree built by_place: largest first, each with at least min_period. */
struct call_list {
	ARRAY(const struct call_node *) v;
};
void call_list__make(struct call_list *list, const struct call_node *root, u64 min_period);
void call_list__exit(struct call_list *list);

#endif
