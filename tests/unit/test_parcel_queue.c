/* Helpers of a queue of parcels. (What a queue does without them: test_stack_load.c) */
#include "unit.h"
#include "base/system/parcel_queue.h"

#include <pthread.h>
#include <string.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(helpers_prepare_what_waits),
		cmocka_unit_test(helpers_stop_at_a_barrier),
		cmocka_unit_test(nobody_helps_a_receiver_that_keeps_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
