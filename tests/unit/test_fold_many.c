/*
 * So many samples that some of their hashes are equal where the tables of folds and entries look: all are
 * told apart, and the time that it takes is linear.
 */
#include "unit.h"

#include "fold_image.h"

#include <time.h>

enum { MANY = 1 << 18, FIRST_TID = 1000 };

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Read a sample of each of nr threads. */
static void open_threads(struct fixture *f, u32 nr)
{
	struct view_opts o = { .children = false };
	struct recording r;

	recording__begin(&r, 0, 1);
	for (u32 i = 0; i < nr; i++)
		recording__put(&r, &(struct put){ .ip = OTHER_AT + 0x20,
						  .period = 1,
						  .pid = FIRST_TID + i,
						  .tid = FIRST_TID + i });
	fixture__sort(f, &r, "tid", &o);
}

/* Eight times as many take eight times as long, not sixty-four times. */
static void time_is_linear(void **state)
{
	double few, many;
	struct fixture f;

	(void)state;
	few = seconds();
	open_threads(&f, MANY / 16);
	fixture__close(&f);
	few = seconds() - few;
	many = seconds();
	open_threads(&f, MANY / 2);
	fixture__close(&f);
	many = seconds() - many;
	if (many > 24 * few)
		fail_msg("%d threads: %f s, %d: %f s", MANY / 16, few, MANY / 2, many);
}

static void threads_are_told_apart(void **state)
{
	struct fixture f;

	(void)state;
	open_threads(&f, MANY);
	assert_int_equal(f.v.kinds.nr, MANY);
	assert_int_equal(f.v.firsts.nr, MANY);
	assert_int_equal(f.v.folds.nr, MANY);
	assert_int_equal(f.v.hists.v[0].entries.nr, MANY);
	fixture__close(&f);
}

/* Of one kind, but at different addresses. */
static void addresses_are_told_apart(void **state)
{
	struct view_opts o = { .children = false };
	struct recording r;
	struct fixture f;

	(void)state;
	recording__begin(&r, 0, 1);
	for (u64 i = 0; i < MANY; i++)
		recording__put(&r, &(struct put){ .ip = 0x100000000 + 16 * i, .period = 1 });
	fixture__sort(&f, &r, "symbol", &o);
	assert_int_equal(f.v.kinds.nr, 1);
	assert_int_equal(f.v.folds.nr, MANY);
	assert_int_equal(f.v.hists.v[0].entries.nr, MANY);
	fixture__close(&f);
}

/* Of one kind and at one address, but with other callers. */
static void callers_are_told_apart(void **state)
{
	struct view_opts o = { .graph = GRAPH_ABSOLUTE };
	struct recording r;
	struct fixture f;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
	for (u64 i = 0; i < MANY; i++)
		recording__put(&r,
			       &(struct put){ .ip = leaf,
					      .period = 1,
					      .chain = { PERF_CONTEXT_USER, leaf, 0x100000000 + 16 * i } });
	fixture__sort(&f, &r, "symbol", &o);
	assert_int_equal(f.v.kinds.nr, 1);
	assert_int_equal(f.v.folds.nr, MANY);
	assert_int_equal(f.v.hists.v[0].entries.nr, 1);
	fixture__close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_linear),
		cmocka_unit_test(threads_are_told_apart),
		cmocka_unit_test(addresses_are_told_apart),
		cmocka_unit_test(callers_are_told_apart),
	};

	return cmocka_run_group_tests(tests, find_symbols, forget_symbols);
}
