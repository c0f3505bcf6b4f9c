/*
 * Call trees of a comparison that has kept its stacks, in the form of stack_tree.h. A place is the index of a
 * row, a period the cost of both sides together, and a number of samples the cost of the new side, in units
 * of compare_tree__unit(). Functions that call themselves are folded.
 */
#ifndef PROFILE_COMPARE_TREE_H
#define PROFILE_COMPARE_TREE_H

#include "profile/compare/comparison.h"
#include "profile/hists/stack_tree.h"

enum { COMPARE_TREE_PARTS = 100000 }; /* trees of all leave out branches below this part of both sides */

/*
 * Make the tree of a row, as stack_tree__make() does of an entry; COMPARE_NO_ROW: of all stacks. The caller
 * exits it with stack_tree__exit().
 */
void compare_tree__make(struct stack_tree *t, const struct comparison *c, u32 row, enum stack_tree_kind kind);
/* Return the cost of one unit of a period. */
double compare_tree__unit(const struct comparison *c);

#endif
