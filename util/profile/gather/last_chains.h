/*
 * --show-ref-call-graph: samples of events without call chains take the last chain of their thread, which
 * another event recorded. Samples of a thread must be seen in their order.
 */
#ifndef PROFILE_LAST_CHAINS_H
#define PROFILE_LAST_CHAINS_H

#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "format/records/sample.h"

struct last_chain {
	u32 pid, tid;
	ARRAY(u64) words; /* as recorded */
};

struct last_chains {
	ARRAY(struct last_chain) v;
	struct hash_table by_tid;
};

void last_chains__exit(struct last_chains *c);
/*
 * Remember the sample's chain, or if its event has none, give it the last one of its thread. That is valid
 * until the next call.
 */
void last_chains__see(struct last_chains *c, struct sample *s);

#endif
