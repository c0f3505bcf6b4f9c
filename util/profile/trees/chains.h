/* Call chains of places, interned: equal chains have one id, not in a row. Chain 0 is empty. */
#ifndef PROFILE_CHAINS_H
#define PROFILE_CHAINS_H

#include "base/memory/numbers.h"
#include "profile/places/places.h"
#include "profile/waits/wait_kinds.h"

#include <regex.h>

struct chain { /* unpacked */
	u32 nr;
	const u32 *places;
};

struct chains {
	/*
	 * All chains; the id of one is its position: twice its length, plus 1 if the places to use in call
	 * graphs differ; its places; if they differ, those in call graphs. If recursion is folded, each place
	 * is followed by how often it is repeated.
	 */
	struct numbers v;
	struct hash_table table;
	bool has_depths;
	ARRAY(u32) scratch;  /* places of the chain looked up last */
	ARRAY(u64) flags;    /* of each, with opts.history: branch_history.h */
	ARRAY(u32) depths;   /* how often each is repeated, if recursion is folded */
	ARRAY(u32) packed;   /* scratch */
	ARRAY(u32) unpacked; /* places of what chains__get returned last */
	ARRAY(u8) ignored;   /* by place: does opts.ignore_callees match? 0: not known yet */
	bool is_called;      /* scratch: all addresses to come are return addresses */
	/* of the chain looked up last: the function that what was sampled counts for, or PLACE_NONE */
	u32 root;
	ARRAY(struct wait_frame) frames;      /* scratch */
	ARRAY(struct wait_frame) wait_frames; /* by place; kind WAIT_NR_KINDS: not looked up yet */
};

struct chain_opts {
	bool caller_first;             /* from the outermost caller to the leaf; otherwise from the leaf */
	bool hide_unresolved;          /* omit unresolved places */
	bool history;                  /* rows begin with branches: branch_history.h */
	bool fold_recursion;           /* a place that is repeated at once is one place */
	const regex_t *ignore_callees; /* drop what functions of such names call; NULL: nothing */
	/*
	 * number of addresses used, counted from the end where the order begins; inlined functions come on
	 * top
	 */
	u32 max_stack;
};

void chains__init(struct chains *c);
void chains__exit(struct chains *c);
void chains__end(struct chains *c); /* free what interning needed: no more chains will follow */
/*
 * Look up the places of a row's chain, from the leaf; they are in scratch until the next call. Return false
 * if the chain is invalid.
 */
bool chains__look_up(struct chains *c, struct places *p, const struct row *row,
		     const struct chain_opts *opts);
/* Return the id of a row's chain as places; PERF_CONTEXT_ marks are interpreted and dropped. */
u32 chains__of_row(struct chains *c, struct places *p, const struct row *row, const struct chain_opts *opts);

/*
 * The same for a row of waits, without the frames that belong to the wait itself (wait_kinds.h), however long
 * the recorded chain. leaf: the place of the row's address; set to the place where the wait begins, with the
 * kind of the wait (WAIT_FOR_EVER: the row is not a wait). It is the leaf of the chain.
 */
u32 chains__of_wait(struct chains *c, struct places *p, const struct row *row, const struct chain_opts *opts,
		    u32 *leaf);
/* Return the id of a chain that is only this place. */
u32 chains__of_leaf(struct chains *c, struct places *p, const struct chain_opts *opts, u32 leaf);
/* As chains__of_wait, but only put the places into scratch, the leaf first. */
void chains__look_up_wait(struct chains *c, struct places *p, const struct row *row,
			  const struct chain_opts *opts, u32 *leaf);
/* Return the wait of a row. The places of its whole chain are in scratch until the next call. */
struct wait chains__wait(struct chains *c, struct places *p, const struct row *row);
/* Return the id of the same chain with another leaf. */
u32 chains__with_leaf(struct chains *c, struct places *p, u32 chain, const struct chain_opts *opts, u32 leaf);

/* Return the id in c of a chain of from, whose flags are not copied. */
u32 chains__copy(struct chains *c, const struct places *p, struct chains *from, u32 id);

/* Return a chain, valid until the next call. */
struct chain chains__get(struct chains *c, u32 id);

/* Return how many numbers of c->v a place of a chain takes. */
static inline u32 chains__stride(const struct chains *c)
{
	return c->has_depths ? 2 : 1;
}

static inline u32 chains__length(const struct chains *c, u32 id)
{
	return numbers__get(&c->v, id) / 2;
}

/* Return the length of a chain, and where in c->v its places in call graphs begin. */
static inline u32 chains__graph(const struct chains *c, u32 id, u32 *begin)
{
	u32 head = numbers__get(&c->v, id), nr = head / 2;

	*begin = id + 1 + (head % 2) * nr * chains__stride(c);
	return nr;
}

#endif
