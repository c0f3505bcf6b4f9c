/*
 * Chooses the size of stack copies for the kernel from the fill of the ring buffers, which shows how far a
 * recording is behind.
 */
#ifndef RECORD_STACK_LOAD_H
#define RECORD_STACK_LOAD_H

#include "base/memory/types.h"

struct stack_load {
	unsigned level;  /* 0: full size; higher: smaller */
	u64 changed_ms;  /* when the level last changed, or had reason to rise */
	u32 patience_ms; /* how long the load must be low before the level goes down; 0: not set yet */
};

/*
 * Update and return the level. fill: of the fullest ring before it is drained, in 64ths; a ring asks to be
 * drained when half full. most: the highest level.
 */
unsigned stack_load__see(struct stack_load *l, unsigned fill, unsigned most, u64 now_ms);

#endif
