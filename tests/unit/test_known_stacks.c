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
	bool is_whole;
	unsigned nr = known_stacks__callers(k, &cut, max, &is_whole);

	assert_int_equal(is_whole, nr && nr == last);

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

/* A way of addresses and stack pointers, from the outermost frame on. */
static unsigned follow(u64 *ips, u64 *sps, const u64 (*way)[2], unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		ips[nr - 1 - i] = way[i][0];
		sps[nr - 1 - i] = way[i][1];
	}
	return nr;
}
#define FOLLOW(ips, sps, ...)                             \
	follow(ips, sps, (const u64[][2]){ __VA_ARGS__ }, \
	       sizeof((const u64[][2]){ __VA_ARGS__ }) / sizeof(u64[2]))

/* main calls read and write, and both call the function pack, which calls the leaf. */
enum { MAIN = 1, READ, WRITE, PACK, LEAF, MORE };

static void frames_with_two_callers_have_none(void **state)
{
	u64 ips[ROOM], sps[ROOM], cut_ips[ROOM] = { LEAF, PACK }, cut_sps[ROOM] = { 700, 800 };
	const struct cut_stack cut = { .tid = TID, .ips = cut_ips, .sps = cut_sps, .nr = 2 };
	struct known_stacks k = { 0 };
	bool is_whole;

	(void)state;
	known_stacks__remember(&k, TID, ips, sps,
			       FOLLOW(ips, sps, { MAIN, 1000 }, { READ, 900 }, { PACK, 800 }, { LEAF, 700 }));
	assert_int_equal(known_stacks__callers(&k, &cut, ROOM, &is_whole), 2);
	assert_true(is_whole);
	/* the same caller in another call: its return address differs, and so does the frame */
	known_stacks__remember(&k, TID, ips, sps,
			       FOLLOW(ips, sps, { MAIN, 1000 }, { READ, 900 }, { MORE, 800 }, { LEAF, 700 }));
	known_stacks__remember(&k, TID, ips, sps,
			       FOLLOW(ips, sps, { MAIN, 1000 }, { READ, 900 }, { PACK, 800 }, { LEAF, 700 }));
	assert_int_equal(known_stacks__callers(&k, &cut, ROOM, &is_whole), 2);
	/* another caller, whose frame is as large */
	known_stacks__remember(
		&k, TID, ips, sps,
		FOLLOW(ips, sps, { MAIN, 1000 }, { WRITE, 900 }, { PACK, 800 }, { LEAF, 700 }));
	assert_int_equal(known_stacks__callers(&k, &cut, ROOM, &is_whole), 0);
	assert_false(is_whole);
	/* which does not go away with the chains that showed it */
	for (unsigned i = 0; i < 2 * KNOWN_STACKS_EACH; i++)
		known_stacks__remember(
			&k, TID, ips, sps,
			FOLLOW(ips, sps, { MAIN, 1000 }, { READ, 900 }, { PACK, 800 }, { LEAF, 700 - i }));
	assert_int_equal(known_stacks__callers(&k, &cut, ROOM, &is_whole), 0);
	/* frames below the fork have their callers up to it */
	known_stacks__remember(
		&k, TID, ips, sps,
		FOLLOW(ips, sps, { MAIN, 1000 }, { READ, 900 }, { PACK, 800 }, { MORE, 700 }, { LEAF, 600 }));
	cut_ips[1] = MORE;
	cut_sps[1] = 700;
	assert_int_equal(known_stacks__callers(&k, &cut, ROOM, &is_whole), 1);
	assert_int_equal(cut_ips[2], PACK);
	assert_false(is_whole);
	known_stacks__exit(&k);
}

/* The ways to a frame differ in the number of frames, too, and one of them may be the other's caller. */
static void ways_of_other_lengths_make_forks(void **state)
{
	u64 ips[ROOM], sps[ROOM], cut_ips[ROOM] = { LEAF, PACK }, cut_sps[ROOM] = { 700, 800 };
	const struct cut_stack cut = { .tid = TID, .ips = cut_ips, .sps = cut_sps, .nr = 2 };
	struct known_stacks longer = { 0 }, outer = { 0 };
	bool is_whole;

	(void)state;
	known_stacks__remember(&longer, TID, ips, sps,
			       FOLLOW(ips, sps, { MAIN, 1000 }, { READ, 900 }, { PACK, 800 }));
	known_stacks__remember(&longer, TID, ips, sps,
			       FOLLOW(ips, sps, { MAIN, 1000 }, { WRITE, 950 }, { MORE, 850 }, { PACK, 800 },
				      { LEAF, 700 }));
	assert_int_equal(known_stacks__callers(&longer, &cut, ROOM, &is_whole), 0);
	known_stacks__exit(&longer);
	known_stacks__remember(&outer, TID, ips, sps, FOLLOW(ips, sps, { MAIN, 1000 }, { PACK, 800 }));
	known_stacks__remember(&outer, TID, ips, sps,
			       FOLLOW(ips, sps, { MAIN, 1000 }, { READ, 900 }, { PACK, 800 }, { LEAF, 700 }));
	assert_int_equal(known_stacks__callers(&outer, &cut, ROOM, &is_whole), 0);
	known_stacks__exit(&outer);
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
		cmocka_unit_test(frames_with_two_callers_have_none),
		cmocka_unit_test(ways_of_other_lengths_make_forks),
		cmocka_unit_test(ever_less_deep_chains_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
