#include "base/system/parcel_queue.h"

#include "base/memory/mem.h"

#include <pthread.h>
#include <time.h>

enum {
	DUE_FILL = 2, /* 64ths of the room: wake the other thread for that much */
	WAIT_NS = 2000000,
	UNUSED_PART = 4,        /* keep up to 1/4 of the room as free memory for parcels */
	UNUSED_SIZE = 16 << 10, /* bytes; smaller parcels are not kept */
};

struct parcel_queue {
	pthread_mutex_t lock; /* protects all that follows */
	pthread_cond_t has_parcel, has_room;
	u64 room, taken; /* bytes; taken includes the parcel in work */
	struct parcel *first, *last;
	struct parcel *unused; /* most recently used first: its memory is in the cache */
	u64 unused_bytes;
	bool is_due; /* the queue is full enough to wake the other thread */
	bool is_closed;
};

struct parcel_queue *parcel_queue__new(u64 room)
{
	struct parcel_queue *q = xcalloc(1, sizeof(*q));
	pthread_mutexattr_t attr;

	q->room = room;
	pthread_mutexattr_init(&attr);
	/*
	 * Priority inheritance: the holder of the lock runs at the priority of the thread that waits for it.
	 */
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&q->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_cond_init(&q->has_parcel, NULL);
	pthread_cond_init(&q->has_room, NULL);
	return q;
}

struct parcel *parcel__new(int kind)
{
	struct parcel *b = xcalloc(1, sizeof(*b));

	b->kind = kind;
	strbuf__init(&b->bytes);
	return b;
}

void parcel__delete(struct parcel *b)
{
	strbuf__exit(&b->bytes);
	free(b);
}

/* A parcel counts with its memory, even if it is hardly filled. */
static u64 parcel__cost(const struct parcel *b)
{
	return sizeof(*b) + b->bytes.alloc;
}

static void delete_list(struct parcel *b)
{
	while (b) {
		struct parcel *next = b->next;

		parcel__delete(b);
		b = next;
	}
}

void parcel_queue__delete(struct parcel_queue *q)
{
	if (!q)
		return;
	delete_list(q->first);
	delete_list(q->unused);
	pthread_cond_destroy(&q->has_room);
	pthread_cond_destroy(&q->has_parcel);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

struct parcel *parcel_queue__fresh(struct parcel_queue *q, int kind)
{
	struct parcel *b;

	pthread_mutex_lock(&q->lock);
	b = q->unused;
	if (b) {
		q->unused = b->next;
		q->unused_bytes -= parcel__cost(b);
	}
	pthread_mutex_unlock(&q->lock);
	if (!b)
		return parcel__new(kind);
	b->next = NULL;
	b->kind = kind;
	strbuf__reset(&b->bytes);
	return b;
}

void parcel_queue__put(struct parcel_queue *q, struct parcel *b, bool at_once)
{
	pthread_mutex_lock(&q->lock);
	while (q->taken && q->taken + parcel__cost(b) > q->room) {
		q->is_due = true;
		pthread_cond_signal(&q->has_parcel);
		pthread_cond_wait(&q->has_room, &q->lock);
	}
	q->taken += parcel__cost(b);
	if (q->last)
		q->last->next = b;
	else
		q->first = b;
	q->last = b;
	q->is_due |= at_once || q->taken * 64 / q->room >= DUE_FILL;
	if (q->is_due)
		pthread_cond_signal(&q->has_parcel);
	pthread_mutex_unlock(&q->lock);
}

void parcel_queue__close(struct parcel_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->is_closed = true;
	pthread_cond_signal(&q->has_parcel);
	pthread_mutex_unlock(&q->lock);
}

unsigned parcel_queue__fill(struct parcel_queue *q)
{
	u64 fill;

	pthread_mutex_lock(&q->lock);
	fill = q->taken * 64 / q->room;
	pthread_mutex_unlock(&q->lock);
	return (unsigned)fill;
}

void parcel_queue__wait(struct parcel_queue *q)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += WAIT_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&q->lock);
	q->is_due = q->first != NULL;
	pthread_cond_signal(&q->has_parcel);
	if (q->taken)
		pthread_cond_timedwait(&q->has_room, &q->lock, &until);
	pthread_mutex_unlock(&q->lock);
}

struct parcel *parcel_queue__take(struct parcel_queue *q)
{
	struct parcel *b;

	pthread_mutex_lock(&q->lock);
	while ((!q->first || !q->is_due) && !q->is_closed)
		pthread_cond_wait(&q->has_parcel, &q->lock);
	b = q->first;
	if (b)
		q->first = b->next;
	if (!q->first) {
		q->last = NULL;
		q->is_due = false;
	}
	pthread_mutex_unlock(&q->lock);
	return b;
}

void parcel_queue__done(struct parcel_queue *q, struct parcel *b)
{
	pthread_mutex_lock(&q->lock);
	q->taken -= parcel__cost(b);
	if (b->bytes.alloc >= UNUSED_SIZE && q->unused_bytes + parcel__cost(b) <= q->room / UNUSED_PART) {
		b->next = q->unused;
		q->unused = b;
		q->unused_bytes += parcel__cost(b);
		b = NULL;
	}
	pthread_cond_signal(&q->has_room);
	pthread_mutex_unlock(&q->lock);
	if (b)
		parcel__delete(b);
}
