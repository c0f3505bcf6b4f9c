#include "base/system/parcel_queue.h"

#include "base/memory/mem.h"

#include <pthread.h>
#include <time.h>

enum {
	DUE_FILL = 2, /* 64ths of the room: wake the other thread for that much */
	WAIT_NS = 2000000,
	UNUSED_PART = 4,        /* keep up to 1/4 of the room as free memory for parcels */
	UNUSED_SIZE = 16 << 10, /* bytes; smaller parcels are not kept */
	/* 64ths of the room: the first helper works above the one, all of them from the other on */
	HELP_FILL = 4,
	MOST_HELP_FILL = 32,
};

struct parcel_queue {
	pthread_mutex_t lock; /* protects all that follows */
	pthread_cond_t has_parcel, has_room, needs_help;
	u64 room, taken; /* bytes; taken includes the parcel in work */
	struct parcel *first, *last;
	struct parcel *fresh; /* the first one that nobody has looked at; NULL: none */
	bool is_at_barrier;   /* the receiver works on one */
	unsigned nr_helping, most_helpers;
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
	pthread_cond_init(&q->needs_help, NULL);
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
	pthread_cond_destroy(&q->needs_help);
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
	b->state = PARCEL_PLAIN;
	b->kind = kind;
	strbuf__reset(&b->bytes);
	return b;
}

/* ---- helpers ---- */

/* Return the first parcel that waits to be prepared, before the next barrier, or NULL. */
static struct parcel *parcel_queue__waiting(struct parcel_queue *q)
{
	if (q->is_at_barrier)
		return NULL;
	while (q->fresh && q->fresh->state == PARCEL_PLAIN)
		q->fresh = q->fresh->next;
	return q->fresh && q->fresh->state == PARCEL_WAITS ? q->fresh : NULL;
}

static struct parcel *parcel_queue__begin_work(struct parcel_queue *q)
{
	struct parcel *b = q->fresh;

	b->state = PARCEL_IN_WORK;
	q->fresh = b->next;
	return b;
}

static bool parcel_queue__needs_help(struct parcel_queue *q)
{
	u64 fill = q->most_helpers ? q->taken * 64 / q->room : 0;

	return fill > HELP_FILL && q->nr_helping < q->most_helpers &&
	       q->nr_helping * (MOST_HELP_FILL - HELP_FILL) < (fill - HELP_FILL) * q->most_helpers &&
	       parcel_queue__waiting(q);
}

void parcel_queue__set_helpers(struct parcel_queue *q, unsigned most)
{
	q->most_helpers = most;
}

struct parcel *parcel_queue__help(struct parcel_queue *q)
{
	struct parcel *b = NULL;

	pthread_mutex_lock(&q->lock);
	while (!q->is_closed && !parcel_queue__needs_help(q))
		pthread_cond_wait(&q->needs_help, &q->lock);
	if (parcel_queue__needs_help(q)) {
		b = parcel_queue__begin_work(q);
		q->nr_helping++;
		if (parcel_queue__needs_help(q))
			pthread_cond_signal(&q->needs_help);
	}
	pthread_mutex_unlock(&q->lock);
	return b;
}

void parcel_queue__prepared(struct parcel_queue *q, struct parcel *b, bool by_helper)
{
	pthread_mutex_lock(&q->lock);
	b->state = PARCEL_PREPARED;
	q->nr_helping -= by_helper;
	if (b == q->first)
		pthread_cond_signal(&q->has_parcel);
	pthread_mutex_unlock(&q->lock);
}

/* ---- sender and receiver ---- */

void parcel_queue__put(struct parcel_queue *q, struct parcel *b, bool at_once)
{
	b->cost = parcel__cost(b);
	pthread_mutex_lock(&q->lock);
	while (q->taken && q->taken + b->cost > q->room) {
		q->is_due = true;
		pthread_cond_signal(&q->has_parcel);
		pthread_cond_wait(&q->has_room, &q->lock);
	}
	q->taken += b->cost;
	if (q->last)
		q->last->next = b;
	else
		q->first = b;
	q->last = b;
	if (!q->fresh)
		q->fresh = b;
	q->is_due |= at_once || q->taken * 64 / q->room >= DUE_FILL;
	if (q->is_due)
		pthread_cond_signal(&q->has_parcel);
	if (parcel_queue__needs_help(q))
		pthread_cond_signal(&q->needs_help);
	pthread_mutex_unlock(&q->lock);
}

void parcel_queue__close(struct parcel_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->is_closed = true;
	pthread_cond_broadcast(&q->needs_help);
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
	struct parcel *b = NULL;

	pthread_mutex_lock(&q->lock);
	for (;;) {
		while ((!q->first || !q->is_due) && !q->is_closed)
			pthread_cond_wait(&q->has_parcel, &q->lock);
		if (!q->first || q->first->state != PARCEL_IN_WORK)
			break;
		if (parcel_queue__waiting(q)) {
			b = parcel_queue__begin_work(q);
			break;
		}
		pthread_cond_wait(&q->has_parcel, &q->lock);
	}
	if (!b && q->first) {
		b = q->first;
		q->first = b->next;
		q->fresh = q->fresh == b ? b->next : q->fresh;
		q->is_at_barrier = b->state == PARCEL_BARRIER;
	}
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
	q->taken -= b->cost;
	q->is_at_barrier = false;
	if (parcel_queue__needs_help(q))
		pthread_cond_signal(&q->needs_help);
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
