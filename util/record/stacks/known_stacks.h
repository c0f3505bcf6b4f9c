/*
 * Call chains of threads that are known to their outermost frames, for those that come later and are not: a
 * copy of a stack that ends in a frame which a known chain has, with the same stack pointer and address, goes
 * on as that one does.
 *
 * Of each thread the newest chain is kept, and of older ones those that are deeper than all after them: a
 * thread that was deep, came back, and went deep again by the same way is found there. 33 MB at most, when
 * all threads are 1,024 frames deep.
 */
#ifndef RECORD_KNOWN_STACKS_H
#define RECORD_KNOWN_STACKS_H

#include "base/memory/types.h"

enum { KNOWN_STACKS_THREADS = 512, KNOWN_STACKS_EACH = 4 };

struct known_stack {
	unsigned nr, alloc;
	u64 *frames; /* nr stack pointers from the leaf on, then nr addresses */
};

struct known_thread {
	u32 tid;
	unsigned nr;
	struct known_stack v[KNOWN_STACKS_EACH]; /* the newest last; each deeper than the next one */
};

struct known_stacks {
	struct known_thread *threads[KNOWN_STACKS_THREADS]; /* by tid: the newest holds */
};

void known_stacks__exit(struct known_stacks *k);
/* A whole chain, from the leaf on. */
void known_stacks__remember(struct known_stacks *k, u32 tid, const u64 *ips, const u64 *sps, unsigned nr);
struct cut_stack { /* a chain whose last frame's callers are not in the copy */
	u32 tid;
	u64 *ips, *sps; /* from the leaf on */
	unsigned nr;
	u64 next_sp; /* the stack pointer of that frame's caller; 0: not known */
};
/*
 * Appends what the newest known chain says of the last frame's callers, up to max frames in all: one that has
 * that very frame; or else one where the same function was called with next_sp. How many were appended.
 */
unsigned known_stacks__callers(const struct known_stacks *k, const struct cut_stack *cut, unsigned max);

#endif
