/*
 * Which methods are inlined around calls in compiled code, as read before: when a process has ended, or its
 * memory cannot be read in time, they are still known.
 */
#ifndef RECORD_KNOWN_CALLS_H
#define RECORD_KNOWN_CALLS_H

#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "base/memory/types.h"

struct known_call {
	u64 ra;       /* return address */
	u64 identity; /* of the blob that has it */
	u32 first;    /* of its addresses in known_calls.at */
	u32 nr;
};

struct known_calls {
	ARRAY(struct known_call) v;
	ARRAY(u64) at;
	struct hash_table by_ra; /* of v */
};

void known_calls__exit(struct known_calls *k);
/* Return the call in this blob, or NULL. Valid until one is added. */
const struct known_call *known_calls__find(const struct known_calls *k, u64 ra, u64 identity);
/* Keep a call that is not known yet: nr addresses of bytecodes of inlined methods. */
void known_calls__add(struct known_calls *k, u64 ra, u64 identity, const u64 *at, u32 nr);

#endif
