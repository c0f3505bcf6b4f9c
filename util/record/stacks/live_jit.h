/*
 * Call frame information that JIT compilers of the recorded processes write into a jit-PID.dump, read while
 * they write it. A dump is opened when code without a file is first unwound in its process; until then it
 * costs nothing. Data that the compiler still has in a buffer of its own is missing (Node.js writes 2 MB at
 * once).
 */
#ifndef RECORD_LIVE_JIT_H
#define RECORD_LIVE_JIT_H

#include "base/memory/array.h"
#include "binary/symbols/jit_frames.h"
#include "format/records/record.h"

struct live_dump;

struct live_jit {
	ARRAY(struct live_dump *) v;
	u64 left; /* bytes that may still be read in this round */
};

void live_jit__exit(struct live_jit *l);
/* Process a side-band record: maps of dumps, ends of processes. Ignore others. */
void live_jit__see(struct live_jit *l, const struct record *r);
/*
 * Begin a round: read on in the dumps that are open, and free what is no longer used. Call renew for each
 * process whose CFI of before must not be used any more.
 */
void live_jit__begin_round(struct live_jit *l, void (*renew)(void *ctx, u32 pid), void *ctx);
/* Return the CFI of the code at a memory address, which it counts by, or NULL. Valid until the next round. */
struct cfi *live_jit__cfi(struct live_jit *l, u32 pid, u64 ip);

#endif
