/*
 * From folds to entries with their callers, and to call trees: limits, order, groups, parents, filters of
 * what is shown, histories of branches.
 */
#include "unit.h"

#include "fold_image.h"

#define USER PERF_CONTEXT_USER
#define OTHER (OTHER_AT + 0x20)

enum { LOAD = PERF_MEM_OP_LOAD, STORE = PERF_MEM_OP_STORE };

static void put_chain(struct recording *r, u64 period, u64 ip, u64 caller, u64 outer)
{
	recording__put(
		r, &(struct put){ .ip = ip,
				  .period = period,
				  .chain = { USER, ip, caller ? caller + 2 : 0, outer ? outer + 2 : 0 } });
}

/* Print a tree as "name,name:total(child child)". */
static void add_tree(struct strbuf *sb, const struct fixture *f, const struct call_node *node)
{
	for (u32 i = 0; i < node->nr_places; i++)
		strbuf__addf(sb, "%s%s", i ? "," : "", place_name(f, node->places[i]));
	strbuf__addf(sb, ":%llu", (unsigned long long)node->total);
	for (u32 i = 0; i < node->nr_children; i++) {
		strbuf__addch(sb, i ? ' ' : '(');
		add_tree(sb, f, node->children[i]);
	}
	if (node->nr_children)
		strbuf__addch(sb, ')');
}

static void assert_tree(const struct fixture *f, const struct call_node *tree, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	if (tree)
		add_tree(&sb, f, tree);
	assert_string_equal(tree ? sb.buf : "", expected);
	strbuf__exit(&sb);
}

/* 100 samples: leaf <- apart <- by_fp 60, leaf <- by_fp 25, apart <- by_fp 10, leaf <- apart 5. */
static void put_tree(struct recording *r)
{
	put_chain(r, 60, leaf, apart, by_fp);
	put_chain(r, 25, leaf, by_fp, 0);
	put_chain(r, 10, apart, by_fp, 0);
	put_chain(r, 5, leaf, apart, 0);
}

