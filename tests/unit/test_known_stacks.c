/* Chains that a copy of the stack cuts off, and what earlier ones of the thread say of the rest. */
#include "unit.h"

#include "record/stacks/known_stacks.h"

enum { TID = 7, ROOM = 64 };

/*
 * A chain down to depth: frame i, from the outermost on, is at 1000 - 10 * i, and its address is 100 + i, or,
 * in the last frames of a variant, 100 * variant + i.
 */
static unsigned make(u64 *ips, u64 *sps, unsigned depth, unsigned from, unsigned variant)
{
	for (unsigned i = 0; i < depth; i++) {
		unsigned frame = depth - 1 - i;

		sps[i] = 1000 - 10 * frame;
		ips[i] = (frame >= from ? 100 * variant : 100) + frame;
	}
	return depth;
}

static void remember(struct known_stacks *k, u32 tid, unsigned depth, unsigned from, unsigned variant)
{
	u64 ips[ROOM], sps[ROOM];

	known_stacks__remember(k, tid, ips, sps, make(ips, sps, depth, from, variant));
}

/* How many callers a chain gets whose last frame is the one of that number; the addresses are checked. */
static unsigned callers(struct known_stacks *k, u32 tid, unsigned last, unsigned variant, unsigned max)
{
	u64 ips[ROOM] = { 5, 100 * variant + last }, sps[ROOM] = { 1000 - 10 * last - 4, 1000 - 10 * last };
	const struct cut_stack cut = { .tid = tid, .ips = ips, .sps = sps, .nr = 2 };
	unsigned nr = known_stacks__callers(k, &cut, max);

	for (unsigned i = 0; i < nr; i++)
		assert_int_equal(sps[2 + i], 1000 - 10 * (last - 1 - i));
	if (nr && nr == last)
		assert_int_equal(ips[2 + nr - 1], 100);
	return nr;
}

static void newest_that_has_the_frame_goes_on(void **state)
{
	struct known_stacks k = { 0 };

	(void)state;
	assert_int_equal(callers(&k, TID, 5, 1, ROOM), 0);
	remember(&k, TID, 10, ROOM, 1);
	assert_int_equal(callers(&k, TID, 5, 1, ROOM), 5);
	assert_int_equal(callers(&k, TID, 5, 2, ROOM), 0); /* another address */
	assert_int_equal(callers(&k, TID + 1, 5, 1, ROOM), 0);
	assert_int_equal(callers(&k, TID + KNOWN_STACKS_THREADS, 5, 1, ROOM), 0);
	assert_int_equal(callers(&k, TID, 5, 1, 4), 2);    /* no more than there is room for */
	assert_int_equal(callers(&k, TID, 0, 1, ROOM), 0); /* the outermost frame has none */
	/* back up, and down by another way: what was deep is still known */
	remember(&k, TID, 3, ROOM, 1);
	assert_int_equal(callers(&k, TID, 8, 1, ROOM), 8);
	remember(&k, TID, 6, 4, 2);
	assert_int_equal(callers(&k, TID, 5, 2, ROOM), 5);
	assert_int_equal(callers(&k, TID, 8, 1, ROOM), 8);
	/* until something as deep takes its place */
	remember(&k, TID, 10, 4, 3);
	assert_int_equal(callers(&k, TID, 8, 3, ROOM), 8);
	assert_int_equal(callers(&k, TID, 8, 1, ROOM), 0);
	assert_int_equal(callers(&k, TID, 5, 2, ROOM), 0);
	/* Another thread of the place: it is that one's now. */
	remember(&k, TID + KNOWN_STACKS_THREADS, 4, ROOM, 1);
	assert_int_equal(callers(&k, TID, 8, 3, ROOM), 0);
	known_stacks__exit(&k);
}

/* The last frame is of no known chain, but its caller is. */
static void the_function_was_called_there_before(void **state)
{
	u64 ips[ROOM] = { 107 + 40 }, sps[ROOM] = { 1000 - 10 * 7 - 3 };
	struct cut_stack cut = { .tid = TID, .ips = ips, .sps = sps, .nr = 1, .next_sp = 1000 - 10 * 6 };
	struct known_stacks k = { 0 };

	(void)state;
	remember(&k, TID, 10, ROOM, 1);
	assert_int_equal(known_stacks__callers(&k, &cut, ROOM), 7);
	assert_int_equal(ips[1], 106);
	assert_int_equal(sps[1], cut.next_sp);
	assert_int_equal(ips[7], 100);
	ips[0] = 107 + (16 << 10) + 1; /* too far away to be the same function */
	assert_int_equal(known_stacks__callers(&k, &cut, ROOM), 0);
	ips[0] = 107 + 40;
	cut.next_sp += 2;
	assert_int_equal(known_stacks__callers(&k, &cut, ROOM), 0);
	cut.next_sp = 0;
	assert_int_equal(known_stacks__callers(&k, &cut, ROOM), 0);
	known_stacks__exit(&k);
}

static void ever_less_deep_chains_are_limited(void **state)
{
	struct known_stacks k = { 0 };

	(void)state;
	for (unsigned depth = 40; depth > 20; depth--)
		remember(&k, TID, depth, depth - 1, depth);
	/* the deepest ones, and the newest */
	assert_int_equal(callers(&k, TID, 39, 40, ROOM), 39);
	assert_int_equal(callers(&k, TID, 38, 39, ROOM), 38);
	assert_int_equal(callers(&k, TID, 20, 21, ROOM), 20);
	assert_int_equal(callers(&k, TID, 21, 22, ROOM), 0);
	known_stacks__exit(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newest_that_has_the_frame_goes_on),
		cmocka_unit_test(the_function_was_called_there_before),
		cmocka_unit_test(ever_less_deep_chains_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
