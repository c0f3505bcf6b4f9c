/*
 * --branch-history: the branches before a sample as the innermost part of its call chain. The worker puts
 * them before the chain of the row, newest first, in these words:
 *
 *	number of branches << 32 | number of words of the chain that are inside of the branches
 *	to, from, flags; of each branch (flags: HISTORY_... below)
 *	the chain, without the frames whose calls are among the branches
 *
 * A loop is there once, with how often it was repeated.
 */
#ifndef PROFILE_BRANCH_HISTORY_H
#define PROFILE_BRANCH_HISTORY_H

#include "base/memory/array.h"
#include "format/records/sample.h"

/* The flags of a branch; of a place in a chain, with one of the first two. */
#define HISTORY_TO (1ull << 0)   /* the branch led here */
#define HISTORY_FROM (1ull << 1) /* the branch was here */
#define HISTORY_PREDICTED (1ull << 2)
#define HISTORY_MISPREDICTED (1ull << 3)
#define HISTORY_ABORT (1ull << 4)
#define HISTORY_CYCLES_SHIFT 8  /* 16 bits */
#define HISTORY_ROUNDS_SHIFT 24 /* 8 bits: how often the loop that ends here was repeated */
#define HISTORY_LOOP_SHIFT 32   /* cycles of these repetitions */

enum { HISTORY_WORDS = 3 }; /* of a branch */

typedef ARRAY(u64) history_words;

/* Set words to those of a sample: at most max branches. */
void branch_history__make(history_words *words, const struct sample *s, u64 max);

struct chain_flags { /* of the places of a chain; several samples may have the same chain */
	struct chain_flags *next;
	u64 nr; /* samples */
	u64 flags[];
};

struct branch_sums {                          /* of one place, over samples */
	u64 nr_to, known, predicted, aborted; /* known: whether they were predicted */
	u64 nr_from, cycles;
	u64 rounds, nr_loops, loop_cycles;
};

/* Add the flags of nr samples. */
void branch_sums__add(struct branch_sums *sums, u64 flags, u64 nr);

#endif