/* Branches below the limit are left out: of the whole, or of what the parent has. */
static void trees_show_what_is_large_enough(void **state)
{
	static const struct {
		enum graph_mode graph;
		double percent;
		bool children, caller_first;
		const char *leaf, *by_fp, *whole;
	} rows[] = {
		{ GRAPH_ABSOLUTE, 0, false, false, ":90(leaf:90(apart:65(by_fp:60) by_fp:25))", "",
		  ":100(leaf:90(apart:65(by_fp:60) by_fp:25) apart,by_fp:10)" },
		{ GRAPH_ABSOLUTE, 10, false, false, ":90(leaf:90(apart:65(by_fp:60) by_fp:25))", "",
		  ":100(leaf:90(apart:65(by_fp:60) by_fp:25) apart,by_fp:10)" },
		{ GRAPH_ABSOLUTE, 26, false, false, ":90(leaf:90(apart:65(by_fp:60)))", "",
		  ":100(leaf:90(apart:65(by_fp:60)))" },
		{ GRAPH_ABSOLUTE, 91, false, false, "", "", ":100" },
		{ GRAPH_RELATIVE, 30, false, false, ":90(leaf:90(apart:65(by_fp:60)))", "",
		  ":100(leaf:90(apart:65(by_fp:60)))" },
		{ GRAPH_RELATIVE, 27, false, false, ":90(leaf:90(apart:65(by_fp:60) by_fp:25))", "",
		  ":100(leaf:90(apart:65(by_fp:60) by_fp:25))" },
		{ GRAPH_RELATIVE, 10.05, false, false, ":90(leaf:90(apart:65(by_fp:60) by_fp:25))", "",
		  ":100(leaf:90(apart:65(by_fp:60) by_fp:25))" },
		{ GRAPH_RELATIVE, 95, false, false, ":90(leaf:90)", "", ":100" },
		{ GRAPH_ABSOLUTE, 0, true, true, ":90(by_fp:85(apart,leaf:60 leaf:25) apart,leaf:5)",
		  ":95(by_fp:95(apart:70(leaf:60) leaf:25))",
		  ":100(by_fp:95(apart:70(leaf:60) leaf:25) apart,leaf:5)" },
		{ GRAPH_ABSOLUTE, 91, true, true, "", ":95(by_fp:95)", ":100(by_fp:95)" },
		{ GRAPH_ABSOLUTE, 95, true, true, "", ":95(by_fp:95)", ":100(by_fp:95)" },
		{ GRAPH_ABSOLUTE, 96, true, true, "", "", ":100" },
		{ GRAPH_RELATIVE, 50, true, true, ":90(by_fp:85(apart,leaf:60))",
		  ":95(by_fp:95(apart:70(leaf:60)))", ":100(by_fp:95(apart:70(leaf:60)))" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view_opts o = { .graph = rows[i].graph,
				       .graph_percent = rows[i].percent,
				       .children = rows[i].children,
				       .chain.caller_first = rows[i].caller_first };
		struct call_trees trees = CALL_TREES_INIT, whole = CALL_TREES_INIT;
		const struct hist_entry *e;
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
		put_tree(&r);
		fixture__sort(&f, &r, "symbol", &o);
		e = entry_named(&f, "leaf");
		assert_tree(&f, view__call_tree(&f.v, e, false, &trees), rows[i].leaf);
		assert_int_equal(e->max_depth, rows[i].children ? 3 : 3);
		e = find_entry(&f, "by_fp", false);
		assert_int_equal(!e, !rows[i].children);
		assert_tree(&f, e ? view__call_tree(&f.v, e, false, &trees) : NULL, rows[i].by_fp);
		assert_tree(&f, view__whole_tree(&f.v, &f.v.hists.v[0], &whole), rows[i].whole);
		assert_int_equal(entry_named(&f, "apart")->stats[0].period, 10);
		assert_int_equal(entry_named(&f, "apart")->stats[0].period_children,
				 rows[i].children ? 75 : 10);
		call_trees__exit(&trees);
		call_trees__exit(&whole);
		fixture__close(&f);
	}
}

/* A function that calls itself has one path in its tree for each chain. */
static void recursion_is_one_path(void **state)
{
	struct view_opts o = { .graph = GRAPH_ABSOLUTE, .children = true, .chain.caller_first = true };
	struct call_trees trees = CALL_TREES_INIT;
	struct recording r;
	struct fixture f;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
	recording__put(&r,
		       &(struct put){ .ip = leaf,
				      .period = 7,
				      .chain = { USER, leaf, apart + 2, leaf + 2, apart + 3, by_fp + 2 } });
	put_chain(&r, 1, apart, apart, 0);
	fixture__sort(&f, &r, "symbol", &o);
	assert_int_equal(entry_named(&f, "leaf")->stats[0].period_children, 7);
	assert_int_equal(entry_named(&f, "leaf")->stats[0].period, 7);
	assert_int_equal(entry_named(&f, "apart")->stats[0].period_children, 8);
	assert_int_equal(entry_named(&f, "apart")->stats[0].period, 1);
	assert_int_equal(entry_named(&f, "apart")->max_depth, 4);
	assert_int_equal(entry_named(&f, "by_fp")->max_depth, 5);
	assert_tree(&f, view__call_tree(&f.v, entry_named(&f, "apart"), false, &trees),
		    ":8(apart:8(leaf,apart,leaf:7 apart:1))");
	assert_tree(&f, view__call_tree(&f.v, entry_named(&f, "leaf"), false, &trees),
		    ":7(by_fp,apart,leaf,apart,leaf:7)"); /* its own samples have their whole chains */
	assert_tree(&f, view__call_tree(&f.v, entry_named(&f, "by_fp"), false, &trees),
		    ":7(by_fp,apart,leaf,apart,leaf:7)");
	call_trees__exit(&trees);
	fixture__close(&f);
}

/* Callers by names that are not symbols: of one binary, of one thread. */
static void callers_of_other_keys_count_once(void **state)
{
	static const struct {
		const char *sort;
		size_t nr_entries;
		u64 children[2];
		u32 nr_paths;
	} rows[] = { { "dso", 2, { 100, 111 }, 2 },
		     { "comm", 1, { 111, 111 }, 2 },
		     { "comm,dso", 2, { 100, 111 }, 2 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view_opts o = { .graph = GRAPH_ABSOLUTE,
				       .children = true,
				       .chain.caller_first = true };
		struct call_trees trees = CALL_TREES_INIT;
		u64 self = 0, sum = 0;
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
		put_chain(&r, 1, leaf, apart, by_fp);
		put_chain(&r, 10, leaf, by_fp, 0);
		put_chain(&r, 100, OTHER, apart, OTHER + 8);
		fixture__sort(&f, &r, rows[i].sort, &o);
		assert_int_equal(f.v.hists.v[0].entries.nr, rows[i].nr_entries);
		for (size_t k = 0; k < rows[i].nr_entries; k++) {
			const struct hist_entry *e = f.v.hists.v[0].entries.v[k];
			const struct call_node *tree = view__call_tree(&f.v, e, false, &trees);
			u64 children = e->stats[0].period_children;

			assert_true(children == rows[i].children[0] || children == rows[i].children[1]);
			assert_int_equal(tree->total, children);
			self += e->stats[0].period;
			sum += children;
		}
		assert_int_equal(self, 111);
		assert_int_equal(sum, rows[i].nr_entries == 1 ? 111 : 211);
		call_trees__exit(&trees);
		fixture__close(&f);
	}
}

/* Of equally large branches the one with the larger binary, then with the higher address comes first. */
static void equal_branches_are_in_the_order_of_addresses(void **state)
{
	static const char *const expected[] = {
		":60(by_fp:60(leaf:10 apart:10 ?:10 ?:10 vfs_work:10 schedule:10))",
		":60(by_fp:60(?:10 ?:10 leaf:10 apart:10 vfs_work:10 schedule:10))",
		":60(by_fp:60(vfs_work:10 schedule:10 leaf:10 apart:10 ?:10 ?:10))",
		":60(by_fp:60(vfs_work:10 schedule:10 ?:10 ?:10 leaf:10 apart:10))",
		":60(by_fp:60(leaf:10 apart:10 vfs_work:10 schedule:10 ?:10 ?:10))",
		":60(by_fp:60(?:10 ?:10 vfs_work:10 schedule:10 leaf:10 apart:10))",
	};
	const u64 callees[] = { apart, leaf, OTHER, OTHER + 8, 0, 0 };

	(void)state;
	for (u32 turn = 0; turn < 6; turn++) {
		struct view_opts o = { .graph = GRAPH_ABSOLUTE,
				       .children = true,
				       .chain.caller_first = true };
		struct call_trees trees = CALL_TREES_INIT;
		const struct call_node *tree;
		struct strbuf sb = STRBUF_INIT;
		const char *kernels[] = { "schedule", "vfs_work" };
		bool found = false;
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
		for (u32 i = 0; i < 6; i++) {
			u32 n = (i + turn) % 6;

			if (n < 4)
				put_chain(&r, 10, callees[n], by_fp, 0);
			else
				recording__put(&r, &(struct put){ .misc = PERF_RECORD_MISC_KERNEL,
								  .ip = kernel(kernels[n - 4]),
								  .period = 10,
								  .chain = { PERF_CONTEXT_KERNEL,
									     kernel(kernels[n - 4]), USER,
									     by_fp } });
		}
		fixture__sort(&f, &r, "symbol", &o);
		tree = view__call_tree(&f.v, entry_named(&f, "by_fp"), false, &trees);
		add_tree(&sb, &f, tree);
		for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
			found |= !strcmp(sb.buf, expected[i]);
		if (!found)
			fail_msg("%s", sb.buf);
		/* the places of a binary are together, the last binary first */
		for (u32 i = 1; i < tree->children[0]->nr_children; i++) {
			const struct place *a = places__get(&f.v.places,
							    tree->children[0]->children[i - 1]->places[0]),
					   *b = places__get(&f.v.places,
							    tree->children[0]->children[i]->places[0]);

			assert_true(a->dso >= b->dso);
			if (a->dso == b->dso)
				assert_true(a->sym ? a->sym->start > b->sym->start : a->ip > b->ip);
		}
		strbuf__exit(&sb);
		call_trees__exit(&trees);
		fixture__close(&f);
	}
}

/* By address, those of one function are branches of their own. */
static void addresses_of_one_function_are_in_order(void **state)
{
	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		struct view_opts o = { .graph = GRAPH_ABSOLUTE,
				       .children = true,
				       .places.graph_key = GRAPH_BY_ADDRESS,
				       .chain.caller_first = true };
		struct call_trees trees = CALL_TREES_INIT;
		const struct call_node *tree;
		u64 last = UINT64_MAX;
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
		for (u32 i = 0; i < 4; i++)
			put_chain(&r, 10, leaf + (turn ? i : 3 - i), by_fp, 0);
		fixture__sort(&f, &r, "symbol", &o);
		tree = view__call_tree(&f.v, entry_named(&f, "by_fp"), false, &trees);
		assert_int_equal(tree->children[0]->nr_children, 4);
		for (u32 i = 0; i < 4; i++) {
			const struct call_node *child = tree->children[0]->children[i];
			const struct place *place = places__get(&f.v.places, child->places[0]);

			assert_string_equal(place_name(&f, child->places[0]), "leaf");
			assert_true(place->ip < last);
			last = place->ip;
		}
		call_trees__exit(&trees);
		fixture__close(&f);
	}
}

/* Events that are in no group have tables of their own, unless all are to be one group. */
static void events_have_tables(void **state)
{
	(void)state;
	for (u32 is_group = 0; is_group < 2; is_group++) {
		struct view_opts o = { .group = true, .force_group = is_group };
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 3);
		for (u32 i = 0; i < 12; i++)
			recording__put(&r, &(struct put){ .event = i % 3,
							  .ip = leaf,
							  .period = 1 + i % 3,
							  .chain = { USER, leaf, by_fp + 2 } });
		fixture__sort(&f, &r, "symbol", &o);
		assert_int_equal(f.v.hists.nr, is_group ? 1 : 3);
		for (size_t i = 0; i < f.v.hists.nr; i++) {
			assert_int_equal(f.v.hists.v[i].nr_members, is_group ? 3 : 1);
			assert_int_equal(f.v.hists.v[i].entries.nr, 1);
			assert_int_equal(f.v.hists.v[i].entries.v[0]->stats[0].period, 4 * (1 + i));
			assert_false(f.v.hists.v[i].is_of_times);
		}
		fixture__close(&f);
	}
}

