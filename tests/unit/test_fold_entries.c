/*
 * From folds to entries: what is remembered from one fold to the next must not change what is counted. Folds
 * of one kind, callers in one entry, entries that share a slot of the cache.
 */
#include "unit.h"

#include "fold_image.h"

#define USER PERF_CONTEXT_USER
#define KERNEL PERF_CONTEXT_KERNEL
#define OTHER (OTHER_AT + 0x20)

/* Callers have the level of their own code; of addresses in no map, that of what they called. */
static void callers_have_levels_of_their_own(void **state)
{
	struct view_opts o = { .children = true };
	const u64 work = kernel("vfs_work"), unmapped = 0x900000;
	struct recording r;
	struct fixture f;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
	recording__put(&r, &(struct put){ .misc = PERF_RECORD_MISC_KERNEL,
					  .ip = work,
					  .period = 1,
					  .chain = { KERNEL, work, USER, by_fp, unmapped } });
	recording__put(
		&r,
		&(struct put){ .ip = unmapped + 8, .period = 2, .chain = { USER, unmapped + 8, apart + 2 } });
	fixture__sort(&f, &r, "symbol", &o);
	assert_int_equal(entry_named(&f, "vfs_work")->level, 'k');
	assert_int_equal(entry_named(&f, "by_fp")->level, '.');
	assert_int_equal(entry_named(&f, "apart")->level, '.');
	for (size_t i = 0; i < f.v.hists.v[0].entries.nr; i++) {
		const struct hist_entry *e = f.v.hists.v[0].entries.v[i];
		const struct place *p = places__get(&f.v.places, e->place);

		if (!p->mapped)
			assert_int_equal(e->level, '.');
	}
	fixture__close(&f);
	/* the kernel calls code in no map */
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
	recording__put(&r, &(struct put){ .ip = by_fp,
					  .period = 1,
					  .chain = { USER, by_fp, KERNEL, work, 0xffffffffb0000000 } });
	fixture__sort(&f, &r, "symbol", &o);
	for (size_t i = 0; i < f.v.hists.v[0].entries.nr; i++) {
		const struct hist_entry *e = f.v.hists.v[0].entries.v[i];

		assert_int_equal(e->level, places__get(&f.v.places, e->place)->mapped &&
							   places__get(&f.v.places, e->place)->level == '.'
						   ? '.'
						   : 'k');
	}
	fixture__close(&f);
}

/* Many threads without a name, of which several share a slot, in turns; one of them has number 0. */
static void threads_are_told_apart(void **state)
{
	struct view_opts o = { .children = false };
	struct recording r;
	struct fixture f;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_TIME, 1);
	for (u32 n = 0; n < 4; n++)
		recording__comm(&r, n * 512, n * 512, "");
	for (u32 n = 0; n < 4 * 6; n++) {
		u32 tid = n % 4 * 512;

		image__begin(&r.im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		image__u64(&r.im, 100);
		image__u64(&r.im, 0x900000 + 16 * (n / 4 % 3));
		image__u32(&r.im, tid);
		image__u32(&r.im, tid);
		image__u64(&r.im, 1000 + 7 * n % 24);
		image__u64(&r.im, 1u << n % 4);
		image__end(&r.im);
	}
	fixture__sort(&f, &r, "tid,symbol", &o);
	assert_int_equal(f.v.hists.v[0].entries.nr, 4 * 3);
	for (size_t i = 0; i < f.v.hists.v[0].entries.nr; i++) {
		const struct hist_entry *e = f.v.hists.v[0].entries.v[i];

		assert_int_equal(e->tid % 512, 0);
		assert_int_equal(e->stats[0].nr, 2);
		assert_int_equal(e->stats[0].period, 2u << e->tid / 512);
	}
	fixture__close(&f);
}

/* Several callers in one binary, or of one thread, count once; so do samples of places that are one entry. */
static void several_places_of_an_entry_count_once(void **state)
{
	static const char *const sorts[] = { "dso", "comm,dso", "dso,parent" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		struct view_opts o = { .children = true };
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
		recording__put(&r, &(struct put){ .ip = OTHER,
						  .period = 1,
						  .chain = { USER, OTHER, apart + 2, by_fp + 2, OTHER + 8,
							     leaf + 2 } });
		recording__put(&r, &(struct put){ .ip = apart,
						  .period = 10,
						  .chain = { USER, apart, OTHER, leaf + 2, OTHER + 8 } });
		fixture__sort(&f, &r, sorts[i], &o);
		assert_int_equal(f.v.hists.v[0].entries.nr, 2);
		for (size_t k = 0; k < 2; k++) {
			const struct hist_stat *s = &f.v.hists.v[0].entries.v[k]->stats[0];

			assert_int_equal(s->period_children, 11);
			assert_true(s->period == 1 || s->period == 10);
			assert_int_equal(f.v.hists.v[0].entries.v[k]->nr_paths, 2);
		}
		fixture__close(&f);
	}
}

