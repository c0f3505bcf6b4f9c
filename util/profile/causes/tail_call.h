/*
 * Functions that are missing in call chains because the last thing they did was to call another one:
 * compilers make that a jump. A function that lets a lock go at its end is often of this kind.
 */
#ifndef PROFILE_TAIL_CALL_H
#define PROFILE_TAIL_CALL_H

#include "profile/places/places.h"

/*
 * Word i of the row's chain is an address of user code, which called a function. Return the place of that
 * function if it is not the one of the chain's word before, but jumped there; PLACE_NONE: it did not, or it
 * is not known.
 */
u32 tail_call__find(struct places *p, const struct row *row, u32 i);

#endif