/* In a group each event is a member of the entries; trees and paths are of the leader's samples. */
static void members_of_a_group_share_entries(void **state)
{
	struct view_opts o = { .graph = GRAPH_ABSOLUTE,
			       .children = true,
			       .chain.caller_first = true,
			       .group = true,
			       .force_group = true };
	struct layout_opts l = { .sort = "symbol", .fields = "overhead,sample,symbol,op,weight1" };
	struct call_trees trees = CALL_TREES_INIT;
	struct profile_opts p = { .nr_threads = 1 };
	const struct layout *layout;
	path_refs paths = { 0 };
	const struct hists *h;
	struct hist_entry *e;
	struct recording r;
	struct fixture f;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC, 3);
	for (u32 i = 0; i < 12; i++)
		recording__put(&r, &(struct put){ .event = i % 3,
						  .ip = i < 6 ? leaf : apart,
						  .period = i % 3 == 0   ? 1
							    : i % 3 == 1 ? 10
									 : 100,
						  .weight = 1 + i % 3,
						  .data_src = i % 2 ? STORE : LOAD,
						  .chain = { USER, i < 6 ? leaf : apart, by_fp + 2 } });
	/* not of the leader: no tree */
	recording__put(&r, &(struct put){ .event = 1, .ip = OTHER, .weight = 1, .chain = { USER, OTHER } });
	fixture__open(&f, &r, &l, &p, &o);
	layout = &f.layout;
	assert_int_equal(f.v.hists.nr, 1);
	h = &f.v.hists.v[0];
	assert_int_equal(h->nr_members, 3);
	assert_int_equal(h->entries.nr, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(!view__call_tree(&f.v, h->entries.v[i], false, &trees),
				 !places__get(&f.v.places, h->entries.v[i]->place)->sym);
	assert_int_equal(layout->nr_parts, 6);
	for (u32 m = 0, each = 1; m < 3; m++, each *= 10) {
		e = entry_named(&f, "leaf");
		assert_int_equal(e->stats[m].period, 2 * each);
		assert_int_equal(e->stats[m].nr, 2);
		assert_int_equal(e->stats[m].weights[0], 2 * (m + 1));
		assert_int_equal(e->parts[6 * m], each);
		assert_int_equal(e->parts[6 * m + 1], each);
		assert_int_equal(e->parts[6 * m + 2], 0);
		e = entry_named(&f, "by_fp");
		assert_int_equal(e->stats[m].period, 0);
		assert_int_equal(e->stats[m].period_children, 4 * each);
		assert_int_equal(e->stats[m].weights[0], 0);
		assert_int_equal(e->parts[6 * m], 0);
		assert_int_equal(h->totals[m].period, 4 * each);
		assert_int_equal(h->totals[m].nr, m == 1 ? 5 : 4);
		assert_int_equal(h->totals[m].weights[0], 4 * (m + 1) + (m == 1));
		assert_int_equal(h->shown[m].period, 4 * each);
		assert_int_equal(h->parts[6 * m], 2 * each);
		assert_int_equal(h->parts[6 * m + 1], 2 * each);
	}
	assert_tree(&f, view__call_tree(&f.v, entry_named(&f, "by_fp"), false, &trees),
		    ":4(by_fp:4(leaf:2 apart:2))");
	assert_tree(&f, view__whole_tree(&f.v, h, &trees), ":4(by_fp:4(leaf:2 apart:2))");
	view__find_paths(&f.v, h, NULL, false, &paths);
	assert_int_equal(paths.nr, 2 * 2); /* functions, operations */
	array__exit(&paths);
	call_trees__exit(&trees);
	fixture__close(&f);
}

