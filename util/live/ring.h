/*
 * A kernel ring buffer, mapped: one for each CPU or thread. (man 2 perf_event_open, "MMAP layout") The
 * kernel writes at head; perf reads from tail and then moves tail, which frees the space.
 */
#ifndef LIVE_RING_H
#define LIVE_RING_H

#include "base/text/strbuf.h"

struct perf_event_header;

struct ring {
	void *base; /* the mapping; NULL: not mapped */
	u64 size;   /* bytes of data, a power of two */
	u64 mask;
	int fd;   /* of the counter that the ring belongs to; not owned */
	int cpu;  /* -1: any */
	u64 head; /* as of the last ring__begin */
	u64 tail;
	struct ring_ids *ids; /* see ring__rename_id; NULL: none */
};

/* pages: number of data pages, a power of two. Return 0 or a negative errno (EPERM: over the mlock limit). */
int ring__map(struct ring *r, int fd, int cpu, u32 pages);
/*
 * As ring__map for a counter with write_backward: mapped read-only, so that the kernel overwrites
 * (flight_ring.h).
 */
int ring__map_backward(struct ring *r, int fd, int cpu, u32 pages);
const u8 *ring__data(const struct ring *r); /* r->size bytes */
void ring__unmap(struct ring *r);
/*
 * A counter that was opened anew writes to the ring with another id: replace it in the records from now on.
 * Only for events with PERF_SAMPLE_IDENTIFIER. Another thread may be reading the ring. Of many ids that
 * become the same one, only the last are remembered.
 */
void ring__rename_id(struct ring *r, u64 from, u64 to);
/* Do that in a copy of whole records. ring__take and the cursor do it themselves, unless that keeps ids. */
void ring__rename_ids_in(const struct ring *r, void *records, size_t size);
/* Return the id that replaces id, or id itself. */
u64 ring__present_id(const struct ring *r, u64 id);
/*
 * Fill part[] with the bytes that are ready (two parts if they wrap around), and return the number of parts.
 * The kernel does not touch them until ring__end.
 */
struct ring_part {
	const void *data;
	u64 size;
};
int ring__begin(struct ring *r, struct ring_part part[2]);
/* Replaces out by these bytes in one piece, and gives them back. False: there were none. */
bool ring__take(struct ring *r, struct strbuf *out);
void ring__end(struct ring *r);                 /* free everything that ring__begin returned */
void ring__give_back(struct ring *r, u64 size); /* ... or its first bytes */

/* Bytes that are ready now. Another thread may take bytes meanwhile. */
u64 ring__ready(const struct ring *r);
/* How full the ring is now, in 64ths. Another thread may take bytes meanwhile. */
unsigned ring__fill(const struct ring *r);

/*
 * Iterates over the records that ring__begin has returned. The caller may give back what the cursor has
 * passed.
 */
struct ring_cursor {
	const struct ring *ring;
	struct ring_part part[2];
	int nr, i;
	u64 at;     /* in part[i] */
	u64 passed; /* bytes, with the record that was returned last */
	/* RING_RECORD_MAX bytes of the caller, for a record that wraps around the end, or whose id changes */
	u8 *joined;
	/* set after __init: ids are not replaced, so that fewer records are copied */
	bool keeps_ids;
};
enum { RING_RECORD_MAX = 64 << 10 };
void ring_cursor__init(struct ring_cursor *c, const struct ring *ring, u8 *joined);
/* Return the next whole record, in the ring or in joined. NULL at the end, and at an impossible size. */
const struct perf_event_header *ring_cursor__next(struct ring_cursor *c);

#endif
