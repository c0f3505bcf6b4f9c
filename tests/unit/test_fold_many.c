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

/* Read a sample of each of nr threads, of one process with a binary or of one process each. */
static void open_threads(struct fixture *f, u32 nr, bool of_one_process, const char *sort)
{
	struct view_opts o = { .children = false };
	struct recording r;

	recording__begin(&r, 0, 1);
	for (u32 i = 0; i < nr; i++)
		recording__put(&r, &(struct put){ .ip = leaf,
						  .period = 1,
						  .pid = of_one_process ? PID : FIRST_TID + i,
						  .tid = FIRST_TID + i });
	fixture__sort(f, &r, sort, &o);
}

/* Eight times as many take eight times as long, not sixty-four times. */
static void time_is_linear(void **state)
{
	static const char keys[] = "cpu,tid,symbol"; /* small numbers beside the one that differs */
	double few, many;
	struct fixture f;

	(void)state;
	few = seconds();
	open_threads(&f, MANY / 32, true, keys);
	fixture__close(&f);
	few = seconds() - few;
	many = seconds();
	open_threads(&f, MANY / 4, true, keys);
	fixture__close(&f);
	many = seconds() - many;
	if (many > 24 * few)
		fail_msg("%d threads: %f s, %d: %f s", MANY / 32, few, MANY / 4, many);
}

static void threads_are_told_apart(void **state)
{
	struct fixture f;

	(void)state;
	open_threads(&f, MANY, false, "tid");
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
