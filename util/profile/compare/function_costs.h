/*
 * The costs of the functions of a recording, themselves and with what they call, in blocks of equal time. A
 * function has the same number in all recordings whose names share a pool.
 */
#ifndef PROFILE_FUNCTION_COSTS_H
#define PROFILE_FUNCTION_COSTS_H

#include "base/memory/strpool.h"
#include "profile/compare/evidence.h"
#include "profile/compare/in_step.h"
#include "profile/gather/profile.h"
#include "profile/keys/sample_filter.h"

#define INTERRUPTS "[interrupts]"    /* name for the cost of interrupt handlers, in any process */
#define UNKNOWN_FUNCTION "[unknown]" /* the name of code without a symbol, even a made-up one */

struct cost_sum {
	/* periods of the samples, added up: exact, so that the order of samples does not matter */
	double blocks[EVIDENCE_BLOCKS];
	double squares; /* of the periods */
};

struct function_cost {
	/*
	 * id in the pool of "NAME\tBINARY", or of "NAME\tBINARY\tBUILD-ID" for a made-up name, whose address
	 * is of one build only
	 */
	u32 function;
	u32 size;                 /* bytes of code; 0: unknown */
	u64 code;                 /* from code_hasher__hash(), if there are samples enough; 0: unknown */
	struct cost_sum self;     /* cost of its own code */
	struct cost_sum total;    /* cost of samples that have it anywhere in the stack */
	struct step_counts steps; /* of self; zeros: not wanted, or too few */
};

struct call_cost { /* cost of the code of a function when this caller called it */
	u32 function, caller;
	double weight;
};

struct function_stack { /* a caller's stack and one function more */
	u32 parent;     /* index in the list, less than that of this stack; 0: none */
	u32 function;   /* id in the pool */
	double cost[2]; /* of the samples whose whole stack it is, by side; one recording uses the first */
};

struct function_stacks { /* each once; the first is empty */
	ARRAY(struct function_stack) v;
	struct hash_table table;
}; /* by id of a stack */

struct function_line { /* a line with samples, or with a call in their call chains */
	u32 function;  /* id in the pool; after comparison__finish(), index of its row */
	u32 file;      /* id in the pool: with folders */
	u32 line;
};

struct binary_cost {            /* of a binary with samples */
	u32 name;               /* id in the pool */
	bool has_lines;         /* there is debug information, so that inlined functions are known */
	double weight, inlined; /* of all samples in it, of those in inlined functions */
};

struct function_costs {
	ARRAY(struct function_cost) rows;
	ARRAY(struct call_cost) calls;
	struct hash_table by_function, by_call;
	struct function_stacks stacks;      /* empty: not wanted */
	ARRAY(struct function_line) lines;  /* empty: not wanted, or not known */
	ARRAY(u32) builds;                  /* ids in the pool: build-ids of what was mapped, as text */
	ARRAY(struct binary_cost) binaries; /* empty: inlined functions are not wanted */
	u64 first, last;                    /* ns: times of the first and the last sample */
	u64 nr_samples;
	double weight; /* of all samples */
};

struct function_costs_opts {
	u32 event;                          /* idx of the event that counts */
	const struct sample_filter *filter; /* not owned */
	bool interrupts_apart;              /* interrupt handlers count as one function, INTERRUPTS */
	bool keeps_stacks;                  /* for stacks */
	bool keeps_lines;                   /* for lines */
	bool counts_steps;                  /* for steps: samples may be in step with the program */
	bool no_inlines;                    /* inlined functions belong to the function that has their code */
	unsigned nr_threads;
};

/*
 * Count the samples of an event in s, and add names to the pool. Return 0 or a negative errno with err. Exit
 * c in any case.
 */
int function_costs__count(struct function_costs *c, struct session *s, struct strpool *names,
			  const struct function_costs_opts *opts, struct err *err);
void function_costs__exit(struct function_costs *c);

/* Return the index of the stack of a function that the stack parent calls; it may be a new one. */
u32 function_stacks__add(struct function_stacks *s, u32 parent, u32 function);
void function_stacks__exit(struct function_stacks *s);

#endif
