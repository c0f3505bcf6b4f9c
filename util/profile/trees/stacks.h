/*
 * The stacks of a recording, named once for all: a tree in which each node is a frame called by its parent.
 * A stack is the node of its innermost frame; equal stacks are one node. A frame is a place (places.h): a
 * function at an address of a binary, with its source line. Functions inlined there are frames of the same
 * address, inside that of the function they are inlined into.
 */
#ifndef PROFILE_STACKS_H
#define PROFILE_STACKS_H

#include "profile/trees/chains.h"

enum { STACK_NONE = 0 }; /* the stack without frames, and the parent of outermost frames */

struct stack_node {
	u32 parent;
	u32 place;
};

struct stack_step { /* on the way from the outermost frame to a stack */
	u32 place, stack;
};

struct stack_of_row {
	u32 row, stack;
};

struct stacks {
	struct places places;
	struct chains chains; /* only looks up */
	u32 max_stack;
	ARRAY(struct stack_node) v; /* parents first; the first is STACK_NONE */
	struct hash_table table;
	ARRAY(struct stack_step) path; /* to the stack added last: the next one often begins as it does */
	ARRAY(struct stack_of_row) known;
	struct hash_table by_chain; /* of known, by row_key__stack_hash() */
};

struct stacks_opts {
	bool inlines, lines; /* find inlined functions, source lines */
	bool starts;         /* find where functions begin in the source; needs lines */
	bool by_function;    /* frames of one function are equal, whatever their addresses */
	u32 max_stack;       /* addresses used of each chain, from the leaf */
};

void stacks__init(struct stacks *s, struct session *session, const struct stacks_opts *opts);
void stacks__exit(struct stacks *s);
/* Return the stack of a row: its chain, or without one its address. */
u32 stacks__add(struct stacks *s, const struct row *row);
/* As stacks__add of row i of t, *row; faster where threads share chains. All rows are of one table. */
u32 stacks__add_once(struct stacks *s, const struct row_table *t, u32 i, const struct row *row);
/*
 * Return the stack of a row of waits: without the frames that belong to the wait itself, its innermost place
 * has the kind of the wait, as in chains__of_wait. STACK_NONE: the row is not a wait.
 */
u32 stacks__add_wait(struct stacks *s, const struct row *row);
/* Return the stack of a row that has no place in the code; place__stand_in names it. kind: enum wait_kind */
u32 stacks__add_stand_in(struct stacks *s, u8 kind);
/* Return the same stack, with an innermost place that is idle. */
u32 stacks__idle(struct stacks *s, u32 stack);

#endif
