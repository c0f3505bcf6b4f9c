/*
 * A kernel ring buffer, mapped: one per CPU, or per thread. (man 2 perf_event_open, "MMAP layout")
 * Forward rings only for now: the kernel writes at head, we read from tail and give the space back.
 */
#ifndef LIVE_RING_H
#define LIVE_RING_H

#include "base/types.h"

struct ring {
	void *base; /* the mapping; NULL: not mapped */
	u64 size;   /* bytes of data, a power of two */
	u64 mask;
	int fd;   /* of the counter it belongs to; not owned */
	int cpu;  /* -1: any */
	u64 head; /* as of the last ring__begin */
	u64 tail;
};

/* pages: of data, a power of two. 0 or a negative errno (EPERM: over the mlock limit). */
int ring__map(struct ring *r, int fd, int cpu, u32 pages);
void ring__unmap(struct ring *r);
/*
 * The bytes that are ready, at most two runs since the ring wraps: fills part[] (memory, bytes), returns how
 * many parts. The kernel does not touch them until ring__end.
 */
struct ring_part {
	const void *data;
	u64 size;
};
int ring__begin(struct ring *r, struct ring_part part[2]);
/* The same bytes again, as long as ring__end has not given them back. */
int ring__parts(const struct ring *r, struct ring_part part[2]);
void ring__end(struct ring *r); /* gives back everything that ring__begin showed */

#endif
