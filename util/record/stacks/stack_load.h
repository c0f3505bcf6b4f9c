/*
 * How far a recording is behind, as the rings show: which size of stack copies the kernel should make.
 */
#ifndef RECORD_STACK_LOAD_H
#define RECORD_STACK_LOAD_H

#include "base/memory/types.h"

struct stack_load {
	unsigned level;  /* 0: as large as was asked for; more: smaller */
	u64 changed_ms;  /* when it last went up or down, or there was reason to go up */
	u32 patience_ms; /* so long all must be well for it to go down; 0: not set yet */
};

/*
 * The level from now on. fill: of the fullest ring as it is about to be emptied, in 64ths. A ring asks to be
 * emptied when it is half full. most: the highest level.
 */
unsigned stack_load__see(struct stack_load *l, unsigned fill, unsigned most, u64 now_ms);

#endif
