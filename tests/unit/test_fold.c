/*
 * Which samples count for which rows: filters of binaries, symbols and threads, also with branches,
 * and the paths of an entry. The binary has symbols; nothing of it is run.
 */
#include "unit.h"

#include "fold_image.h"

/* The sum of the rows that are shown. */
static u64 shown(const struct fixture *f)
{
	return shown_of(f, 0).period;
}

static void open_fixture(struct fixture *f, struct recording *r, const char *sort, struct view_opts *o)
{
	struct layout_opts l = { .sort = sort };
	struct profile_opts p = { .nr_threads = 1, .split = PROFILE_SPLIT_SAMPLE_IP }; /* as for -d and -S */

	fixture__open(f, r, &l, &p, o);
}

/* Of branches, -d and -S apply to where the sample was taken, wherever the branch leads. */
static void branches_are_filtered_by_their_sample(void **state)
{
	static const struct {
		const char *dso, *symbol;
		u64 shown;
	} rows[] = {
		{ NULL, NULL, 7 },      { "shapes.so", NULL, 6 }, { "other", NULL, 1 },
		{ "nothing", NULL, 0 }, { NULL, "by_fp", 4 },     { NULL, "apart", 2 },
		{ NULL, "leaf", 0 },    { "other", "by_fp", 0 },  { "shapes.so", "apart", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view_opts opts = { .branches = true };
		struct fixture f;
		struct recording r;

		if (rows[i].dso)
			assert_int_equal(name_list__parse(&opts.filter.dsos, rows[i].dso, NULL), 0);
		if (rows[i].symbol)
			assert_int_equal(name_list__parse(&opts.filter.symbols, rows[i].symbol, NULL), 0);
		recording__begin(&r, PERF_SAMPLE_BRANCH_STACK, 1);
		for (u32 n = 0; n < 7; n++)
			recording__put(&r, &(struct put){ .ip = n < 4   ? by_fp
								: n < 6 ? apart
									: OTHER_AT + 0x20,
							  .period = 1,
							  .nr_branches = 1,
							  .branches = { n % 2 ? OTHER_AT + 0x10 : leaf,
									n % 2 ? leaf : OTHER_AT, 0 } });
		open_fixture(&f, &r, NULL, &opts);
		assert_int_equal(f.v.hists.v[0].totals[0].period, 7);
		assert_int_equal(shown(&f), rows[i].shown);
		fixture__close(&f);
		sample_filter__exit(&opts.filter);
	}
}

/* Without branches they apply to the row's own place; callers have rows of their own. */
static void rows_are_filtered_by_their_place(void **state)
{
	const struct {
		const char *dso, *symbol, *comm, *text;
		u64 shown;
	} rows[] = {
		{ "shapes.so", NULL, NULL, NULL, 3 },
		{ "other", NULL, NULL, NULL, 4 },
		{ NULL, "by_fp", NULL, NULL, 1 },
		{ NULL, "apart", NULL, NULL, 2 },
		{ NULL, NULL, NULL, "par", 2 },
		{ NULL, NULL, NULL, "zzz", 0 },
		{ NULL, NULL, "first", NULL, 7 },
		{ NULL, NULL, "second", NULL, 0 },
		{ "shapes.so", "by_fp", "first", "b", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view_opts opts = { .symbol_filter = rows[i].text };
		struct fixture f;
		struct recording r;

		if (rows[i].dso)
			assert_int_equal(name_list__parse(&opts.filter.dsos, rows[i].dso, NULL), 0);
		if (rows[i].symbol)
			assert_int_equal(name_list__parse(&opts.filter.symbols, rows[i].symbol, NULL), 0);
		if (rows[i].comm)
			assert_int_equal(name_list__parse(&opts.filter.comms, rows[i].comm, NULL), 0);
		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
		recording__put(&r, &(struct put){ .ip = by_fp, .period = 1 });
		recording__put(&r, &(struct put){ .ip = apart, .period = 2 });
		recording__put(&r, &(struct put){ .ip = OTHER_AT + 0x20, .period = 4 });
		open_fixture(&f, &r, NULL, &opts);
		assert_int_equal(shown(&f), rows[i].shown);
		fixture__close(&f);
		sample_filter__exit(&opts.filter);
	}
}

static void samples_of_guests_can_be_left_out(void **state)
{
	(void)state;
	for (int ignored = 0; ignored < 2; ignored++) {
		struct view_opts opts = { .ignore_guest = ignored };
		struct fixture f;
		struct recording r;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
		recording__put(&r, &(struct put){ .ip = by_fp, .period = 1 });
		recording__put(
			&r, &(struct put){ .misc = PERF_RECORD_MISC_GUEST_USER, .ip = by_fp, .period = 2 });
		recording__put(&r, &(struct put){ .misc = PERF_RECORD_MISC_GUEST_KERNEL,
						  .ip = 0xffffffff81000000,
						  .period = 4 });
		recording__put(
			&r, &(struct put){ .misc = PERF_RECORD_MISC_HYPERVISOR, .ip = 0x1000, .period = 8 });
		open_fixture(&f, &r, NULL, &opts);
		assert_int_equal(shown(&f), ignored ? 9 : 15);
		fixture__close(&f);
	}
}

/* The paths of an entry begin at its outermost frame, or are those of the samples in it. */
static void an_entry_has_its_paths(void **state)
{
	static const struct {
		const char *name;
		bool self;
		size_t nr;
		u32 from; /* sum */
	} rows[] = {
		{ "leaf", false, 2, 0 }, { "leaf", true, 2, 0 },           { "apart", false, 3, 1 + 0 + 2 },
		{ "apart", true, 1, 0 }, { "by_fp", false, 3, 2 + 1 + 3 },
	};
	struct view_opts opts = { .children = true };
	struct fixture f;
	struct recording r;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
	recording__put(
		&r,
		&(struct put){ .ip = leaf, .period = 1, .chain = { PERF_CONTEXT_USER, leaf, apart, by_fp } });
	recording__put(
		&r, &(struct put){ .ip = apart, .period = 2, .chain = { PERF_CONTEXT_USER, apart, by_fp } });
	recording__put(&r, &(struct put){ .ip = leaf,
					  .period = 4,
					  .chain = { PERF_CONTEXT_USER, leaf, apart, apart, by_fp } });
	open_fixture(&f, &r, "symbol", &opts);
	assert_int_equal(entry_named(&f, "leaf")->stats[0].period, 5);
	assert_int_equal(entry_named(&f, "leaf")->stats[0].period_children, 5);
	assert_int_equal(entry_named(&f, "apart")->stats[0].period, 2);
	assert_int_equal(entry_named(&f, "apart")->stats[0].period_children, 7);
	assert_int_equal(entry_named(&f, "by_fp")->stats[0].period, 0);
	assert_int_equal(entry_named(&f, "by_fp")->stats[0].period_children, 7);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		path_refs paths = { 0 };
		u32 from = 0;

		view__find_paths(&f.v, &f.v.hists.v[0], entry_named(&f, rows[i].name), rows[i].self, &paths);
		assert_int_equal(paths.nr, rows[i].nr);
		for (size_t k = 0; k < paths.nr; k++)
			from += paths.v[k].from;
		if (!rows[i].self)
			assert_int_equal(from, rows[i].from);
		array__exit(&paths);
	}
	{
		path_refs paths = { 0 };

		view__find_paths(&f.v, &f.v.hists.v[0], NULL, false, &paths);
		assert_int_equal(paths.nr, 3);
		array__exit(&paths);
	}
	fixture__close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_are_filtered_by_their_sample),
		cmocka_unit_test(rows_are_filtered_by_their_place),
		cmocka_unit_test(samples_of_guests_can_be_left_out),
		cmocka_unit_test(an_entry_has_its_paths),
	};

	return cmocka_run_group_tests(tests, find_symbols, forget_symbols);
}
