/*
 * How often the code of one binary ran, as a recording tells it: what profiles for compilers are made of.
 *
 * If the events have branch stacks, branches and blocks are counted, as they are exact; else samples and the
 * calls of their chains. All addresses are dso addresses, a call's is one inside of the call instruction.
 */
#ifndef PGO_CODE_USE_H
#define PGO_CODE_USE_H

#include "export/export_format.h"
#include "model/session.h"

enum { CODE_ELSEWHERE = 0 }; /* in place of the address of a branch: in another binary */

struct code_count { /* one of: */
	/*
	 * a sample: its address, twice
	 * a branch: of its two ends one may be CODE_ELSEWHERE
	 * a block: the first instruction, and the last one, which branched
	 * a call of a chain: an address inside of the call instruction; index in callees
	 */
	u64 from, to;
	u64 nr;           /* of a call: samples in the called function and in what it called */
	u64 mispredicted; /* of a branch */
	u64 first;        /* time of the first sample, ns */
};

struct code_counts { /* sorted by from, then by to; each pair is there once */
	ARRAY(struct code_count) v;
};

struct code_callee {
	const struct dso *dso;
	const struct symbol *sym;
};

struct code_use {
	struct session *session;
	const struct export_args *args;
	struct dso *dso;
	bool has_branches;
	struct code_counts samples, calls;   /* without has_branches */
	struct code_counts branches, blocks; /* with has_branches */
	ARRAY(struct code_callee) callees;   /* of calls; each function once */
	u64 nr_samples;                      /* with has_branches: branches; of all binaries */
	u64 nr_here;                         /* of these, in the binary */
	u64 nr_left_out;                     /* samples of other events */
	const char *event;                   /* the event whose samples were counted */
};

/*
 * Count the samples of s that a->filter keeps. The binary is the one that filter.dsos names, else the program
 * with most samples, or a library if hardly any are in it; the event, if filter.events does not name one, the
 * first that has samples. Return 0, or a negative errno with err. s and a stay the caller's.
 */
int code_use__collect(struct code_use *u, struct session *s, const struct export_args *a, struct err *err);
void code_use__exit(struct code_use *u); /* accepts an all-zero one */
void code_counts__add(struct code_counts *c, u64 from, u64 to, u64 nr, u64 mispredicted);
/* Sort them after the last code_counts__add, and add those of one pair up. */
void code_counts__sort(struct code_counts *c);
/* Return the index of the first count with this from, or a later one; counts.nr if there is none. */
size_t code_counts__at(const struct code_counts *c, u64 from);
/* Append a line if the recording has no calls, no branch stacks: what struct pgo_format has as lacks. */
void code_use__lacks_calls(const struct code_use *u, struct strbuf *lines);
void code_use__lacks_branches(const struct code_use *u, struct strbuf *lines);

#endif
