/* Helpers of a queue of parcels. (What a queue does without them: test_stack_load.c) */
#include "unit.h"
#include "base/system/parcel_queue.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 64 << 10, SIZE = 1 << 10, NR = 6000, BARRIER_EACH = 100, HELPERS = 3 };

struct shop {
	struct parcel_queue *q;
	int epoch;     /* number of barriers that the receiver is done with: read by helpers */
	int helped;    /* atomic: parcels that helpers prepared */
	int working;   /* atomic: helpers at work */
	bool is_wrong; /* atomic: a helper got a parcel that it should not get */
};

/* A parcel is a row of the epochs in which it was prepared and received. */
static void stamp(struct parcel *b, int epoch)
{
	strbuf__add(&b->bytes, &epoch, sizeof(epoch));
}

static void *help(void *arg)
{
	struct shop *s = arg;
	struct parcel *b;

	while ((b = parcel_queue__help(s->q))) {
		if (b->state != PARCEL_IN_WORK ||
		    __atomic_add_fetch(&s->working, 1, __ATOMIC_RELAXED) > HELPERS)
			__atomic_store_n(&s->is_wrong, true, __ATOMIC_RELAXED);
		stamp(b, s->epoch); /* a race, if the receiver were at a barrier: for the thread sanitizer */
		__atomic_fetch_add(&s->helped, 1, __ATOMIC_RELAXED);
		__atomic_fetch_sub(&s->working, 1, __ATOMIC_RELAXED);
		parcel_queue__prepared(s->q, b, true);
	}
	return NULL;
}

static void put(struct parcel_queue *q, int i)
{
	struct parcel *b = parcel_queue__fresh(q, i);

	assert_int_equal(b->state, PARCEL_PLAIN);
	if (i % BARRIER_EACH == 0)
		b->state = PARCEL_BARRIER;
	else if (i % 7)
		b->state = PARCEL_WAITS;
	strbuf__addchars(&b->bytes, 'x', SIZE);
	parcel_queue__put(q, b, i % 5 == 0);
}

static void *produce(void *arg)
{
	for (int i = 0; i < NR; i++)
		put(((struct shop *)arg)->q, i);
	parcel_queue__close(((struct shop *)arg)->q);
	return NULL;
}

/* Receive a parcel that is next. */
static void receive(struct shop *s, struct parcel *b, int nr)
{
	int epoch = -1;

	assert_int_equal(b->kind, nr);
	if (nr % BARRIER_EACH == 0) {
		assert_int_equal(b->state, PARCEL_BARRIER);
		s->epoch++;
	} else if (nr % 7 == 0) {
		assert_int_equal(b->state, PARCEL_PLAIN);
	} else if (b->state == PARCEL_PREPARED) {
		assert_int_equal(b->bytes.len, SIZE + sizeof(epoch));
		memcpy(&epoch, b->bytes.buf + SIZE, sizeof(epoch));
		assert_int_equal(epoch, s->epoch);
	} else {
		assert_int_equal(b->state, PARCEL_WAITS);
		assert_int_equal(b->bytes.len, SIZE);
	}
	parcel_queue__done(s->q, b);
}

/* In order, each prepared at most once, and none of them in another stretch between two barriers. */
static void helpers_prepare_what_waits(void **state)
{
	struct shop s = { .q = parcel_queue__new(ROOM) };
	pthread_t helpers[HELPERS], producer;
	struct parcel *b;
	int nr = 0;

	(void)state;
	parcel_queue__set_helpers(s.q, HELPERS);
	for (int i = 0; i < HELPERS; i++)
		assert_int_equal(pthread_create(&helpers[i], NULL, help, &s), 0);
	assert_int_equal(pthread_create(&producer, NULL, produce, &s), 0);
	while ((b = parcel_queue__take(s.q))) {
		if (b->state == PARCEL_IN_WORK) {
			assert_true(b->kind > nr);
			stamp(b, s.epoch);
			parcel_queue__prepared(s.q, b, false);
			continue;
		}
		receive(&s, b, nr++);
	}
	pthread_join(producer, NULL);
	for (int i = 0; i < HELPERS; i++)
		pthread_join(helpers[i], NULL);
	assert_int_equal(nr, NR);
	assert_false(s.is_wrong);
	assert_int_equal(s.epoch, NR / BARRIER_EACH);
	assert_int_equal(parcel_queue__fill(s.q), 0);
	parcel_queue__delete(s.q);
}

/* Helpers alone prepare all before the barrier, and nothing after it. */
static void helpers_stop_at_a_barrier(void **state)
{
	struct shop s = { .q = parcel_queue__new(ROOM) };
	pthread_t helper;
	int nr_waiting = 0;

	(void)state;
	for (int i = 1; i < 49; i++) {
		put(s.q, i < 30 ? i : i == 30 ? 0 : i);
		nr_waiting += i < 30 && i % 7;
	}
	parcel_queue__set_helpers(s.q, 1);
	assert_int_equal(pthread_create(&helper, NULL, help, &s), 0);
	parcel_queue__close(s.q); /* it ends when there is nothing to do for it */
	pthread_join(helper, NULL);
	assert_int_equal(s.helped, nr_waiting);
	parcel_queue__delete(s.q);
}

