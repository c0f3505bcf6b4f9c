/*
 * Parcels of bytes from one thread to another, in order. What waits has a limit: the first thread waits when
 * it is reached, and can see it coming.
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
/* What is in it is lost. No other thread uses it any more. */
void parcel_queue__delete(struct parcel_queue *q);

/* An empty parcel, for __put: a new one for little, or one that has been used before and has its memory. */
struct parcel *parcel__new(int kind);
void parcel__delete(struct parcel *b);
struct parcel *parcel_queue__fresh(struct parcel_queue *q, int kind);
/*
 * Takes the parcel over; waits for room. The other thread is woken at once, or when there is enough for it to
 * do.
 */
void parcel_queue__put(struct parcel_queue *q, struct parcel *b, bool at_once);
/* No more will come. */
void parcel_queue__close(struct parcel_queue *q);
/* How much of the room is taken, in 64ths; may be more than 64. */
unsigned parcel_queue__fill(struct parcel_queue *q);
/* Waits a moment for less to be taken. */
void parcel_queue__wait(struct parcel_queue *q);

/* The next one, for __done; waits for it. NULL: the queue is closed and empty. */
struct parcel *parcel_queue__take(struct parcel_queue *q);
/* Takes the parcel back, which counted until now. */
void parcel_queue__done(struct parcel_queue *q, struct parcel *b);

#endif
