/*
 * How many stacks --off-cpu unwinds of switches at known places: about 2,000 a second in all rings
 * together. Rings are read one after the other, so times go back where the next ring begins: each ring gets
 * its share of the time since the last round.
 */
#ifndef RECORD_UNWIND_BUDGET_H
#define RECORD_UNWIND_BUDGET_H

#include "base/memory/types.h"

#include <stdbool.h>

struct unwind_budget {
	u64 cost;            /* ns of credit that the next stack takes */
	u64 credit;          /* ns that may be spent */
	u64 before;          /* time of the record before, in this ring and round; 0: none */
	u64 newest;          /* time of the newest record of all rings */
	u64 round_start;     /* newest when the round began */
	u32 nr_rings;        /* rings with records in this round */
	u32 nr_rings_before; /* and in the round before */
	u64 random;
};

/* Return whether to unwind the stack of a switch at this time (ns), and spend what that costs. */
bool unwind_budget__take(struct unwind_budget *b, u64 time);
/* Begin the next round: all rings have been read. */
void unwind_budget__end_round(struct unwind_budget *b);

#endif
