/*
 * Call chains of samples that carry registers and a copy of the stack instead (--call-graph dwarf), or
 * branches that are calls (--call-graph lbr). Each worker has one struct unwound.
 */
#ifndef PROFILE_UNWOUND_H
#define PROFILE_UNWOUND_H

#include "profile/places/places.h"
#include "unwind/unwind.h"
#include "unwind/unwind_stats.h"

struct unwound {
	struct session *session;
	struct unwinder *unwinder; /* created with the first sample */
	const struct unwind_arch *arch;
	unsigned max_stack;
	/* for the current sample: */
	const struct maps *maps;
	u32 rank;
	ARRAY(u64) chain;
	struct unwind_stats stats;
};

/* Should samples of this event be unwound? */
static inline bool unwound__is_wanted(u64 sample_type)
{
	const u64 both = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return (sample_type & both) == both;
}

/* Do samples of this type have frame-pointer chains, which may lack the leaf's caller? */
static inline bool unwound__may_lack_caller(u64 sample_type)
{
	const u64 both = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_CALLCHAIN;

	return (sample_type & (both | PERF_SAMPLE_STACK_USER)) == both;
}

void unwound__init(struct unwound *u, struct session *s, unsigned max_stack);
void unwound__exit(struct unwound *u);
/*
 * Replace the chain of s (fully decoded) by the kernel part of the recorded chain and the frames unwound from
 * the stack copy. The chain is valid until the next call. maps: those of the sample's process at rank; may be
 * NULL.
 */
void unwound__add_chain(struct unwound *u, struct sample *s, const struct maps *maps, u32 rank);
/*
 * Insert the caller of a leaf function without a frame record into s's recorded chain, if the return
 * address is in a recorded register (arm64) and call frame information says that it is still valid. The
 * new chain is valid until the next call of either function.
 */
void unwound__add_caller(struct unwound *u, struct sample *s, const struct maps *maps, u32 rank);
/* Do which of both samples of s's event need, if any. */
void unwound__complete_chain(struct unwound *u, struct sample *s, const struct maps *maps, u32 rank);
/*
 * If samples of s's event have call chains in their branch stacks, replace the chain of s by the kernel
 * part of the recorded one and the callers of the branch stack. exact: the leaf is where the sample was
 * taken, not where its function begins. The new chain is valid until the next call of any of these
 * functions.
 */
void unwound__add_lbr_chain(struct unwound *u, struct sample *s, bool exact);
/*
 * Count nr samples, and those without a name for what a runtime runs: in JIT code that no map names, or in
 * an interpreter that names nothing (unwind_stats.samples). space: as row_key.space; at: the place of the
 * samples.
 */
void unwound__note_names(struct unwind_stats *stats, const struct session *s, u32 space, u64 nr,
			 const struct place *at);
/* Return what makes code in a process (struct runtime, code). */
const char *unwound__maker(const struct machine *m, u32 pid);

#endif
