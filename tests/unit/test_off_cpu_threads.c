/* --off-cpu: of threads that ended, nothing stays; waits of those that live are all there. */
#include "unit.h"

#include "base/memory/hash.h"
#include "switches.h"

#include <malloc.h>

enum { ROUND_NS = 250000000, WAITER = 5 };

static void ends(struct switches *f, u32 tid)
{
	struct {
		struct perf_event_header h;
		u32 pid, ppid, tid, ptid;
		u64 time;
		u32 own_pid, own_tid;
		u64 own_time, id;
	} s = { { PERF_RECORD_EXIT, 0, sizeof(s) }, tid, 1, tid, 1, ++f->now, tid, tid, f->now, SWITCH_ID };

	assert_false(take(f, &s.h));
}

/* Bytes of all that is allocated; 0 where a sanitizer replaces malloc(). */
static size_t allocated(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* The end of a round, in which the next one is not far. */
static void round_ends(struct switches *f)
{
	off_cpu__flush(f->o, 0, &f->out);
	f->now += ROUND_NS;
}

static void threads_that_ended_leave_nothing(void **state)
{
	enum { ROUNDS = 400, THREADS = 500 };
	struct switches f;
	size_t before = 0, at = 0;
	u64 since;

	(void)state;
	switches__init(&f, NULL);
	switch_out(&f, WAITER);
	since = f.now;
	for (u32 round = 0; round < ROUNDS; round++) {
		for (u32 i = 0; i < THREADS; i++) {
			u32 tid = 1000 + round * THREADS + i;

			runs(&f, tid);
			ends(&f, tid);
			switch_out(&f, tid); /* for the last time */
		}
		round_ends(&f);
		if (round == ROUNDS / 4)
			before = allocated();
	}
	assert_true(allocated() <= before + (1 << 20)); /* after 150,000 threads more */
	runs(&f, WAITER);
	round_ends(&f);
	round_ends(&f);
	assert_int_equal(next_wait(&f, &at, WAITER), f.now - 2 * ROUND_NS - since);
	off_cpu__finish(f.o, f.now, &f.out);
	assert_int_equal(f.out.len, at); /* no thread that ended waits */
	switches__exit(&f);
}

/* Many threads that wait are all kept, and each is found again after others were dropped. */
static void threads_that_wait_are_kept(void **state)
{
	enum { THREADS = 3000 };
	struct switches f;
	size_t at = 0;
	u64 since[THREADS];

	(void)state;
	switches__init(&f, NULL);
	for (u32 i = 0; i < THREADS; i++) {
		switch_out(&f, 100 + 2 * i);
		since[i] = f.now;
		runs(&f, 101 + 2 * i);
	}
	for (int i = 0; i < 8; i++)
		round_ends(&f);
	for (u32 i = 0; i < THREADS; i++) {
		u64 from = since[i];

		runs(&f, 100 + 2 * i);
		since[i] = f.now - from;
	}
	round_ends(&f);
	round_ends(&f);
	for (u32 i = 0; i < THREADS; i++)
		assert_int_equal(next_wait(&f, &at, 100 + 2 * i), since[i]);
	assert_int_equal(f.out.len, at);
	switches__exit(&f);
}

/* The last switch of a thread comes in a later round than its end. */
static void a_late_last_switch_is_no_wait(void **state)
{
	enum { THREADS = 4000 };
	struct switches f;

	(void)state;
	switches__init(&f, NULL);
	for (u32 i = 1; i <= THREADS; i++)
		ends(&f, i);
	round_ends(&f);
	round_ends(&f);
	for (u32 i = 1; i <= THREADS; i++)
		switch_out(&f, i);
	round_ends(&f);
	off_cpu__finish(f.o, f.now, &f.out);
	assert_int_equal(f.out.len, 0);
	/* A new thread with the number of an old one does wait. */
	runs(&f, 1);
	switch_out(&f, 1);
	off_cpu__finish(f.o, f.now + 1, &f.out);
	assert_int_equal(f.out.len, sizeof(struct wait_sample));
	switches__exit(&f);
}

/* Let threads from first on end, all at the same time. */
static void end_together(struct switches *f, u32 first, u32 nr)
{
	u64 time = f->now;

	for (u32 i = 0; i < nr; i++) {
		f->now = time;
		ends(f, first + i);
	}
}

/* Let a round end ns after the last record; then tell whether a thread that leaves its CPU waits. */
static bool waits_after(struct switches *f, u64 ns, u32 tid)
{
	bool waits = false;

	f->now += ns - 1;
	runs(f, 1);
	off_cpu__flush(f->o, 0, &f->out);
	off_cpu__flush(f->o, 0, &f->out);
	switch_out(f, tid);
	runs(f, tid);
	off_cpu__finish(f->o, f->now, &f->out);
	for (size_t at = 0; at < f->out.len; at += sizeof(struct wait_sample))
		waits |= ((const struct wait_sample *)(const void *)(f->out.buf + at))->tid == tid;
	return waits;
}

/*
 * The end of a thread is known for a second after it, as its last switch may be late; where few threads are
 * known, for longer.
 */
static void an_end_is_forgotten_after_a_second(void **state)
{
	static const struct {
		u32 nr; /* threads, with the one that runs */
		u64 ns;
		bool waits;
	} cases[] = { { 1024, 1000000000, false },
		      { 1024, 1000000001, true },
		      { 1023, 1000000001, false },
		      { 1023, 1ull << 40, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct switches f;

		switches__init(&f, NULL);
		runs(&f, 1);
		end_together(&f, 2, cases[i].nr - 1);
		assert_int_equal(waits_after(&f, cases[i].ns, 2), cases[i].waits);
		switches__exit(&f);
	}
}

/* Threads that wait are many, and stay: dropping others begins when there are as many of these. */
static void ends_stay_known_until_the_threads_are_twice_as_many(void **state)
{
	(void)state;
	for (u32 nr = 1023; nr <= 1024; nr++) {
		struct switches f;

		switches__init(&f, NULL);
		for (u32 i = 0; i < 1024; i++)
			switch_out(&f, 10000 + i);
		off_cpu__flush(f.o, 0, &f.out);
		off_cpu__flush(f.o, 0, &f.out);
		runs(&f, 1);
		end_together(&f, 2, nr - 1);
		assert_int_equal(waits_after(&f, 2000000000, 2), nr == 1024);
		switches__exit(&f);
	}
}

/* Two threads whose numbers have equal hashes. */
static void threads_with_equal_hashes_are_two(void **state)
{
	enum { NUMBERS = 300000 };
	struct hash_table seen = HASH_TABLE_INIT;
	u32 one = 0, two, other, pairs = 0;

	(void)state;
	for (two = 1; two < NUMBERS && !pairs; two++) {
		hash_table__for_each (&seen, hash__u64(two), other) {
			one = other;
			pairs++;
		}
		hash_table__insert(&seen, hash__u64(two), two);
	}
	hash_table__exit(&seen);
	two--;
	assert_int_equal(pairs, 1);
	for (int i = 0; i < 2; i++) {
		struct switches f;
		size_t at = 0;

		switches__init(&f, NULL);
		switch_out(&f, one);
		switch_out(&f, two);
		f.now += 98;
		runs(&f, i ? one : two);
		runs(&f, i ? two : one);
		off_cpu__finish(f.o, f.now, &f.out);
		assert_int_equal(next_wait(&f, &at, i ? one : two), i ? 100 : 99);
		assert_int_equal(next_wait(&f, &at, i ? two : one), i ? 100 : 101);
		switches__exit(&f);
	}
}

/* Samples whose waits are unknown, and all that a recorder leaves at its end. */
static void no_memory_is_lost(void **state)
{
	enum { TIMES = 20000 };
	struct switches f;
	size_t before = 0;

	(void)state;
	switches__init(&f, NULL);
	for (u32 i = 0; i < TIMES; i++) {
		if (i == TIMES / 10)
			before = allocated();
		switch_out(&f, WAITER); /* the record of its return is lost */
		off_cpu__flush(f.o, 0, &f.out);
	}
	assert_true(allocated() <= before + (1 << 16));
	assert_int_equal(f.out.len, 0);
	switches__exit(&f);
	for (u32 i = 0; i < TIMES; i++) {
		if (i == TIMES / 10)
			before = allocated();
		switches__init(&f, switch_cost__new(&f.l));
		switch_out(&f, WAITER);
		f.now += ROUND_NS;
		switch_out(&f, WAITER + 1);
		off_cpu__finish(f.o, f.now, &f.out); /* leaves two threads */
		switch_out(&f, WAITER);
		switches__exit(&f); /* a step */
	}
	assert_true(allocated() <= before + (1 << 16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_ended_leave_nothing),
		cmocka_unit_test(threads_that_wait_are_kept),
		cmocka_unit_test(a_late_last_switch_is_no_wait),
		cmocka_unit_test(an_end_is_forgotten_after_a_second),
		cmocka_unit_test(ends_stay_known_until_the_threads_are_twice_as_many),
		cmocka_unit_test(threads_with_equal_hashes_are_two),
		cmocka_unit_test(no_memory_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
