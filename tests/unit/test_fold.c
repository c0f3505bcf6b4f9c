/*
 * Which samples count for which rows: filters of binaries, symbols and threads, also with branches,
 * and the paths of an entry. The binary has symbols; nothing of it is run.
 */
#include "unit.h"

#include "binary/symbols/elf_symbols.h"
#include "view_image.h"
#include "profile/hists/hists_private.h"

#include <stdlib.h>

enum { PID = 40, BINARY_AT = 0x10000000, OTHER_AT = 0x20000000, MAP_LEN = 0x1000 };

static char *binary; /* tests/data/arm64-frames/shapes.so: its offsets are its addresses */
static u64 by_fp, apart, leaf;

static void image__map(struct image *im, u64 start, const char *name)
{
	image__begin(im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	image__u32(im, PID);
	image__u32(im, PID);
	image__u64(im, start);
	image__u64(im, MAP_LEN);
	image__u64(im, 0);
	image__str(im, name, ROUND_UP(strlen(name) + 1, 8));
	image__end(im);
}

static void image__start(struct image *im, u64 sample_type)
{
	struct perf_event_attr a =
		image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD | sample_type);

	a.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	image__init(im, false);
	image__file_header(im, 1, 112, 0);
	image__attr_entry(im, &a, 112, 0, 0);
	image__comm(im, PID, "first");
	image__comm(im, PID + 1, "second");
	image__map(im, BINARY_AT, binary);
	image__map(im, OTHER_AT, "/nowhere/other");
}

/* misc: with the CPU mode. words: of the chain, or of branches. */
static void image__put(struct image *im, u16 misc, u64 ip, u64 period, const u64 *words, u64 nr, u64 nr_words)
{
	image__begin(im, PERF_RECORD_SAMPLE, misc);
	image__u64(im, ip);
	image__u32(im, PID);
	image__u32(im, PID);
	image__u64(im, period);
	image__u64(im, nr);
	for (u64 i = 0; i < nr_words; i++)
		image__u64(im, words[i]);
	image__end(im);
}

static void fixture__open(struct fixture *f, struct image *im, const char *sort, struct view_opts *opts)
{
	struct session_opts sopts = { .symbols = { .no_made_up_names = true } };
	struct layout_opts lopts = { .sort = sort, .branches = opts->branches, .children = opts->children };
	struct profile_opts popts = { .nr_threads = 1, .branches = opts->branches };

	image__end_data(im);
	assert_int_equal(layout__parse(&f->layout, &lopts, NULL), 0);
	popts.split = f->layout.split | PROFILE_SPLIT_SAMPLE_IP; /* as report sets it for -d and -S */
	fixture__read(f, im, &sopts, &popts, opts);
	image__exit(im);
}

/* The sum of the rows that are shown. */
static u64 shown(const struct fixture *f)
{
	const struct hists *h = &f->v.hists.v[0];
	u64 sum = 0;

	for (size_t i = 0; i < h->entries.nr; i++)
		sum += h->entries.v[i]->filtered ? 0 : h->entries.v[i]->stats[0].period;
	return sum;
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
		const u64 to_leaf[] = { OTHER_AT + 0x10, BINARY_AT + leaf, 0 },
			  out[] = { BINARY_AT + leaf, OTHER_AT, 0 };
		struct view_opts opts = { .branches = true };
		struct fixture f;
		struct image im;

		if (rows[i].dso)
			assert_int_equal(name_list__parse(&opts.filter.dsos, rows[i].dso, NULL), 0);
		if (rows[i].symbol)
			assert_int_equal(name_list__parse(&opts.filter.symbols, rows[i].symbol, NULL), 0);
		image__start(&im, PERF_SAMPLE_BRANCH_STACK);
		for (u32 n = 0; n < 7; n++)
			image__put(&im, PERF_RECORD_MISC_USER,
				   n < 4   ? BINARY_AT + by_fp
				   : n < 6 ? BINARY_AT + apart
					   : OTHER_AT + 0x20,
				   1, n % 2 ? to_leaf : out, 1, 3);
		fixture__open(&f, &im, NULL, &opts);
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
		struct image im;

		if (rows[i].dso)
			assert_int_equal(name_list__parse(&opts.filter.dsos, rows[i].dso, NULL), 0);
		if (rows[i].symbol)
			assert_int_equal(name_list__parse(&opts.filter.symbols, rows[i].symbol, NULL), 0);
		if (rows[i].comm)
			assert_int_equal(name_list__parse(&opts.filter.comms, rows[i].comm, NULL), 0);
		image__start(&im, PERF_SAMPLE_CALLCHAIN);
		image__put(&im, PERF_RECORD_MISC_USER, BINARY_AT + by_fp, 1, NULL, 0, 0);
		image__put(&im, PERF_RECORD_MISC_USER, BINARY_AT + apart, 2, NULL, 0, 0);
		image__put(&im, PERF_RECORD_MISC_USER, OTHER_AT + 0x20, 4, NULL, 0, 0);
		fixture__open(&f, &im, NULL, &opts);
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
		struct image im;

		image__start(&im, PERF_SAMPLE_CALLCHAIN);
		image__put(&im, PERF_RECORD_MISC_USER, BINARY_AT + by_fp, 1, NULL, 0, 0);
		image__put(&im, PERF_RECORD_MISC_GUEST_USER, BINARY_AT + by_fp, 2, NULL, 0, 0);
		image__put(&im, PERF_RECORD_MISC_GUEST_KERNEL, 0xffffffff81000000, 4, NULL, 0, 0);
		image__put(&im, PERF_RECORD_MISC_HYPERVISOR, 0x1000, 8, NULL, 0, 0);
		fixture__open(&f, &im, NULL, &opts);
		assert_int_equal(shown(&f), ignored ? 9 : 15);
		fixture__close(&f);
	}
}