/* Without a group each event has entries and trees of its own. */
static void events_have_hists_of_their_own(void **state)
{
	struct view_opts o = { .graph = GRAPH_ABSOLUTE, .children = true, .chain.caller_first = true };
	struct call_trees trees[2];
	struct recording r;
	struct fixture f;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 2);
	for (u32 i = 0; i < 2; i++) {
		recording__put(&r, &(struct put){ .event = i,
						  .ip = leaf,
						  .period = i ? 10 : 1,
						  .chain = { USER, leaf, by_fp + 2 } });
		recording__put(&r, &(struct put){ .event = i,
						  .ip = apart,
						  .period = i ? 200 : 3,
						  .chain = { USER, apart, by_fp + 2 } });
	}
	fixture__sort(&f, &r, "symbol", &o);
	assert_int_equal(f.v.hists.nr, 2);
	for (u32 i = 0; i < 2; i++) {
		path_refs paths = { 0 };

		trees[i] = (struct call_trees)CALL_TREES_INIT;
		assert_int_equal(f.v.hists.v[i].entries.nr, 3);
		assert_int_equal(f.v.hists.v[i].totals[0].period, i ? 210 : 4);
		assert_tree(&f, view__whole_tree(&f.v, &f.v.hists.v[i], &trees[i]),
			    i ? ":210(by_fp:210(apart:200 leaf:10))" : ":4(by_fp:4(apart:3 leaf:1))");
		view__find_paths(&f.v, &f.v.hists.v[i], NULL, false, &paths);
		assert_int_equal(paths.nr, 2);
		array__exit(&paths);
		call_trees__exit(&trees[i]);
	}
	fixture__close(&f);
}

