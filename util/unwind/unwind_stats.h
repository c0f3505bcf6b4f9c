/*
 * How complete the call chains of a recording are: why they ended, and in which binaries. The recorder or
 * the report counts them while unwinding; the recorder's counts are stored in the file.
 */
#ifndef UNWIND_UNWIND_STATS_H
#define UNWIND_UNWIND_STATS_H

#include "base/memory/array.h"
#include "base/text/strbuf.h"
#include "unwind/unwind.h"

struct unwind_culprit {
	char *name; /* a binary in which chains stopped, or JIT code (runtime.h) */
	enum unwind_end end;
	u64 nr;
};

struct unwind_stats {
	char mode[8];     /* how chains were recorded, as in --call-graph; "": unknown */
	u32 stack_copy;   /* bytes, as asked of the kernel */
	bool in_recorder; /* the recorder unwound: --call-graph auto */
	u64 nr;           /* chains of user code, each in one of: */
	u64 ends[UNWIND_ENDS];
	/* cut chains that were continued with an earlier chain's outer frames: likely, not certain */
	u64 joined;
	/* incomplete chains that were continued with the kernel's frame-pointer chain */
	u64 by_frame_pointers;
	/* samples with user registers whose stack could not be copied, for example during an exec */
	u64 no_stack;
	/*
	 * Cut chains where the kernel copied less than it was asked for: it stops at a page that is not in
	 * memory, as in an array on the stack that was never written. Joined ones do not count.
	 */
	u64 absent_page;
	/* Under load: */
	u64 smaller;     /* chains from a smaller stack copy than was asked for */
	u64 smaller_cut; /* those of them that the end of the copy cut off, and that were not joined */
	/* samples without a stack copy: they have the kernel's frame-pointer chain and are not in nr */
	u64 no_copy;
	/*
	 * Samples whose names were looked up. Culprits with the end UNWIND_ENDS count those of them that are
	 * in a runtime's code without names. Not stored.
	 */
	u64 samples;
	ARRAY(struct unwind_culprit) culprits;
};

void unwind_stats__exit(struct unwind_stats *s);
void unwind_stats__add_culprit(struct unwind_stats *s, enum unwind_end end, const char *name, u64 nr);
/* Adds what another one counted. */
void unwind_stats__merge(struct unwind_stats *s, const struct unwind_stats *other);

/*
 * Append the counts as lines "word number [binary]", for the file, or parse them. Parsing returns 0, or
 * -EBADMSG if the text is malformed.
 */
void unwind_stats__write(const struct unwind_stats *s, struct strbuf *out);
int unwind_stats__read(struct unwind_stats *s, const char *text, size_t size);

/*
 * Append one line without its newline: how chains were recorded, if perf did not unwind them. Return false if
 * that is unknown.
 */
bool unwind_stats__tell_mode(const struct unwind_stats *s, struct strbuf *out);
/* Append one line without its newline: how chains were unwound, and the share that is complete. */
void unwind_stats__summary(const struct unwind_stats *s, struct strbuf *out);
/* Return the chains that reach the outermost frame, but with steps that are not proved. */
u64 unwind_stats__found(const struct unwind_stats *s);
/* Return the chains that do not reach the outermost frame; *all: all chains. */
u64 unwind_stats__incomplete(const struct unwind_stats *s, u64 *all);
/*
 * Append a line with its newline for each cause that left more than one in 20 chains incomplete: the share of
 * all chains, why, and what to type; then one for the rest, if it is one in 100 or more. A line
 * takes at most UNWIND_CAUSE_COLUMNS columns. Names are masked. less_load: what to type
 * besides a lower -F where load is the cause, or NULL.
 */
enum { UNWIND_CAUSE_COLUMNS = 74 };
void unwind_stats__add_causes(const struct unwind_stats *s, const char *less_load, struct strbuf *out);
/*
 * As unwind_stats__add_causes, for each runtime with more than one in 20 samples in code without names: their
 * share of all samples. Leave out runtimes that the text told names already: their advice was given.
 */
void unwind_stats__add_nameless(const struct unwind_stats *s, const struct strbuf *told, struct strbuf *out);
/* Append all counts, a line for each end and each binary. */
void unwind_stats__details(const struct unwind_stats *s, struct strbuf *out);

#endif