/* With little in the queue, the receiver does all. */
static void nobody_helps_a_receiver_that_keeps_up(void **state)
{
	struct shop s = { .q = parcel_queue__new(1 << 20) };
	pthread_t helper;

	(void)state;
	for (int i = 1; i < 30; i++)
		put(s.q, i);
	parcel_queue__set_helpers(s.q, 1);
	assert_int_equal(pthread_create(&helper, NULL, help, &s), 0);
	parcel_queue__close(s.q);
	pthread_join(helper, NULL);
	assert_int_equal(s.helped, 0);
	parcel_queue__delete(s.q);
}

/* ---- without other threads: a closed queue lets nobody wait ---- */

/* Return a queue with nr parcels that wait, each of which takes a 64th of its room. */
static struct parcel_queue *filled(unsigned nr, unsigned most_helpers)
{
	struct parcel *b = parcel__new(0);
	struct parcel_queue *q;

	strbuf__addchars(&b->bytes, 'x', SIZE);
	q = parcel_queue__new(64 * (sizeof(*b) + b->bytes.alloc));
	parcel__delete(b);
	for (unsigned i = 0; i < nr; i++) {
		b = parcel__new((int)i);
		b->state = PARCEL_WAITS;
		strbuf__addchars(&b->bytes, 'x', SIZE);
		parcel_queue__put(q, b, false);
	}
	parcel_queue__set_helpers(q, most_helpers);
	assert_int_equal(parcel_queue__fill(q), nr);
	parcel_queue__close(q);
	return q;
}

/* Return how many helpers get a parcel at this fill before one is done. */
static unsigned nr_helped(unsigned fill, unsigned most_helpers)
{
	struct parcel_queue *q = filled(fill, most_helpers);
	struct parcel *b, *parcels[64];
	unsigned nr = 0;

	while ((b = parcel_queue__help(q))) {
		assert_int_equal(b->kind, nr);
		assert_int_equal(b->state, PARCEL_IN_WORK);
		parcels[nr++] = b;
	}
	for (unsigned i = 0; i < nr; i++)
		parcel_queue__prepared(q, parcels[i], true);
	if (nr) { /* as many again */
		for (unsigned i = 0; i < MIN(nr, fill - nr); i++)
			assert_non_null(parcel_queue__help(q));
	}
	parcel_queue__delete(q);
	return nr;
}

/* The first helper works above 4/64, all of them from 32/64 on. */
static void helpers_come_one_by_one(void **state)
{
	(void)state;
	assert_int_equal(nr_helped(40, 0), 0);
	assert_int_equal(nr_helped(4, 1), 0);
	assert_int_equal(nr_helped(5, 1), 1);
	assert_int_equal(nr_helped(63, 1), 1);
	assert_int_equal(nr_helped(4, 2), 0);
	assert_int_equal(nr_helped(5, 2), 1);
	assert_int_equal(nr_helped(18, 2), 1);
	assert_int_equal(nr_helped(19, 2), 2);
	assert_int_equal(nr_helped(11, 4), 1);
	assert_int_equal(nr_helped(12, 4), 2);
	assert_int_equal(nr_helped(25, 4), 3);
	assert_int_equal(nr_helped(26, 4), 4);
	assert_int_equal(nr_helped(63, 4), 4);
}

/* While the receiver works on a barrier, nobody prepares what is after it. */
static void a_barrier_stops_helpers(void **state)
{
	struct parcel_queue *q = filled(10, 1);
	struct parcel *b, *barrier;

	(void)state;
	for (int i = 0; i < 3; i++) {
		b = parcel_queue__take(q);
		assert_int_equal(b->kind, i);
		parcel_queue__done(q, b);
	}
	barrier = parcel__new(100);
	barrier->state = PARCEL_BARRIER;
	for (int i = 3; i < 10; i++) {
		b = parcel_queue__take(q);
		assert_int_equal(b->state, PARCEL_WAITS);
		parcel_queue__done(q, b);
	}
	assert_int_equal(parcel_queue__fill(q), 0);
	assert_null(parcel_queue__take(q));
	parcel_queue__put(q, barrier, true);
	for (int i = 0; i < 10; i++) {
		b = parcel__new(i);
		b->state = PARCEL_WAITS;
		strbuf__addchars(&b->bytes, 'x', SIZE);
		parcel_queue__put(q, b, false);
	}
	assert_null(parcel_queue__help(q)); /* it is before them */
	assert_ptr_equal(parcel_queue__take(q), barrier);
	assert_null(parcel_queue__help(q));
	parcel_queue__done(q, barrier);
	b = parcel_queue__help(q);
	assert_non_null(b);
	assert_int_equal(b->kind, 0);
	/* the receiver prepares the next one while it waits for the first */
	b = parcel_queue__take(q);
	assert_int_equal(b->kind, 1);
	assert_int_equal(b->state, PARCEL_IN_WORK);
	parcel_queue__delete(q);
}