static void parse_names(struct sample_filter *z, const char *key, const char *names)
{
	struct name_list *list = !strcmp(key, "comm")  ? &z->comms
				 : !strcmp(key, "dso") ? &z->dsos
						       : &z->symbols;

	assert_int_equal(name_list__parse(list, names, NULL), 0);
}

/* A filter of a view, one of a count on top of it, and what is shown then. */
struct two_filters {
	const char *key, *names, *zoom_key, *zoom;
	u64 shown, children, whole;
	u8 filters; /* of the fold of leaf */
};

/* OTHER has two places, one as an address in memory */
static const struct two_filters two_filters[] = {
	{ NULL, NULL, NULL, NULL, 15, 15 + 7 + 8, 15, 0 },
	{ NULL, NULL, "symbol", "leaf", 5, 5, 5, 0 },
	{ NULL, NULL, "symbol", "by_fp", 0, 7, 7, HIST_FILTER_SYMBOL },
	{ NULL, NULL, "symbol", "leaf,apart", 7, 7, 7, 0 },
	{ NULL, NULL, "dso", "other", 8, 8 + 8, 8, HIST_FILTER_DSO },
	{ NULL, NULL, "dso", "shapes.so", 7, 14, 7, 0 },
	{ NULL, NULL, "comm", "first", 13, 13 + 5 + 8, 13, 0 },
	{ NULL, NULL, "comm", "second", 2, 4, 2, HIST_FILTER_THREAD },
	{ "symbol", "leaf,by_fp", NULL, NULL, 5, 12, 7, 0 },
	{ "symbol", "leaf,by_fp", "symbol", "leaf", 5, 5, 5, 0 },
	{ "symbol", "apart", "symbol", "leaf", 0, 0, 0, HIST_FILTER_SYMBOL },
	{ "dso", "shapes.so", "symbol", "apart", 2, 2, 2, HIST_FILTER_SYMBOL },
	{ "dso", "other", "symbol", "apart", 0, 0, 0, HIST_FILTER_DSO | HIST_FILTER_SYMBOL },
	{ "dso", "other", "dso", "shapes.so", 0, 0, 0, HIST_FILTER_DSO },
	{ "comm", "first", "symbol", "leaf", 5, 5, 5, 0 },
	{ "comm", "first", "comm", "second", 0, 0, 0, HIST_FILTER_THREAD },
	{ "comm", "second", "dso", "shapes.so", 2, 4, 2, HIST_FILTER_THREAD },
};

static void expect_filtered(struct fixture *f, const struct two_filters *row, struct call_trees *trees,
			    path_refs *paths)
{
	u64 sum = 0;

	assert_int_equal(shown_of(f, 0).period, row->shown);
	assert_int_equal(shown_of(f, 0).period_children, row->children);
	assert_int_equal(f->v.hists.v[0].totals[0].period, 15);
	assert_int_equal(f->v.hists.v[0].shown[0].period, row->whole);
	assert_int_equal(view__whole_tree(&f->v, &f->v.hists.v[0], trees)->total, row->whole);
	for (size_t k = 0; k < f->v.folds.nr; k++)
		if (f->v.folds.v[k].period == 5)
			assert_int_equal(view__fold_filters(&f->v, &f->v.folds.v[k]), row->filters);
	paths->nr = 0;
	view__find_paths(&f->v, &f->v.hists.v[0], NULL, false, paths);
	for (size_t k = 0; k < paths->nr; k++)
		sum += f->v.folds.v[paths->v[k].fold].period;
	assert_int_equal(sum, row->whole);
}

