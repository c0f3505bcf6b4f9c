/*
 * Call chains that the processor kept (--call-graph lbr): the calls in a sample's branch stack that have
 * not returned are the callers of user code. The processor keeps 8 to 32 of them; when more are nested,
 * the outermost ones are overwritten. --stitch-lbr takes these from earlier samples of the thread: a call
 * that is in both, at the same position of the processor's ring, has the same callers. Then samples of a
 * thread must be seen in their order.
 */
#ifndef PROFILE_LBR_CHAINS_H
#define PROFILE_LBR_CHAINS_H

#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "format/records/sample.h"

struct lbr_call {
	u64 from, to;
};

struct lbr_thread {
	u32 pid, tid;
	u64 hw_idx;                   /* position of the newest call in the ring */
	ARRAY(struct lbr_call) calls; /* of the last sample, newest first, and of those before it */
};

struct lbr_chains {
	ARRAY(u64) branches; /* as in struct sample */
	ARRAY(struct lbr_thread) threads;
	struct hash_table by_tid;
	ARRAY(struct lbr_call) scratch;
};

void lbr_chains__exit(struct lbr_chains *c);
/*
 * Append calls of earlier samples to the branch stack of a sample, if it has calls. The stack is valid
 * until the next call, and has no flags.
 */
void lbr_chains__complete(struct lbr_chains *c, struct sample *s);

#endif
