/* --off-cpu: of threads that ended, nothing stays; waits of those that live are all there. */
#include "unit.h"

#include "record/stacks/off_cpu.h"

#include <malloc.h>
#include <string.h>

enum { ID = 7, ROUND_NS = 250000000, WAITER = 5 };

struct fixture {
	struct evlist l;
	struct sample_decoder d;
	struct lazy_record r;
	struct off_cpu *o;
	struct strbuf out;
	u64 now;
};

static void fixture__init(struct fixture *f)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(attr),
					      .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
							     PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
							     PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT,
					      .sample_id_all = 1 };
	struct evsel *e;

	*f = (struct fixture){ .out = STRBUF_INIT, .now = 1000000000 };
	evlist__init(&f->l);
	e = evlist__add_request(&f->l, &attr, "offcpu-time");
	evlist__add_id(&f->l, e, ID);
	sample_decoder__init(&f->d, &f->l);
	lazy_record__init(&f->r, &f->d);
	f->o = off_cpu__new(e, NULL, &f->d, 0, NULL);
}

static void fixture__exit(struct fixture *f)
{
	off_cpu__delete(f->o);
	sample_decoder__exit(&f->d);
	evlist__exit(&f->l);
	strbuf__exit(&f->out);
}

static bool take(struct fixture *f, struct perf_event_header *h)
{
	lazy_record__set(&f->r, h);
	return off_cpu__take(f->o, &f->r);
}

struct wait_sample {
	struct perf_event_header h;
	u64 id, ip;
	u32 pid, tid;
	u64 time, period, weight;
};

static void switch_out(struct fixture *f, u32 tid)
{
	struct wait_sample s = {
		{ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(s) }, ID, 0x1000, tid, tid, ++f->now, 1, 0
	};

	assert_true(take(f, &s.h));
}

static void runs(struct fixture *f, u32 tid)
{
	struct {
		struct perf_event_header h;
		u32 pid, tid;
		u64 time, id;
	} s = { { PERF_RECORD_SWITCH, 0, sizeof(s) }, tid, tid, ++f->now, ID };

	assert_true(take(f, &s.h));
}

static void ends(struct fixture *f, u32 tid)
{
	struct {
		struct perf_event_header h;
		u32 pid, ppid, tid, ptid;
		u64 time;
		u32 own_pid, own_tid;
		u64 own_time, id;
	} s = { { PERF_RECORD_EXIT, 0, sizeof(s) }, tid, 1, tid, 1, ++f->now, tid, tid, f->now, ID };

	assert_false(take(f, &s.h));
}

/* Bytes of all that is allocated; 0 where a sanitizer replaces malloc(). */
static size_t allocated(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* The end of a round, in which the next one is not far. */
static void round_ends(struct fixture *f)
{
	off_cpu__flush(f->o, &f->out);
	f->now += ROUND_NS;
}

/* Expect one more wait in the output at *at, and nothing about others before it. */
static void expect_wait(const struct fixture *f, size_t *at, u32 tid, u64 ns)
{
	struct wait_sample s;

	assert_true(*at + sizeof(s) <= f->out.len);
	memcpy(&s, f->out.buf + *at, sizeof(s));
	assert_int_equal(s.tid, tid);
	assert_int_equal(s.period, ns);
	assert_int_equal(s.weight, 1);
	*at += sizeof(s);
}

static void threads_that_ended_leave_nothing(void **state)
{
	enum { ROUNDS = 400, THREADS = 500 };
	struct fixture f;
	size_t before = 0, at = 0;
	u64 since;

	(void)state;
	fixture__init(&f);
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
	expect_wait(&f, &at, WAITER, f.now - 2 * ROUND_NS - since);
	off_cpu__finish(f.o, f.now, &f.out);
	assert_int_equal(f.out.len, at); /* no thread that ended waits */
	fixture__exit(&f);
}

/* Many threads that wait are all kept, and each is found again after others were dropped. */
static void threads_that_wait_are_kept(void **state)
{
	enum { THREADS = 3000 };
	struct fixture f;
	size_t at = 0;
	u64 since[THREADS];

	(void)state;
	fixture__init(&f);
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
		expect_wait(&f, &at, 100 + 2 * i, since[i]);
	assert_int_equal(f.out.len, at);
	fixture__exit(&f);
}

/* The last switch of a thread comes in a later round than its end. */
static void a_late_last_switch_is_no_wait(void **state)
{
	enum { THREADS = 4000 };
	struct fixture f;

	(void)state;
	fixture__init(&f);
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
	fixture__exit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_ended_leave_nothing),
		cmocka_unit_test(threads_that_wait_are_kept),
		cmocka_unit_test(a_late_last_switch_is_no_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
