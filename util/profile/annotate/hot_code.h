/*
 * Which functions were hit, and at which addresses: raw addresses of samples, without callers. Two steps: all
 * functions with their costs; then the addresses of those that will be shown.
 */
#ifndef PROFILE_HOT_CODE_H
#define PROFILE_HOT_CODE_H

#include "profile/places/places.h"
#include "profile/gather/profile.h"

enum { HOT_CODE_NO_PLACE = UINT32_MAX };

struct code_cost {
	u64 nr, period; /* samples, sum of their periods */
};

struct hot_address {
	u64 addr;  /* dso address */
	u32 costs; /* index in struct hot_code, of the first event */
};

struct hot_block {      /* instructions between two branches, as branch stacks have seen them run */
	u64 start, end; /* dso addresses of the first and the last instruction; start 0: not known */
	u64 nr;         /* times */
	u64 predicted;  /* of these, times that the processor predicted the branch at the end */
	u64 nr_timed;   /* of these, times that the processor counted cycles */
	u64 cycles;     /* their sum */
};

struct hot_function { /* or what was inlined into it of struct hot_code.inlined */
	struct dso *dso;
	const struct symbol *sym;
	u32 place;                           /* in struct hot_code */
	u32 costs;                           /* as in struct hot_address */
	ARRAY(struct hot_address) addresses; /* sorted; empty until hot_code__find_addresses */
	ARRAY(struct hot_block) blocks;      /* in any order; empty until hot_code__find_blocks */
};

struct hot_code {
	struct session *session;
	const struct profile *profile;
	u32 nr_events; /* of the recording */
	struct places places;
	ARRAY(struct hot_function) v; /* those with most first, by the first event that tells them apart */
	ARRAY(struct code_cost) costs;
	struct code_cost *totals; /* by event: of all samples */
	const char *inlined;      /* as in hot_code__init */
	/* with inlined: costs (indexes) of it and what was inlined into it, and of itself */
	u32 inlined_costs, inlined_self;
	ARRAY(u32) function_of_place; /* index in v + 1; 0: none */
	ARRAY(u8) inlined_places;     /* by place: is it in inlined; 0: not known yet */
	ARRAY(u32) place_of_row;      /* HOT_CODE_NO_PLACE: the row does not count */
};

/*
 * Find the functions. p: callers do not matter; it and inlined must live as long as h. rows: by row of the
 * profile, whether it counts; NULL: all do. inlined: the name of a function, whole or in its short form: only
 * samples in it count, for the functions that it was inlined into; NULL: all do.
 */
void hot_code__init(struct hot_code *h, const struct profile *p, const bool *rows, const char *inlined);
void hot_code__exit(struct hot_code *h);
/* Add a function without samples. */
void hot_code__add_function(struct hot_code *h, struct dso *dso, const struct symbol *sym);
/* Find the addresses of the functions for which wanted, by their index in v, is true. Call it once. */
void hot_code__find_addresses(struct hot_code *h, const bool *wanted);
/* Return the function of a row of the profile: its index in v + 1; 0: none, or the row does not count. */
u32 hot_code__function(const struct hot_code *h, size_t row);
/* Return the dso address of a row that has a function. */
u64 hot_code__addr(const struct hot_code *h, size_t row);
/*
 * Find the blocks of these functions in the rows of another profile of the session, which was collected with
 * all_blocks and PROFILE_SPLIT_PREDICTION. Call it once.
 */
void hot_code__find_blocks(struct hot_code *h, const struct profile *blocks, const bool *wanted);
/* Return the function's name as shown; not masked. */
const char *hot_function__name(struct hot_code *h, const struct hot_function *f);

static inline const struct code_cost *hot_code__cost(const struct hot_code *h, u32 costs, u32 event)
{
	return &h->costs.v[costs + event];
}

#endif