/* Folds of one thread are one row, whichever is the earliest. */
static void folds_of_one_kind_are_one_row(void **state)
{
	static const struct {
		u64 times[4]; /* of by_fp, apart, another address of by_fp, leaf */
		u32 first;    /* 0: by_fp, 1: apart, 3: leaf */
	} rows[] = { { { 9000, 5000, 1000, 3000 }, 0 },
		     { { 1000, 2000, 3000, 4000 }, 0 },
		     { { 4000, 3000, 2000, 1000 }, 3 },
		     { { 9000, 1000, 5000, 3000 }, 1 },
		     { { 1000, 1000, 1000, 1000 }, 0 } };
	static const char *const sorts[] = { "comm", "comm,parent", "pid" };
	static const char *const names[] = { "by_fp", "apart", "by_fp", "leaf" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorts) * ARRAY_SIZE(rows); i++) {
		const u64 ips[] = { by_fp, apart, by_fp + 1, leaf };
		size_t k = i / ARRAY_SIZE(sorts);
		struct view_opts o = { .graph = GRAPH_ABSOLUTE };
		struct call_trees trees = CALL_TREES_INIT;
		const struct hist_entry *e;
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN, 1);
		for (u32 n = 0; n < 4; n++)
			recording__put(&r, &(struct put){ .ip = ips[n],
							  .time = rows[k].times[n],
							  .period = 1u << n,
							  .chain = { USER, ips[n], n % 2 ? by_fp + 2 : 0 } });
		fixture__sort(&f, &r, sorts[i % ARRAY_SIZE(sorts)], &o);
		assert_int_equal(f.v.hists.v[0].entries.nr, 1);
		e = f.v.hists.v[0].entries.v[0];
		assert_int_equal(e->stats[0].period, 15);
		assert_int_equal(e->stats[0].period_user, 15);
		assert_int_equal(e->stats[0].nr, 4);
		assert_int_equal(e->max_depth, 2);
		assert_int_equal(f.v.hists.v[0].totals[0].period, 15);
		assert_int_equal(f.v.hists.v[0].shown[0].period, 15);
		assert_int_equal(e->first_time, rows[k].times[rows[k].first ? rows[k].first : k ? 0 : 2]);
		assert_string_equal(place_name(&f, e->place), names[rows[k].first]);
		assert_int_equal(view__call_tree(&f.v, e, false, &trees)->total, 15);
		call_trees__exit(&trees);
		fixture__close(&f);
	}
}

/* Three threads in turns, each with several functions and callers: one row and one tree for each. */
static void kinds_are_told_apart(void **state)
{
	static const char *const sorts[] = { "comm", "comm,symbol" };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(sorts); i++) {
		struct view_opts o = { .graph = GRAPH_ABSOLUTE, .children = i % 2 };
		struct call_trees trees = CALL_TREES_INIT;
		u64 children = 0, self = 0;
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN, 1);
		for (u32 n = 0; n < 54; n++) {
			const u64 functions[] = { by_fp, apart, leaf }, ip = functions[n / 6 % 3];

			recording__put(&r, &(struct put){ .ip = ip + n / 3 % 2,
							  .pid = PID + n / 2 % 3,
							  .time = 1000 + n * 29 % 54,
							  .period = 1u << 8 * (n / 2 % 3),
							  .chain = { USER, ip, OTHER } });
		}
		fixture__sort(&f, &r, sorts[i / 2], &o);
		assert_int_equal(f.v.hists.v[0].entries.nr, i / 2 == 0 ? 3 : i % 2 ? 12 : 9);
		for (size_t k = 0; k < f.v.hists.v[0].entries.nr; k++) {
			const struct hist_entry *e = f.v.hists.v[0].entries.v[k];
			u64 unit = 1u << 8 * (e->tid - PID);

			assert_int_equal(e->stats[0].period, unit * e->stats[0].nr);
			assert_int_equal(e->stats[0].period_children % unit, 0);
			assert_int_equal(view__call_tree(&f.v, e, false, &trees)->total,
					 o.children ? e->stats[0].period_children : e->stats[0].period);
			self += e->stats[0].nr;
			children += e->stats[0].period_children / unit;
			if (i / 2 == 0)
				assert_int_equal(e->stats[0].nr, 18);
			if (i == 1)
				assert_int_equal(e->stats[0].period_children, 18 * unit);
		}
		assert_int_equal(self, 54);
		assert_int_equal(children, i == 3 ? 108 : 54);
		call_trees__exit(&trees);
		fixture__close(&f);
	}
}

