/*
 * The order in which a red-black tree holds elements that are inserted one by one: plain sorting as long as
 * the comparison is a consistent one. Stock perf's is not where callers and callees cost the same (it
 * compares their depth, but only within a thread), so the order of its rows is that of its tree, and ours is
 * made in the same way.
 */
#ifndef PROFILE_TREE_ORDER_H
#define PROFILE_TREE_ORDER_H

#include "base/memory/types.h"

/* before: whether the new element a goes in front of b. Equal ones keep their order. nr: below 2^32 - 1. */
void tree_order(void **v, size_t nr, bool (*before)(void *ctx, const void *a, const void *b), void *ctx);

#endif