static void count_again(const struct two_filters *row)
{
	struct view_opts o = { .graph = GRAPH_ABSOLUTE, .children = true, .chain.caller_first = true };
	struct call_trees trees = CALL_TREES_INIT;
	struct sample_filter z = { 0 };
	path_refs paths = { 0 };
	struct recording r;
	struct fixture f;

	if (row->key)
		parse_names(&o.filter, row->key, row->names);
	if (row->zoom_key)
		parse_names(&z, row->zoom_key, row->zoom);
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
	put_chain(&r, 5, leaf, by_fp, 0);
	put_chain(&r, 8, OTHER, 0, 0);
	recording__put(
		&r, &(struct put){
			    .ip = apart, .pid = PID + 1, .period = 2, .chain = { USER, apart, by_fp + 2 } });
	fixture__sort(&f, &r, "comm,symbol", &o);
	for (int turn = 0; turn < 2; turn++) {
		view__recount(&f.v, &z);
		expect_filtered(&f, row, &trees, &paths);
	}
	if (row->key) {
		view__recount(&f.v, &z);
		expect_filtered(&f, row, &trees, &paths);
	} else {
		view__recount(&f.v, NULL);
		assert_int_equal(shown_of(&f, 0).period, 15);
	}
	array__exit(&paths);
	call_trees__exit(&trees);
	fixture__close(&f);
	sample_filter__exit(&o.filter);
	sample_filter__exit(&z);
}

/* A filter of a count on top of the view's: what both keep is shown, and totals stay. */
static void counts_again_are_filtered_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(two_filters); i++)
		count_again(&two_filters[i]);
}

