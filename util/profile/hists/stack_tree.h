/*
 * Trees of the call chains of a view, for those who look around in them: of one entry or of all, towards
 * callers or towards callees. Found in the folds when asked for, so that a view of many rows keeps nothing
 * for trees that no user opens.
 */
#ifndef PROFILE_STACK_TREE_H
#define PROFILE_STACK_TREE_H

#include "profile/hists/hists.h"

enum stack_tree_kind {
	STACK_CALLEES,         /* from the outermost place of the entry on: what it calls */
	STACK_CALLERS,         /* the other way: who calls it */
	STACK_CALLERS_OF_SELF, /* the same, of samples in the entry itself, not in what it calls */
};

struct stack_tree {
	struct call_trees trees;
	struct numbers numbers; /* of chains that the view lacks: in the other order, or of a comparison */
	const struct call_node *root; /* its children are what the tree begins with */
};

/*
 * Make the tree of an entry of h; e NULL: of all samples that are shown. Leave out branches with a smaller
 * period than min_period. v must have been built with opts.trees_later. The tree of a group is that of its
 * leader.
 */
void stack_tree__make(struct stack_tree *t, struct view *v, const struct hists *h, const struct hist_entry *e,
		      enum stack_tree_kind kind, u64 min_period);
/* A zeroed tree can be freed, too. */
void stack_tree__exit(struct stack_tree *t);

#endif