static const struct hist_entry *entry_of(const struct fixture *f, const char *name)
{
	const struct hists *h = &f->v.hists.v[0];

	for (size_t i = 0; i < h->entries.nr; i++)
		if (places__get(&f->v.places, h->entries.v[i]->place)->sym &&
		    !strcmp(places__name((struct places *)&f->v.places, h->entries.v[i]->place), name))
			return h->entries.v[i];
	fail_msg("no row '%s'", name);
	return NULL;
}

/* The paths of an entry begin at its outermost frame, or are those of the samples in it. */
static void an_entry_has_its_paths(void **state)
{
	const u64 in_leaf[] = { PERF_CONTEXT_USER, BINARY_AT + leaf, BINARY_AT + apart, BINARY_AT + by_fp },
		  in_apart[] = { PERF_CONTEXT_USER, BINARY_AT + apart, BINARY_AT + by_fp },
		  recursive[] = { PERF_CONTEXT_USER, BINARY_AT + leaf, BINARY_AT + apart, BINARY_AT + apart,
				  BINARY_AT + by_fp };
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
	struct image im;

	(void)state;
	image__start(&im, PERF_SAMPLE_CALLCHAIN);
	image__put(&im, PERF_RECORD_MISC_USER, BINARY_AT + leaf, 1, in_leaf, 4, 4);
	image__put(&im, PERF_RECORD_MISC_USER, BINARY_AT + apart, 2, in_apart, 3, 3);
	image__put(&im, PERF_RECORD_MISC_USER, BINARY_AT + leaf, 4, recursive, 5, 5);
	fixture__open(&f, &im, "symbol", &opts);
	assert_int_equal(entry_of(&f, "leaf")->stats[0].period, 5);
	assert_int_equal(entry_of(&f, "leaf")->stats[0].period_children, 5);
	assert_int_equal(entry_of(&f, "apart")->stats[0].period, 2);
	assert_int_equal(entry_of(&f, "apart")->stats[0].period_children, 7);
	assert_int_equal(entry_of(&f, "by_fp")->stats[0].period, 0);
	assert_int_equal(entry_of(&f, "by_fp")->stats[0].period_children, 7);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		path_refs paths = { 0 };
		u32 from = 0;

		view__find_paths(&f.v, &f.v.hists.v[0], entry_of(&f, rows[i].name), rows[i].self, &paths);
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

static int find_symbols(void **state)
{
	const char *src = getenv("PERF_SRC");
	struct symtab t;
	char *relative = xasprintf("%s/tests/data/arm64-frames/shapes.so", src ? src : ".");

	(void)state;
	binary = realpath(relative, NULL);
	free(relative);
	symtab__init(&t);
	if (!binary || elf_symbols__load(&t, binary, NULL, NULL, NULL))
		return -1;
	for (size_t i = 0; i < t.syms.nr; i++) {
		const char *name = symtab__name(&t, &t.syms.v[i]);

		if (!strcmp(name, "by_fp"))
			by_fp = t.syms.v[i].start;
		if (!strcmp(name, "apart"))
			apart = t.syms.v[i].start;
		if (!strcmp(name, "leaf"))
			leaf = t.syms.v[i].start;
	}
	symtab__exit(&t);
	return !by_fp || !apart || !leaf;
}

static int forget(void **state)
{
	(void)state;
	free(binary);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_are_filtered_by_their_sample),
		cmocka_unit_test(rows_are_filtered_by_their_place),
		cmocka_unit_test(samples_of_guests_can_be_left_out),
		cmocka_unit_test(an_entry_has_its_paths),
	};

	return cmocka_run_group_tests(tests, find_symbols, forget);
}