/* The first function of the chain that matches is the parent; -x hides what has none. */
static void parents_are_found_on_chains(void **state)
{
	static const struct {
		const char *parent;
		bool caller_first, others_hidden;
		u64 by_fp, apart, none; /* periods of samples with these parents */
	} rows[] = {
		{ "by_fp|apart", true, false, 7, 24, 40 },
		{ "by_fp|apart", false, false, 5, 26, 40 },
		{ "^by", true, false, 7, 0, 64 },
		{ "^by", true, true, 7, 0, 64 },
		{ "nothing", true, false, 0, 0, 71 },
		{ "nothing", true, true, 0, 0, 71 },
		{ "^$", true, true, 0, 0, 71 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view_opts o = { .exclude_other = rows[i].others_hidden,
				       .chain.caller_first = rows[i].caller_first };
		u64 parents = 0, none = 0;
		struct recording r;
		struct fixture f;
		regex_t names;

		assert_int_equal(regcomp(&names, rows[i].parent, REG_EXTENDED | REG_NOSUB), 0);
		o.parent = &names;
		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
		put_chain(&r, 5, leaf, by_fp, 0);
		put_chain(&r, 2, leaf, apart, by_fp);
		put_chain(&r, 8, apart, OTHER, 0);
		put_chain(&r, 16, leaf, apart, OTHER);
		put_chain(&r, 40, OTHER, OTHER + 8, OTHER + 16);
		fixture__sort(&f, &r, "parent", &o);
		for (size_t k = 0; k < f.v.hists.v[0].entries.nr; k++) {
			const struct hist_entry *e = f.v.hists.v[0].entries.v[k];
			const char *parent = places__text(&f.v.places, e->parent);

			assert_int_equal(e->filtered,
					 !e->parent && rows[i].others_hidden ? HIST_FILTER_PARENT : 0);
			if (!e->parent) {
				none += e->stats[0].period;
				continue;
			}
			parents += e->stats[0].period;
			assert_int_equal(e->stats[0].period,
					 !strcmp(parent, "by_fp") ? rows[i].by_fp : rows[i].apart);
		}
		assert_int_equal(parents, rows[i].by_fp + rows[i].apart);
		assert_int_equal(none, rows[i].none);
		assert_int_equal(f.v.hists.v[0].shown[0].period, rows[i].others_hidden ? parents : 71);
		fixture__close(&f);
		regfree(&names);
	}
}

/* What functions of such names call counts for them, in the mode of their code. */
static void callees_are_ignored(void **state)
{
	(void)state;
	for (int caller_first = 0; caller_first < 2; caller_first++) {
		struct view_opts o = { .graph = GRAPH_ABSOLUTE, .chain.caller_first = caller_first };
		struct call_trees trees = CALL_TREES_INIT;
		struct recording r;
		struct fixture f;
		regex_t names;

		assert_int_equal(regcomp(&names, "apart", REG_EXTENDED | REG_NOSUB), 0);
		o.chain.ignore_callees = &names;
		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
		put_chain(&r, 1, leaf, apart, by_fp);
		put_chain(&r, 2, leaf, by_fp, 0);
		recording__put(&r, &(struct put){ .misc = PERF_RECORD_MISC_KERNEL,
						  .ip = kernel("vfs_work"),
						  .period = 4,
						  .chain = { PERF_CONTEXT_KERNEL, kernel("vfs_work"), USER,
							     apart, by_fp + 2 } });
		fixture__sort(&f, &r, "symbol", &o);
		assert_int_equal(f.v.hists.v[0].entries.nr, 2);
		assert_int_equal(entry_named(&f, "apart")->stats[0].period, 5);
		assert_int_equal(entry_named(&f, "apart")->stats[0].period_user, 5);
		assert_int_equal(entry_named(&f, "apart")->stats[0].period_sys, 0);
		assert_int_equal(entry_named(&f, "apart")->level, '.');
		assert_int_equal(entry_named(&f, "leaf")->stats[0].period, 2);
		assert_tree(&f, view__call_tree(&f.v, entry_named(&f, "apart"), false, &trees),
			    caller_first ? ":5(by_fp,apart:5)" : ":5(apart,by_fp:5)");
		call_trees__exit(&trees);
		fixture__close(&f);
		regfree(&names);
	}
}

/* Without a chain nothing is ignored, nor where nothing matches. */
static void samples_without_chains_stay(void **state)
{
	struct view_opts o = { .graph = GRAPH_ABSOLUTE };
	struct call_trees trees = CALL_TREES_INIT;
	path_refs paths = { 0 };
	struct recording r;
	struct fixture f;
	regex_t names;

	(void)state;
	assert_int_equal(regcomp(&names, "by_fp", REG_EXTENDED | REG_NOSUB), 0);
	o.chain.ignore_callees = &names;
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
	recording__put(&r, &(struct put){ .ip = leaf, .period = 3 });
	put_chain(&r, 1, leaf, apart, 0);
	fixture__sort(&f, &r, "symbol", &o);
	assert_int_equal(entry_named(&f, "leaf")->stats[0].period, 4);
	assert_int_equal(entry_named(&f, "leaf")->nr_paths, 1);
	assert_int_equal(view__whole_tree(&f.v, &f.v.hists.v[0], &trees)->total, 1);
	call_trees__exit(&trees);
	view__find_paths(&f.v, &f.v.hists.v[0], NULL, false, &paths);
	assert_int_equal(paths.nr, 1);
	array__exit(&paths);
	fixture__close(&f);
	regfree(&names);
}

/* --branch-history: the branches before a sample are its innermost callers, and are summed up. */
static void histories_are_summed_up(void **state)
{
	static const u64 predicted = BRANCH_PREDICTED | 10ull << BRANCH_CYCLES_SHIFT,
			 missed = BRANCH_MISPREDICTED | BRANCH_ABORT | 20ull << BRANCH_CYCLES_SHIFT;

	(void)state;
	for (int children = 0; children < 2; children++) {
		struct view_opts o = { .graph = GRAPH_ABSOLUTE,
				       .chain = { .history = true, .caller_first = false },
				       .children = children };
		struct call_trees trees = CALL_TREES_INIT;
		const struct call_node *tree;
		const struct hist_stat *s;
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK, 1);
		for (int i = 0; i < 3; i++)
			recording__put(&r, &(struct put){ .ip = leaf,
							  .period = 5,
							  .chain = { USER, leaf, by_fp + 2 },
							  .nr_branches = 2,
							  .branches = { apart, leaf, i ? predicted : missed,
									by_fp, apart, predicted } });
		put_chain(&r, 1, apart, 0, 0);
		fixture__sort(&f, &r, "symbol", &o);
		s = &entry_named(&f, "leaf")->stats[0];
		assert_int_equal(s->period, 15);
		assert_int_equal(s->branches, 6);
		assert_int_equal(s->known, 6);
		assert_int_equal(s->predicted, 5);
		assert_int_equal(s->aborted, 1);
		assert_int_equal(s->cycles, 20 + 10 + 10 + 30);
		s = &entry_named(&f, "apart")->stats[0];
		assert_int_equal(s->period, 1);
		assert_int_equal(s->branches, children ? 6 : 0);
		tree = view__call_tree(&f.v, entry_named(&f, "leaf"), false, &trees);
		assert_non_null(tree);
		assert_int_equal(tree->total, 15);
		assert_string_equal(place_name(&f, tree->children[0]->places[0]), "leaf");
		assert_non_null(tree->children[0]->sums);
		assert_int_equal(tree->children[0]->sums[0].nr_to, 3);
		assert_int_equal(tree->children[0]->sums[0].predicted, 2);
		assert_int_equal(tree->children[0]->sums[0].aborted, 1);
		assert_string_equal(place_name(&f, tree->children[0]->places[1]), "apart");
		assert_int_equal(tree->children[0]->sums[1].nr_from, 3);
		assert_int_equal(tree->children[0]->sums[1].cycles, 40);
		call_trees__exit(&trees);
		fixture__close(&f);
	}
}

