/*
 * Memory that input wants beyond what true input of its size needs: one reserve for all of a process. A
 * reader of input counts its needs against its size, and takes the rest from here. If the reserve is empty,
 * it leaves out the data, and a message says so. So no set of files makes perf take much more than files of
 * their size take.
 */
#ifndef BASE_RESERVE_H
#define BASE_RESERVE_H

#include "base/memory/types.h"

enum {
	RESERVE_SIZE = 96 << 20, /* bytes */
	NAME_SHORT = 255,        /* bytes of a name that always has room */
};

/* Take bytes. Return false if there are not as many. Thread-safe. */
bool reserve__take(u64 bytes);
/* As reserve__take, but take what there is if that is less. */
void reserve__take_at_most(u64 bytes);
/* Return the bytes that are left. */
u64 reserve__left(void);
/* Give bytes back. Thread-safe. */
void reserve__give(u64 bytes);

/*
 * Return the name if it is short, or if *left, from which its length is taken, has room for it. Return its
 * last NAME_SHORT bytes otherwise: thousands of names may be ends of one, as linkers share bytes. Not
 * thread-safe.
 */
const char *name__within(const char *name, u64 *left);

#endif