/* Of one thread, callers that are not filtered have a row of their own. */
static void callers_are_filtered_apart(void **state)
{
	struct view_opts o = { .children = true };
	const struct hists *h;
	struct recording r;
	struct fixture f;

	(void)state;
	assert_int_equal(name_list__parse(&o.filter.symbols, "by_fp", NULL), 0);
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
	recording__put(
		&r, &(struct put){ .ip = leaf, .period = 3, .chain = { USER, leaf, by_fp + 2, apart + 2 } });
	recording__put(&r, &(struct put){ .ip = by_fp, .period = 10, .chain = { USER, by_fp, apart + 2 } });
	recording__put(&r, &(struct put){ .ip = apart, .period = 100, .chain = { USER, apart } });
	fixture__sort(&f, &r, "comm", &o);
	h = &f.v.hists.v[0];
	assert_int_equal(h->entries.nr, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct hist_stat *s = &h->entries.v[i]->stats[0];

		assert_int_equal(s->period, h->entries.v[i]->filtered ? 103 : 10);
		assert_int_equal(s->period_children, h->entries.v[i]->filtered ? 113 : 13);
	}
	assert_int_equal(h->shown[0].period, 13);
	fixture__close(&f);
	sample_filter__exit(&o.filter);
}

/* A row of several modes has the level of its earliest sample. */
static void the_earliest_sample_gives_the_level(void **state)
{
	(void)state;
	for (u32 first = 0; first < 2; first++) {
		struct view_opts o = { .children = false };
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_TIME, 1);
		for (u32 n = 0; n < 4; n++)
			recording__put(&r, &(struct put){ .misc = n % 2 ? PERF_RECORD_MISC_KERNEL : 0,
							  .ip = n % 2 ? kernel("vfs_work") : by_fp,
							  .time = n == first ? 1000 : 2000 + n,
							  .period = 1 });
		fixture__sort(&f, &r, "comm", &o);
		assert_int_equal(f.v.hists.v[0].entries.nr, 1);
		assert_int_equal(f.v.hists.v[0].entries.v[0]->level, first ? 'k' : '.');
		assert_int_equal(f.v.hists.v[0].entries.v[0]->stats[0].period_sys, 2);
		fixture__close(&f);
	}
}

/* A caller's row is named by the earliest sample below it, too. */
static void the_earliest_callee_names_the_caller(void **state)
{
	(void)state;
	for (u32 first = 0; first < 3; first++) {
		struct view_opts o = { .children = true };
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN, 1);
		for (u32 n = 0; n < 3; n++)
			recording__put(&r, &(struct put){ .ip = leaf,
							  .pid = PID + n,
							  .time = n == first ? 1000 : 2000 + n,
							  .period = 1,
							  .chain = { USER, leaf, by_fp + 2 } });
		fixture__sort(&f, &r, "symbol", &o);
		assert_int_equal(entry_named(&f, "by_fp")->tid, PID + first);
		assert_int_equal(entry_named(&f, "by_fp")->first_time, 1000);
		assert_int_equal(entry_named(&f, "leaf")->tid, PID + first);
		fixture__close(&f);
	}
}

/* Without callers' rows, a sample is shown if its own place is: so is its chain. */
static void filtered_samples_have_no_chains(void **state)
{
	(void)state;
	for (int children = 0; children < 2; children++) {
		struct view_opts o = { .graph = GRAPH_ABSOLUTE, .children = children };
		struct call_trees trees = CALL_TREES_INIT;
		struct recording r;
		struct fixture f;

		assert_int_equal(name_list__parse(&o.filter.symbols, "by_fp", NULL), 0);
		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
		recording__put(&r,
			       &(struct put){ .ip = leaf, .period = 3, .chain = { USER, leaf, by_fp + 2 } });
		recording__put(
			&r, &(struct put){ .ip = by_fp, .period = 10, .chain = { USER, by_fp, apart + 2 } });
		fixture__sort(&f, &r, "symbol", &o);
		assert_int_equal(f.v.hists.v[0].shown[0].period, children ? 13 : 10);
		assert_int_equal(view__whole_tree(&f.v, &f.v.hists.v[0], &trees)->total, children ? 13 : 10);
		call_trees__exit(&trees);
		fixture__close(&f);
		sample_filter__exit(&o.filter);
	}
}

