/*
 * A kernel ring buffer, mapped: one per CPU, or per thread. (man 2 perf_event_open, "MMAP layout")
 * The kernel writes at head, we read from tail and give the space back.
 */
#ifndef LIVE_RING_H
#define LIVE_RING_H

#include "base/memory/types.h"

struct perf_event_header;

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
/*
 * The same of a counter with write_backward: read-only, which is what lets the kernel overwrite
 * (flight_ring.h).
 */
int ring__map_backward(struct ring *r, int fd, int cpu, u32 pages);
const u8 *ring__data(const struct ring *r); /* r->size bytes */
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
void ring__end(struct ring *r);                 /* gives back everything that ring__begin showed */
void ring__give_back(struct ring *r, u64 size); /* ... or the first bytes of it */

/* How many bytes are ready by now. */
u64 ring__ready(const struct ring *r);
/* How full it is by now, in 64ths. */
unsigned ring__fill(const struct ring *r);

/* Goes over the records that ring__begin has shown; giving back what it is past is no matter to it. */
struct ring_cursor {
	struct ring_part part[2];
	int nr, i;
	u64 at;     /* in part[i] */
	u64 passed; /* bytes, with the record that was returned last */
	/* RING_RECORD_MAX bytes of the caller's, for a record that wraps around the ring's end */
	u8 *joined;
};
enum { RING_RECORD_MAX = 64 << 10 };
void ring_cursor__init(struct ring_cursor *c, const struct ring *ring, u8 *joined);
/* The next whole record, in the ring itself or in joined. NULL at the end, and at what cannot be a record. */
const struct perf_event_header *ring_cursor__next(struct ring_cursor *c);

#endif
