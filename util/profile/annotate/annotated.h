/*
 * An annotated function: its instructions, what each cost, and which source lines and inlined functions they
 * are of. Text, browser and page draw a function from this model only. It has no text but names and
 * instructions, which are not masked.
 *
 * 	profile__collect(&profile, session, &(struct profile_opts){ .no_chains = true }, &err);
 * 	hot_code__init(&hot, &profile, ...);           the functions, with costs
 * 	hot_code__find_addresses(&hot, wanted);        of those that may be shown
 * 	hot_code__find_blocks(&hot, &blocks, wanted);  of a recording with branch stacks
 * 	annotated__init(&a, &hot, &hot.v.v[i], &opts);
 *
 * All of it is used by one thread. An annotated function of 10,000 instructions takes some 10 ms to make.
 *
 * If the code or the disassembler is missing, an "instruction" is an address that was hit, with its costs and
 * lines: so costs are always there.
 */
#ifndef PROFILE_ANNOTATED_H
#define PROFILE_ANNOTATED_H

#include "base/memory/strpool.h"
#include "binary/code/disasm.h"
#include "model/code.h"
#include "profile/annotate/hot_code.h"

enum { ANNOTATED_NONE = UINT32_MAX };

struct annotated_insn {
	u64 addr;            /* linked address: code.vaddr and offset */
	u32 offset;          /* from the function's start, bytes */
	u8 size;             /* bytes; 0: unknown, there is no code */
	u8 kind;             /* enum insn_kind */
	bool is_slow;        /* as in struct insn */
	bool is_jump_target; /* of a jump in this function */
	bool is_outside;     /* not in the inlined function that hot_code.inlined names */
	bool is_after_slow;  /* an imprecise event counts here what the instruction before cost */
	bool has_target, has_data;
	u64 target, data;       /* linked addresses */
	u32 mnemonic, operands; /* text ids; 0: none */
	u32 name;               /* text id: what target or data is; 0: unknown */
	u32 jump;               /* index of the instruction that target is; ANNOTATED_NONE: none */
	u32 loops;              /* number of loops around it */
	u32 frames, nr_frames;  /* functions and lines in struct annotated, innermost first */
	u32 line;               /* index in lines; ANNOTATED_NONE: unknown */
};

/*
 * Counts from branch stacks for an instruction. The longest block that ends with it is the one that begins
 * farthest back.
 */
struct annotated_flow {
	u64 runs;    /* times that it was seen to run */
	u64 entries; /* of these, times that a branch led to it */
	u64 taken,
		predicted;  /* of these, times that it branched away; predictions of that by the processor */
	u64 nr_blocks;      /* blocks with known cycles that end with it */
	u64 block_cycles;   /* their sum */
	u64 nr_longest;     /* of these, those that begin farthest back */
	u64 longest_cycles; /* their sum */
	u32 longest_insns;  /* instructions of one; 0: none */
};

struct annotated_line {   /* of the innermost function of some instructions */
	const char *file; /* with folders; valid as long as the dso */
	u32 number;
	u32 costs; /* index in costs, of the first event */
};

struct annotated {
	const struct hot_function *function;
	u64 size; /* bytes of the function, at most those of code */
	struct code code;
	struct strpool texts;
	ARRAY(struct annotated_insn) insns; /* in the order of addresses */
	ARRAY(struct code_cost) costs;      /* of instructions, nr_events each; then of lines */
	u32 nr_events;
	struct code_cost *elsewhere;     /* by event: at addresses that no instruction has */
	ARRAY(struct code_frame) frames; /* the name of the function itself is NULL */
	ARRAY(struct annotated_line) lines;
	ARRAY(struct annotated_flow) flows; /* of the instructions; empty: there are no branch stacks */
	u32 nr_timed;                       /* instructions in blocks with known cycles */
	u32 nr_unknown;                     /* instructions without a mnemonic */
	struct err not_decoded; /* why objdump did not read them; empty: it was not asked, or has read them */
	struct err no_code;     /* why there are no instructions; empty: there are */
};

struct annotate_opts {
	enum disasm_syntax syntax;
	bool no_names; /* do not name what operands refer to */
	bool no_lines; /* no source lines and inlined functions; not with hot_code.inlined */
	/* run objdump once for a function with instructions that the disassembler does not know */
	bool asks_objdump;
	const char *objdump; /* the program; NULL: that of the machine */
};

/*
 * Annotate a function of h, whose addresses were found. h must live as long as a. Failures are in a->no_code.
 */
void annotated__init(struct annotated *a, struct hot_code *h, const struct hot_function *f,
		     const struct annotate_opts *opts);
void annotated__exit(struct annotated *a);

/* Return the instruction that begins so many bytes after the function's start; ANNOTATED_NONE: none does. */
u32 annotated__find(const struct annotated *a, u64 offset);

/* Append the name of a frame's function as shown; not masked. */
void annotated__add_frame_name(const struct annotated *a, struct hot_code *h, const struct code_frame *f,
			       struct strbuf *sb);
/* Append what is shown in place of an unknown instruction. is_first: no other one of a has been shown. */
void annotated__add_unknown(const struct annotated *a, bool is_first, struct strbuf *sb);

/* Return instructions per cycle of the block that ends with an instruction; 0: not known. */
double annotated_flow__ipc(const struct annotated_flow *flow);
/* Return instructions per cycle of all blocks; 0: not known. */
double annotated__ipc(const struct annotated *a);

static inline const char *annotated__text(const struct annotated *a, u32 text)
{
	return strpool__get(&a->texts, text);
}

static inline const struct code_cost *annotated__cost(const struct annotated *a, u32 insn, u32 event)
{
	return &a->costs.v[(size_t)insn * a->nr_events + event];
}

static inline const struct code_cost *annotated__line_cost(const struct annotated *a,
							   const struct annotated_line *l, u32 event)
{
	return &a->costs.v[l->costs + event];
}

#endif
