/*
 * The order in which a red-black tree keeps elements that are inserted one by one. A consistent comparison
 * makes this plain sorting. Stock perf's comparison is inconsistent where callers and callees cost the same:
 * it compares their depth, but only within a thread. So the order of its rows depends on its tree, and this
 * function reproduces it.
 */
#ifndef PROFILE_TREE_ORDER_H
#define PROFILE_TREE_ORDER_H

#include "base/memory/types.h"

/*
 * Sort v. before: should the new element a come before b? Equal elements keep their order. nr < 2^32 - 1.
 */
void tree_order(void **v, size_t nr, bool (*before)(void *ctx, const void *a, const void *b), void *ctx);

#endif
