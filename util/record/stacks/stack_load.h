/*
 * Chooses what the kernel copies of each stack: as much as the stacks of this program need, as far as the
 * ring buffers have room, and less when they fill faster than they are drained.
 *
 * A level is a size of copies and a sampling rate; events are opened once for each level
 * (record/events/counters.h). The unwinder counts how deep stacks are, and which copies cut them off.
 */
#ifndef RECORD_STACK_LOAD_H
#define RECORD_STACK_LOAD_H

#include "base/memory/types.h"

enum {
	STACK_LEVELS_MAX = 5,
	STACK_DEPTH_UNIT = 512, /* bytes; depths are counted in these */
	STACK_DEPTHS = 64 * 1024 / STACK_DEPTH_UNIT,
};

struct stack_level {
	u32 copy; /* bytes of stack */
	u32 part; /* the frequency is divided by this */
};

/* The levels of a recording, those with the largest copies first. */
struct stack_levels {
	struct stack_level v[STACK_LEVELS_MAX];
	unsigned nr;    /* 0 or 1: no choice */
	unsigned start; /* index of the size that was asked for, or of the largest below it that fits */
	u32 asked;      /* bytes */
	u32 most;       /* bytes; the largest copies that may be chosen, also if no ring has room for them */
	u32 next;       /* bytes; the next larger copies, removed by __keep; 0: none */
};

/* Fill in the levels for copies of asked bytes. may_grow: larger ones may be chosen. */
void stack_levels__fill(struct stack_levels *l, u32 asked, bool may_grow);
/*
 * Remove the levels whose copies are too large for a ring of that many bytes to hold several. Such a ring
 * loses most samples, and never gets full enough for the recorder to notice load.
 */
void stack_levels__fit(struct stack_levels *l, u64 ring);

/*
 * Choose the lowest frequency, for rings of that many bytes. rate: samples per second on a CPU at level 0; 0:
 * unknown.
 */
void stack_levels__slow_down(struct stack_levels *l, u64 ring, u64 rate);
/*
 * Keep at most most levels (at least 1): the one to begin with; the last one; those after the first; larger
 * ones. Remove larger ones for which a ring has no room at this rate in any case: they cannot be chosen.
 */
void stack_levels__keep(struct stack_levels *l, unsigned most, u64 ring, u64 rate);
/*
 * Return how many samples per second with such copies a ring has room for: UINT64_MAX without copies, 0 if it
 * holds too few to be used at any rate.
 */
u64 stack_levels__rate(u32 copy, u64 ring);

/* How many chains there were: indices are bytes in STACK_DEPTH_UNITs, rounded up. Atomic. */
struct stack_depths {
	u64 whole[STACK_DEPTHS + 1]; /* that need so much of the stack */
	u64 cut[STACK_DEPTHS + 1];   /* that a copy of this size cut off, and no earlier chain continued */
};

void stack_depths__add_whole(struct stack_depths *d, u64 bytes);
void stack_depths__add_cut(struct stack_depths *d, u64 copy);

u64 stack_depths__total(const struct stack_depths *d);

struct stack_load {
	unsigned level;  /* in use */
	unsigned need;   /* level that the stacks need, as far as rings have room */
	u32 wanted;      /* bytes; size of copies that the stacks need and rings have no room for; 0: none */
	u64 changed_ms;  /* when the level last changed because of load, or had reason to */
	u64 grown_ms;    /* when the stacks last needed larger copies; 0: never */
	u32 patience_ms; /* how long the load must be low before the level goes down */
	/* how often the lowest frequency was needed because a ring was full, or the queue */
	u32 by_rings, by_queue;
	struct stack_depths seen;
};

struct stack_load_facts {
	const struct stack_levels *levels;
	const struct stack_depths *depths;
	u64 ring;      /* bytes of a ring */
	u64 rate;      /* samples that it takes in a second; 0: unknown */
	unsigned fill; /* of the fullest ring before it is drained, or of the queue after it, in 64ths */
	bool is_queue; /* it is that of the queue */
	u64 now_ms;
};

/*
 * Return the level to begin with: the one asked for, or the first one with which a ring lasts long enough and
 * for which the recorder is certainly fast enough. ring and rate: as above.
 */
unsigned stack_load__begin(struct stack_load *l, const struct stack_levels *levels, u64 ring, u64 rate,
			   u64 now_ms);
/* Update and return the level. */
unsigned stack_load__see(struct stack_load *l, const struct stack_load_facts *f);

#endif
