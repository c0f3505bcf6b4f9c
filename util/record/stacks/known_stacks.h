/*
 * Complete call chains of threads, used to extend later incomplete ones: if the copy of a stack ends in a
 * frame that a known chain also has, with the same stack pointer and address, the rest of the known chain is
 * appended.
 *
 * Each thread has its newest chain, and those older ones that are deeper than all newer ones. They match when
 * a thread that was deep returns and goes deep again on the same path. 33 MB at most, if all threads are
 * 1,024 frames deep.
 *
 * The rest of the chain is likely, not certain: a function that calls the same one from a frame of the same
 * size leaves the same frame below it. A frame that was seen with two callers is a fork, and nothing is
 * appended to it.
 */
#ifndef RECORD_KNOWN_STACKS_H
#define RECORD_KNOWN_STACKS_H

#include "base/memory/types.h"

#include <stdbool.h>

enum { KNOWN_STACKS_THREADS = 512, KNOWN_STACKS_EACH = 4, KNOWN_STACKS_FORKS = 64 };

struct known_stack {
	unsigned nr, alloc;
	u64 *frames; /* nr stack pointers from the leaf on, then nr addresses; owned */
};

struct known_thread {
	u32 tid;
	unsigned nr;
	struct known_stack v[KNOWN_STACKS_EACH]; /* newest last; each deeper than the next one */
	struct known_fork {
		u64 sp, ip;
	} forks[KNOWN_STACKS_FORKS]; /* by hash; newer ones replace older ones */
};

struct known_stacks {
	/* indexed by tid; a collision keeps the newer thread */
	struct known_thread *threads[KNOWN_STACKS_THREADS];
};

void known_stacks__exit(struct known_stacks *k);
/* Store a complete chain, from the leaf on. */
void known_stacks__remember(struct known_stacks *k, u32 tid, const u64 *ips, const u64 *sps, unsigned nr);
struct cut_stack { /* a chain whose last frame's callers are not in the stack copy */
	u32 tid;
	u64 *ips, *sps; /* from the leaf on */
	unsigned nr;
	/*
	 * If a signal interrupted the last frame: the stack pointer of its caller; else 0. Earlier
	 * chains have the frame at other addresses of its function.
	 */
	u64 next_sp;
	bool (*is_one_function)(void *ctx, u64 ip, u64 other);
	void *ctx;
};
/*
 * Append the last frame's callers, up to the first fork, from the newest known chain that has this frame, or
 * in which its function was called with next_sp. max limits the frames of the whole chain. Return the number
 * of appended frames. *is_whole: they are all that the known chain has.
 */
unsigned known_stacks__callers(const struct known_stacks *k, const struct cut_stack *cut, unsigned max,
			       bool *is_whole);

#endif
