/*
 * The counts of code_use by the source: for each function its lines, counted from the line where the function
 * begins, and the functions inlined into it at these lines. Compilers find code again by this.
 *
 * A line's count is that of the most frequent of its instructions. Without branch stacks it is estimated
 * (block_counts.h).
 */
#ifndef PGO_SOURCE_TREE_H
#define PGO_SOURCE_TREE_H

#include "base/memory/strpool.h"
#include "pgo/code_use.h"

struct source_spot { /* in a function */
	u32 line;    /* from the function's line on, as 16 bits: it may be before it, or in another file */
	u32 discriminator;
};

struct source_target {
	u32 point;        /* index of the call's */
	const char *name; /* linker name of a called function */
	u64 nr;
};

struct source_point {
	u32 body;
	struct source_spot spot;
	u64 nr;
	u32 first_target, nr_targets; /* in targets, the most frequent first */
};

struct source_body {                   /* a function, or an inlined one */
	const char *name;              /* linker name */
	u32 parent;                    /* index of the function around it; SOURCE_NONE: it is not inlined */
	struct source_spot call;       /* of an inlined one: where, in the function around it */
	u64 head;                      /* how often it was entered; only of functions that are not inlined */
	u64 total;                     /* of all its points and of what is inlined into it */
	u32 first_point, nr_points;    /* in point_order, by spot */
	u32 first_inlined, nr_inlined; /* in inlined_order, by spot and name */
};

enum { SOURCE_NONE = UINT32_MAX };

struct source_tree_opts {
	/*
	 * Discriminators are LLVM's: several numbers in one. The first of them tells code apart, the second
	 * is how many copies of the code there are.
	 */
	bool llvm_discriminators;
	/*
	 * gcc's debug information has no linker names of local functions in C++: take those of symbols. gcc
	 * looks for copies of functions by the name before the first dot.
	 */
	bool gcc_names;
	/* targets only of calls by pointer: gcc takes those of a line for targets of its call by pointer */
	bool only_pointers;
	/* with branches: a line's count is at least the sum of its calls, as in llvm-profgen's profiles */
	bool sum_of_calls;
};

struct source_tree {
	ARRAY(struct source_body) v; /* functions before those inlined into them */
	ARRAY(struct source_point) points;
	ARRAY(struct source_target) targets; /* sorted by point */
	ARRAY(u32) functions; /* indexes of bodies that are not inlined; the largest total first */
	ARRAY(u32) point_order, inlined_order;

	struct strpool names;

	const struct code_use *use; /* what follows is only used while it is built */
	struct source_tree_opts opts;
	struct hash_table by_body, by_point;
};

/* Build the tree. Return 0, or -ENODATA with err: no line of the code that ran is known. */
int source_tree__build(struct source_tree *t, const struct code_use *u, const struct source_tree_opts *opts,
		       struct err *err);
void source_tree__exit(struct source_tree *t);

static inline const struct source_point *source_tree__point(const struct source_tree *t,
							    const struct source_body *b, u32 i)
{
	return &t->points.v[t->point_order.v[b->first_point + i]];
}

static inline const struct source_body *source_tree__inlined(const struct source_tree *t,
							     const struct source_body *b, u32 i)
{
	return &t->v.v[t->inlined_order.v[b->first_inlined + i]];
}

#endif
