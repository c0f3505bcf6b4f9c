/*
 * Parcels of bytes from one thread to another, in order. The queue has a limit: the sender waits when it is
 * reached, and can ask how full the queue is.
 */
#ifndef BASE_PARCEL_QUEUE_H
#define BASE_PARCEL_QUEUE_H

#include "base/text/strbuf.h"

struct parcel {
	struct parcel *next;
	int kind; /* the user's */
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

/* Return the next parcel, to be given to __done; wait for it. NULL: the queue is closed and empty. */
struct parcel *parcel_queue__take(struct parcel_queue *q);
/* Give the parcel back; its memory counted until now. */
void parcel_queue__done(struct parcel_queue *q, struct parcel *b);

#endif
