/*
 * How often code ran, estimated from samples of it.
 *
 * A sample says where time was spent, not how often: an instruction that waits for memory has many samples,
 * its neighbours none, though they ran equally often. So the samples of a basic block are divided by the
 * number of its instructions, and then blocks are made to agree with the control flow: what enters a block
 * leaves it.
 */
#ifndef PGO_BLOCK_COUNTS_H
#define PGO_BLOCK_COUNTS_H

#include "pgo/code_use.h"

enum { BLOCK_COUNT_UNIT = 1000 }; /* count of a block with one sample for each instruction */

/*
 * Append the basic blocks of the functions of u that have samples, sorted, with estimated counts, which may
 * be 0, to blocks. With u->as_sampled instead, each address with samples is a block of its own, with their
 * number.
 */
void block_counts__estimate(const struct code_use *u, struct code_counts *blocks);
/* Is the instruction at a dso address a call? False also if its code is unknown. */
bool block_counts__is_call(const struct code_use *u, u64 addr);
/*
 * Does the instruction that contains a dso address have the address that it calls, or jumps to? False also if
 * its code is unknown.
 */
bool block_counts__is_direct(const struct code_use *u, u64 addr);

#endif
