/* Which functions of a comparison did a change of the source touch? */
#ifndef PROFILE_TOUCHED_H
#define PROFILE_TOUCHED_H

#include "profile/compare/comparison.h"

/*
 * Set the touch of all rows, and which touched functions call them or are called by them. Call it after
 * comparison__finish(), of a comparison that keeps lines and stacks. change must stay. Return 0 or a negative
 * errno with err.
 */
int comparison__find_touched(struct comparison *c, struct source_change *change, struct err *err);
/* Did the change touch the function, or what it uses? */
static inline bool compared__is_touched(const struct compared *row)
{
	return row->touch == TOUCH_YES || row->touch == TOUCH_USES;
}

#endif