/* What is filtered by its place is not in the row of what is not, though both are of one thread. */
static void folds_of_one_kind_are_filtered_apart(void **state)
{
	(void)state;
	for (int turn = 0; turn < 2 * 4; turn++) {
		int i = turn % 4;
		struct view_opts o = { .exclude_other = i == 1, .symbol_filter = i == 2 ? "apart" : NULL };
		struct sample_filter zoom = { 0 };
		struct recording r;
		struct fixture f;
		regex_t names;

		assert_int_equal(regcomp(&names, "apart", REG_EXTENDED | REG_NOSUB), 0);
		if (i == 0)
			assert_int_equal(name_list__parse(&o.filter.symbols, "apart", NULL), 0);
		if (i == 3)
			assert_int_equal(name_list__parse(&zoom.symbols, "apart", NULL), 0);
		if (i == 1)
			o.parent = &names;
		recording__begin(&r, PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN, 1);
		for (u32 n = 0; n < 8; n++) { /* two addresses of apart, two of by_fp */
			u64 ip = (n % 2 ? apart : by_fp) + n / 2 % 2;

			recording__put(&r, &(struct put){ .ip = ip,
							  .time = 1000 + (turn / 4 * 3 + 5 * n) % 8,
							  .period = n % 2 ? 1 : 10,
							  .chain = { USER, ip } });
		}
		fixture__sort(&f, &r, "comm", &o);
		if (i == 3)
			view__recount(&f.v, &zoom);
		assert_int_equal(f.v.hists.v[0].entries.nr, 2);
		for (size_t k = 0; k < 2; k++) {
			const struct hist_entry *e = f.v.hists.v[0].entries.v[k];

			assert_int_equal(e->stats[0].period, e->filtered ? 40 : 4);
		}
		assert_int_equal(f.v.hists.v[0].shown[0].period, 4);
		assert_int_equal(f.v.hists.v[0].totals[0].period, 44);
		fixture__close(&f);
		sample_filter__exit(&o.filter);
		sample_filter__exit(&zoom);
		regfree(&names);
	}
}

/* Where on the chain the first place of a binary is, and what belongs to it at all. */
static void paths_of_a_binary(void **state)
{
	(void)state;
	for (int caller_first = 0; caller_first < 2; caller_first++) {
		struct view_opts o = { .graph = GRAPH_ABSOLUTE,
				       .children = true,
				       .trees_later = true,
				       .chain.caller_first = caller_first };
		const struct hists *h;
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
		/* from the leaf: of the binary 1 and 2, of the other one 0 and 3; 0; 0 */
		recording__put(&r,
			       &(struct put){ .ip = OTHER,
					      .period = 1,
					      .chain = { USER, OTHER, apart + 2, by_fp + 2, OTHER + 8 } });
		recording__put(&r, &(struct put){ .ip = leaf, .period = 10, .chain = { USER, leaf } });
		recording__put(&r, &(struct put){ .ip = OTHER, .period = 100, .chain = { USER, OTHER } });
		fixture__sort(&f, &r, "dso", &o);
		h = &f.v.hists.v[0];
		assert_int_equal(h->entries.nr, 2);
		for (size_t i = 0; i < 3; i++) {
			const struct hist_entry *e = i < 2 ? h->entries.v[i] : NULL;
			bool is_binary = e && places__get(&f.v.places, e->place)->sym;
			path_refs paths = { 0 };

			view__find_paths(&f.v, h, e, false, &paths);
			assert_int_equal(paths.nr, e ? 2 : 3);
			for (size_t k = 0; k < paths.nr; k++) {
				u64 period = f.v.folds.v[paths.v[k].fold].period;

				assert_int_not_equal(period, is_binary ? 100 : e ? 10 : 0);
				if (period != 1)
					assert_int_equal(paths.v[k].from, 0);
				else if (is_binary)
					assert_int_equal(paths.v[k].from, caller_first ? 1 : 2);
				else
					assert_int_equal(paths.v[k].from, caller_first ? 0 : 3);
			}
			array__exit(&paths);
		}
		fixture__close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_have_levels_of_their_own),
		cmocka_unit_test(threads_are_told_apart),
		cmocka_unit_test(several_places_of_an_entry_count_once),
		cmocka_unit_test(folds_of_one_kind_are_one_row),
		cmocka_unit_test(kinds_are_told_apart),
		cmocka_unit_test(the_earliest_callee_names_the_caller),
		cmocka_unit_test(filtered_samples_have_no_chains),
		cmocka_unit_test(the_earliest_sample_gives_the_level),
		cmocka_unit_test(callers_are_filtered_apart),
		cmocka_unit_test(folds_of_one_kind_are_filtered_apart),
		cmocka_unit_test(paths_of_a_binary),
	};

	return cmocka_run_group_tests(tests, find_symbols, forget_symbols);
}
