/*
 * Branch stacks in reports: each branch of a sample is an entry of its own, with its source and its target.
 * The row of a branch (profile_opts.branches) has the target as its address; the words of its chain are
 * listed in ROW_BRANCH_... below. Equal branches have one id.
 *
 * As in stock perf, an end is shown by its address in the dso, but ends are distinguished by memory address.
 */
#ifndef PROFILE_BRANCHES_H
#define PROFILE_BRANCHES_H

#include "profile/places/places.h"

enum { /* indices into the chain of a branch's row */
       ROW_BRANCH_FROM,
       ROW_BRANCH_FLAGS,
       ROW_BRANCH_SAMPLE, /* the sample's own address; 0 unless PROFILE_SPLIT_SAMPLE_IP */
       /*
	* with profile_opts.starts, and the row's period is the sum of cycles: as ROW_BLOCK_START; 0 also if
	* the cycles are not known
	*/
       ROW_BRANCH_START,
       ROW_BRANCH_WORDS,
};

enum { /* indices into the chain of the row of a block (profile_opts.blocks), whose address is its end */
       ROW_BLOCK_START, /* target of the branch before; 0: not known */
       ROW_BLOCK_FLAGS, /* of the branch at its end, as ROW_BRANCH_FLAGS; BLOCK_HAS_CYCLES */
       ROW_BLOCK_WORDS,
};

enum { BLOCK_HAS_CYCLES = 1u << 31 }; /* the processor counted cycles: periods are their sums */

struct branch_end {
	u32 place;    /* as shown */
	u32 identity; /* the place that distinguishes it from other ends */
	u32 level;    /* '.', 'k'; 'H': in no known map */
};

struct branch {
	struct branch_end from, to;
	u32 flags; /* enum branch_flag: those that were asked for */
};

struct branches {
	ARRAY(struct branch) v;
	struct hash_table table;
	bool exact; /* the addresses of one symbol are different ends: places__exact */
};

void branches__exit(struct branches *b);
/* Return in which space an address of a branch is: the record does not say its mode. */
struct row_space branch__space(struct places *p, const struct row *row, u64 ip);
/* Return the id of a row's branch. */
u32 branches__of_row(struct branches *b, struct places *p, const struct row *row);

static inline const struct branch *branches__get(const struct branches *b, u32 id)
{
	return &b->v.v[id];
}

#endif