/* A chain that cannot be read is none, and neither are the branches before it. */
static void histories_of_no_chain_count_nothing(void **state)
{
	struct view_opts o = { .graph = GRAPH_ABSOLUTE, .chain.history = true };
	struct call_trees trees = CALL_TREES_INIT;
	const struct hist_entry *e;
	struct recording r;
	struct fixture f;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK, 1);
	recording__put(&r, &(struct put){ .ip = leaf,
					  .period = 5,
					  .chain = { USER, leaf, by_fp + 2, (u64)-100, apart },
					  .nr_branches = 1,
					  .branches = { by_fp, leaf, BRANCH_PREDICTED } });
	fixture__sort(&f, &r, "symbol", &o);
	e = entry_named(&f, "leaf");
	assert_int_equal(e->stats[0].period, 5);
	assert_int_equal(e->stats[0].branches, 0);
	assert_int_equal(e->stats[0].known, 0);
	assert_null(view__call_tree(&f.v, e, false, &trees));
	call_trees__exit(&trees);
	fixture__close(&f);
}

/* Where on its chain the entry is, for trees that are made later. */
static void paths_begin_where_the_entry_is(void **state)
{
	static const struct {
		const char *sort, *name;
		bool children, caller_first, self;
		size_t nr;
		u32 from; /* sum */
	} rows[] = {
		/* leaf <- apart <- by_fp; apart <- by_fp; leaf <- apart <- leaf */
		{ "symbol", "leaf", true, false, false, 2, 0 + 2 },
		{ "symbol", "leaf", true, true, false, 2, 2 + 0 },
		{ "symbol", "apart", true, false, false, 3, 1 + 0 + 1 },
		{ "symbol", "apart", true, true, false, 3, 1 + 1 + 1 },
		{ "symbol", "by_fp", true, false, false, 2, 2 + 1 },
		{ "symbol", "by_fp", true, true, false, 2, 0 },
		{ "symbol", "leaf", true, false, true, 2, 0 },
		{ "symbol", "leaf", true, true, true, 2, 2 + 2 },
		{ "symbol", "apart", true, true, true, 1, 1 },
		{ "symbol", "leaf", false, false, false, 2, 2 + 2 },
		{ "symbol", "leaf", false, true, false, 2, 0 },
		{ "symbol", "leaf", false, false, true, 2, 0 },
		{ "symbol", "leaf", false, true, true, 2, 2 + 2 },
		{ "comm", NULL, true, false, false, 3, 2 + 1 + 2 },
		{ "dso", NULL, true, true, false, 3, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view_opts o = { .graph = GRAPH_ABSOLUTE,
				       .children = rows[i].children,
				       .trees_later = true,
				       .chain.caller_first = rows[i].caller_first };
		path_refs paths = { 0 };
		u32 from = 0;
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, 1);
		put_chain(&r, 1, leaf, apart, by_fp);
		put_chain(&r, 2, apart, by_fp, 0);
		put_chain(&r, 4, leaf, apart, leaf);
		fixture__sort(&f, &r, rows[i].sort, &o);
		view__find_paths(&f.v, &f.v.hists.v[0],
				 rows[i].name ? entry_named(&f, rows[i].name) : f.v.hists.v[0].entries.v[0],
				 rows[i].self, &paths);
		assert_int_equal(paths.nr, rows[i].nr);
		for (size_t k = 0; k < paths.nr; k++)
			from += paths.v[k].from;
		assert_int_equal(from, rows[i].from);
		array__exit(&paths);
		fixture__close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_show_what_is_large_enough),
		cmocka_unit_test(recursion_is_one_path),
		cmocka_unit_test(callers_of_other_keys_count_once),
		cmocka_unit_test(equal_branches_are_in_the_order_of_addresses),
		cmocka_unit_test(addresses_of_one_function_are_in_order),
		cmocka_unit_test(events_have_tables),
		cmocka_unit_test(members_of_a_group_share_entries),
		cmocka_unit_test(events_have_hists_of_their_own),
		cmocka_unit_test(counts_again_are_filtered_twice),
		cmocka_unit_test(parents_are_found_on_chains),
		cmocka_unit_test(callees_are_ignored),
		cmocka_unit_test(samples_without_chains_stay),
		cmocka_unit_test(histories_are_summed_up),
		cmocka_unit_test(histories_of_no_chain_count_nothing),
		cmocka_unit_test(paths_begin_where_the_entry_is),
	};

	return cmocka_run_group_tests(tests, find_symbols, forget_symbols);
}
