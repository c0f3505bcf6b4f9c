/*
 * How complete the call chains of a recording are: why they ended, and in which binaries. Counted where
 * chains are unwound, in the recorder or in the report; the recorder's count goes into the file.
 */
#ifndef UNWIND_UNWIND_STATS_H
#define UNWIND_UNWIND_STATS_H

#include "base/memory/array.h"
#include "base/text/strbuf.h"
#include "unwind/unwind.h"

struct unwind_culprit { /* a binary in which chains stopped */
	char *name;
	enum unwind_end end;
	u64 nr;
};

struct unwind_stats {
	char mode[8];     /* how chains were recorded, as --call-graph names it; "": not said */
	u32 stack_copy;   /* bytes, as asked of the kernel */
	bool in_recorder; /* the recorder did it: --call-graph auto */
	u64 nr;           /* chains of user code, each in one of: */
	u64 ends[UNWIND_ENDS];
	u64 joined;            /* of those that were cut: continued with an earlier chain's outer frames */
	u64 by_frame_pointers; /* of all but the complete ones: continued with the kernel's chain */
	u64 no_stack;          /* samples with user registers whose stack could not be copied: in exec, say */
	/* Under load: */
	u64 smaller; /* chains from a copy of less of the stack than was asked for */
	/* samples without any copy: with the kernel's chain along frame pointers, not among nr */
	u64 no_copy;
	ARRAY(struct unwind_culprit) culprits;
};

void unwind_stats__exit(struct unwind_stats *s);
void unwind_stats__add_culprit(struct unwind_stats *s, enum unwind_end end, const char *name, u64 nr);
/* Adds what another one counted. */
void unwind_stats__merge(struct unwind_stats *s, const struct unwind_stats *other);

/* As lines "word number [binary]", for the file; and back: 0, or -EBADMSG for what is no such text. */
void unwind_stats__write(const struct unwind_stats *s, struct strbuf *out);
int unwind_stats__read(struct unwind_stats *s, const char *text, size_t size);

/*
 * What load did to the chains: "NR of ALL ...", with how much of them that is; nothing when it did nothing.
 */
void unwind_stats__add_load(const struct unwind_stats *s, struct strbuf *out);
/*
 * One line without its newline: how chains were recorded, when they were not unwound by perf. False: nothing
 * is known.
 */
bool unwind_stats__tell_mode(const struct unwind_stats *s, struct strbuf *out);
/* One line without its newline: shares, and the three binaries that stopped most chains. Names are masked. */
void unwind_stats__summary(const struct unwind_stats *s, struct strbuf *out);
/* Everything, a line for each end and each binary. */
void unwind_stats__details(const struct unwind_stats *s, struct strbuf *out);

#endif
