/*
 * Parcels of bytes from one thread to another, in order. The queue has a limit: the sender waits when it is
 * reached, and can ask how full the queue is.
 *
 * Helpers, which are further threads, may prepare parcels that wait in the queue, so that the receiver has
 * less to do. The fuller the queue, the more of them work. No parcel after a barrier is prepared before the
 * receiver is done with the barrier.
 */
#ifndef BASE_PARCEL_QUEUE_H
#define BASE_PARCEL_QUEUE_H

#include "base/text/strbuf.h"

enum parcel_state {
	PARCEL_PLAIN,    /* passed on as it is */
	PARCEL_WAITS,    /* to be prepared */
	PARCEL_IN_WORK,  /* being prepared */
	PARCEL_PREPARED, /* by a helper, or by the receiver while it waited for a helper */
	PARCEL_BARRIER,
};

struct parcel {
	struct parcel *next;
	int kind; /* the user's */
	/* set it before __put to WAITS or BARRIER; __new and __fresh set PLAIN */
	enum parcel_state state;
	u64 cost; /* bytes of room */
	struct strbuf bytes;
};

struct parcel_queue;
struct parcel_queue *parcel_queue__new(u64 room); /* bytes */
/* Discard queued parcels. No other thread may use the queue any more. */
void parcel_queue__delete(struct parcel_queue *q);

/* Make an empty parcel for __put: a new one, or a used one that still has memory. */
struct parcel *parcel__new(int kind);
void parcel__delete(struct parcel *b);
struct parcel *parcel_queue__fresh(struct parcel_queue *q, int kind);
/* Take the parcel; wait for room. Wakes the other thread at once, or when there is enough to do. */
void parcel_queue__put(struct parcel_queue *q, struct parcel *b, bool at_once);
/* Close: no more parcels will come. */
void parcel_queue__close(struct parcel_queue *q);
/* How much of the room is used, in 64ths; may be more than 64. */
unsigned parcel_queue__fill(struct parcel_queue *q);
/* Wait briefly for parcels to be done. */
void parcel_queue__wait(struct parcel_queue *q);

/*
 * Return the next parcel, to be given to __done; wait for it. NULL: the queue is closed and empty. A parcel
 * that is IN_WORK is not the next one: a helper prepares that. Prepare this one meanwhile, and give it to
 * __prepared instead.
 */
struct parcel *parcel_queue__take(struct parcel_queue *q);
/* Give the parcel back; its memory counted until now. */
void parcel_queue__done(struct parcel_queue *q, struct parcel *b);

/* Let at most so many helpers work at once; 0, as at first: none. Before they start. */
void parcel_queue__set_helpers(struct parcel_queue *q, unsigned most);
/*
 * For a helper: return a parcel to prepare, to be given to __prepared; wait until there is one and the queue
 * is full enough. NULL: the queue is closed, and so much is not left.
 */
struct parcel *parcel_queue__help(struct parcel_queue *q);
/* The parcel is prepared. by_helper: it came from __help. */
void parcel_queue__prepared(struct parcel_queue *q, struct parcel *b, bool by_helper);

#endif