/* Let parcels with this memory pass the queue, and return how many of as many are kept for later. */
static unsigned nr_kept(struct parcel_queue *q, unsigned nr, size_t size)
{
	struct parcel *parcels[8];
	unsigned kept = 0;

	for (unsigned i = 0; i < nr; i++) {
		parcels[i] = parcel_queue__fresh(q, (int)i);
		assert_int_equal(parcels[i]->kind, i);
		assert_int_equal(parcels[i]->state, PARCEL_PLAIN);
		assert_int_equal(parcels[i]->bytes.len, 0);
		assert_null(parcels[i]->next);
	}
	for (unsigned i = 0; i < nr; i++) {
		strbuf__addchars(&parcels[i]->bytes, 'x', size);
		parcels[i]->state = PARCEL_BARRIER;
		parcel_queue__put(q, parcels[i], true);
		assert_ptr_equal(parcel_queue__take(q), parcels[i]);
		parcel_queue__done(q, parcels[i]);
	}
	assert_int_equal(parcel_queue__fill(q), 0);
	for (unsigned i = 0; i < nr; i++) {
		parcels[i] = parcel_queue__fresh(q, 0);
		kept += parcels[i]->bytes.alloc != 0;
	}
	for (unsigned i = 0; i < nr; i++) { /* put those back */
		strbuf__addchars(&parcels[i]->bytes, 'x', 1);
		parcel_queue__put(q, parcels[i], true);
		parcel_queue__done(q, parcel_queue__take(q));
	}
	return kept;
}

/* A quarter of the room is kept as memory of parcels that are large enough. */
static void memory_is_used_again(void **state)
{
	struct parcel_queue *q = parcel_queue__new(256 << 10);

	(void)state;
	for (int i = 0; i < 5; i++)
		assert_int_equal(nr_kept(q, 6, 20 << 10), 3);
	parcel_queue__delete(q);
	q = parcel_queue__new(1 << 20);
	for (int i = 0; i < 5; i++)
		assert_int_equal(nr_kept(q, 6, 20 << 10), 6);
	parcel_queue__delete(q);
	q = parcel_queue__new(1 << 20);
	assert_int_equal(nr_kept(q, 6, 2 << 10), 0);
	assert_int_equal(nr_kept(q, 1, 16 << 10), 1);
	parcel_queue__delete(q);
	parcel_queue__delete(NULL);
}

/* ---- who waits is woken ---- */

static void *help_once(void *arg)
{
	assert_null(parcel_queue__help(arg));
	return NULL;
}

static void idle_helpers_end(void **state)
{
	struct parcel_queue *q = parcel_queue__new(ROOM);
	pthread_t helpers[HELPERS];

	(void)state;
	parcel_queue__set_helpers(q, HELPERS);
	for (int i = 0; i < HELPERS; i++)
		assert_int_equal(pthread_create(&helpers[i], NULL, help_once, q), 0);
	usleep(20000); /* so that they wait, most likely */
	parcel_queue__close(q);
	for (int i = 0; i < HELPERS; i++)
		pthread_join(helpers[i], NULL);
	parcel_queue__delete(q);
}

static void *put_two(void *arg)
{
	for (int i = 0; i < 2; i++) {
		struct parcel *b = parcel__new(i);

		strbuf__addchars(&b->bytes, 'x', ROOM / 2 + 1);
		parcel_queue__put(arg, b, true);
	}
	return NULL;
}

/* The sender waits for room, while the receiver has the only parcel. */
static void a_receiver_waits_for_a_sender(void **state)
{
	struct parcel_queue *q = parcel_queue__new(ROOM);
	pthread_t sender;
	struct parcel *b;

	(void)state;
	assert_int_equal(pthread_create(&sender, NULL, put_two, q), 0);
	for (int i = 0; i < 2; i++) {
		b = parcel_queue__take(q);
		assert_non_null(b);
		assert_int_equal(b->kind, i);
		usleep(20000); /* so that the sender waits, most likely */
		parcel_queue__done(q, b);
	}
	pthread_join(sender, NULL);
	parcel_queue__close(q);
	assert_null(parcel_queue__take(q));
	parcel_queue__delete(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(helpers_prepare_what_waits),
		cmocka_unit_test(helpers_stop_at_a_barrier),
		cmocka_unit_test(nobody_helps_a_receiver_that_keeps_up),
		cmocka_unit_test(helpers_come_one_by_one),
		cmocka_unit_test(a_barrier_stops_helpers),
		cmocka_unit_test(memory_is_used_again),
		cmocka_unit_test(idle_helpers_end),
		cmocka_unit_test(a_receiver_waits_for_a_sender),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
