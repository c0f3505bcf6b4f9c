/*
 * --off-cpu: records of running again are late by what the kernel takes to start counters. The cost is
 * measured on this machine, so the test reads it from a wait of known length first.
 */
#include "unit.h"

#include "may_open.h"
#include "switches.h"

enum { SECOND = 1000000000 };

/* One wait of a thread, of this many ns by its records; return the period of its sample. */
static u64 waits(struct switches *f, u32 tid, u64 ns)
{
	size_t at = 0;

	strbuf__reset(&f->out);
	switch_out(f, tid);
	f->now += ns - 1;
	runs(f, tid);
	off_cpu__finish(f->o, f->now, &f->out);
	ns = next_wait(f, &at, tid);
	assert_int_equal(f->out.len, at);
	return ns;
}

/* The same, when another thread left ns before, with nothing in between. */
static u64 takes_over(struct switches *f, u32 tid, u32 other, u64 ns)
{
	size_t at = 0;
	u64 period;

	strbuf__reset(&f->out);
	switch_out(f, tid);
	f->now += SECOND - ns - 1;
	switch_out(f, other);
	f->now += ns - 1;
	runs(f, tid);
	off_cpu__finish(f->o, f->now, &f->out);
	period = next_wait(f, &at, tid);
	/* The other thread still waits, by its own record: for no time that the test sets. */
	strbuf__reset(&f->out);
	runs(f, other);
	off_cpu__finish(f->o, f->now, &f->out);
	return period;
}

static struct evlist clock_event;

/* Measure the cost with an event that takes time to start. Return it. */
static u64 measure(struct switches *f)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(attr),
					      .config = PERF_COUNT_SW_CPU_CLOCK,
					      .sample_period = 1000000,
					      .sample_type = PERF_SAMPLE_TIME,
					      .exclude_kernel = 1 };

	evlist__init(&clock_event);
	evlist__add_request(&clock_event, &attr, "cpu-clock");
	switches__init(f, switch_cost__new(&clock_event));
	assert_int_equal(waits(f, 1, SECOND), SECOND); /* not measured yet */
	switch_out(f, 1);
	off_cpu__flush(f->o, 0, &f->out);
	off_cpu__flush(f->o, 0, &f->out); /* without a switch since, nothing is measured */
	runs(f, 1);
	off_cpu__finish(f->o, f->now, &f->out);
	return SECOND - waits(f, 1, SECOND);
}

static void end(struct switches *f)
{
	switches__exit(f);
	evlist__exit(&clock_event);
}

/* Without a cost, this machine can show nothing. */
static void end_without(struct switches *f, u64 cost)
{
	if (cost >= 2)
		return;
	end(f);
	skip();
}

static void the_cost_is_no_part_of_a_wait(void **state)
{
	struct switches f;
	u64 cost = measure(&f);

	(void)state;
	end_without(&f, cost);
	assert_true(cost < SECOND / 100);
	assert_int_equal(waits(&f, 1, SECOND + 5), SECOND + 5 - cost);
	assert_int_equal(waits(&f, 2, 2 * cost + 10), cost + 10);
	/* at most half of the wait: what is left is at least as likely */
	assert_int_equal(waits(&f, 2, cost + 7), cost + 7 - (cost + 7) / 2);
	assert_int_equal(waits(&f, 2, 3), 2);
	end(&f);
}

static void a_thread_that_takes_over_is_not_late(void **state)
{
	struct switches f;
	u64 cost = measure(&f);

	(void)state;
	end_without(&f, cost);
	assert_int_equal(takes_over(&f, 1, 2, 1), SECOND);
	assert_int_equal(takes_over(&f, 1, 2, 2 * cost - 1), SECOND);
	assert_int_equal(takes_over(&f, 1, 2, 2 * cost), SECOND - cost);
	assert_int_equal(takes_over(&f, 1, 2, SECOND / 2), SECOND - cost);
	end(&f);
}

/* Another thread that only runs again, on another CPU, has not left this one. */
static void a_thread_after_one_that_runs_is_late(void **state)
{
	struct switches f;
	size_t at = 0;
	u64 cost = measure(&f);

	(void)state;
	end_without(&f, cost);
	strbuf__reset(&f.out);
	switch_out(&f, 1);
	f.now += SECOND;
	switch_out(&f, 2);
	f.now += SECOND;
	runs(&f, 2);
	runs(&f, 1);
	off_cpu__finish(f.o, f.now, &f.out);
	assert_int_equal(next_wait(&f, &at, 2), SECOND + 1 - cost);
	assert_int_equal(next_wait(&f, &at, 1), 2 * SECOND + 3 - cost);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cost_is_no_part_of_a_wait),
		cmocka_unit_test(a_thread_that_takes_over_is_not_late),
		cmocka_unit_test(a_thread_after_one_that_runs_is_late),
	};

	return may_open() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
