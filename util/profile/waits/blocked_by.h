/*
 * What holders of locks did while others waited (report --blocked-by). A wait for a lock that a known holder
 * ended is cut at all wakings of waiters of the same lock in between: each piece belongs to the thread that
 * let the lock go at its end.
 */
#ifndef PROFILE_BLOCKED_BY_H
#define PROFILE_BLOCKED_BY_H

#include "profile/waits/weighing.h"

/* Add all pieces, each as often as threads waited, and note facts. */
void blocked_by__add(const struct time_lines *t, struct weighing *w, struct weight_facts *facts);

#endif
