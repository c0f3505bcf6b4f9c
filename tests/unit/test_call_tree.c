/*
 * Call trees: runs become one node, small branches go, large ones come first; random ones against sums over
 * the paths.
 */
#include "unit.h"

#include "profile/trees/call_tree.h"

#include <string.h>

static const u32 abc[] = { 1, 2, 3 }, abd[] = { 1, 2, 4 }, ab[] = { 1, 2 }, e[] = { 5 };

static struct numbers numbers;

/* Return the position of these numbers. */
static u32 put(const u32 *from, u32 nr)
{
	numbers__add(&numbers, from, nr);
	return (u32)(numbers.nr - nr);
}

static const struct call_node *build(const struct call_path *paths, size_t nr, struct call_tree_opts opts,
				     struct call_trees *trees)
{
	opts.nr_places = 32;
	opts.numbers = &numbers;
	trees->paths.nr = 0;
	for (size_t i = 0; i < nr; i++)
		array__add(&trees->paths, paths[i]);
	return call_trees__make(trees, &opts);
}

static void runs_are_one_node(void **state)
{
	const struct call_path paths[] = { { put(abc, 3), 3, 10, 1 },
					   { put(abd, 3), 3, 30, 3 },
					   { put(e, 1), 1, 5, 1 } };
	struct call_trees trees = CALL_TREES_INIT;
	const struct call_node *root = build(paths, 3, (struct call_tree_opts){ 0 }, &trees), *n;

	(void)state;
	assert_int_equal(root->nr_children, 2);
	assert_int_equal(root->total, 45);
	n = root->children[0];
	assert_int_equal(n->nr_places, 2);
	assert_int_equal(n->places[1], 2);
	assert_int_equal(n->total, 40);
	assert_int_equal(n->self, 0);
	assert_int_equal(n->nr_children, 2);
	assert_int_equal(n->children[0]->places[0], 4);
	assert_int_equal(n->children[0]->self, 30);
	assert_int_equal(n->children[0]->nr_self, 3);
	assert_ptr_equal(n->children[0]->parent, n);
	assert_int_equal(root->children[1]->places[0], 5);
	call_trees__exit(&trees);
}

/* Each place's depth is the largest one in the paths of its node, not of others. */
static void depths_are_of_the_branch(void **state)
{
	/* places, and how often each is repeated */
	static const u32 a[] = { 1, 1, 2, 9, 3, 1 }, b[] = { 1, 7, 2, 5, 4, 1 }, c[] = { 5, 1, 2, 3 };
	const struct call_path paths[] = { { put(a, 6), 3, 10, 1 },
					   { put(b, 6), 3, 30, 3 },
					   { put(c, 4), 2, 5, 1 } };
	struct call_trees trees = CALL_TREES_INIT;
	const struct call_node *root = build(paths, 3, (struct call_tree_opts){ .has_depths = true }, &trees);
	static const u32 of_run[] = { 7, 9 }, of_other[] = { 1, 3 };

	(void)state;
	assert_memory_equal(root->children[0]->depths, of_run, sizeof(of_run));
	assert_memory_equal(root->children[1]->depths, of_other, sizeof(of_other));
	assert_int_equal(root->children[0]->children[0]->depths[0], 1);
	call_trees__exit(&trees);
}

static void a_chain_that_ends_parts_a_run(void **state)
{
	const struct call_path paths[] = { { put(abc, 3), 3, 10, 1 }, { put(ab, 2), 2, 1, 1 } };
	struct call_trees trees = CALL_TREES_INIT;
	const struct call_node *root = build(paths, 2, (struct call_tree_opts){ 0 }, &trees);

	(void)state;
	assert_int_equal(root->nr_children, 1);
	assert_int_equal(root->children[0]->nr_places, 2);
	assert_int_equal(root->children[0]->self, 1);
	assert_int_equal(root->children[0]->children[0]->nr_places, 1);
	call_trees__exit(&trees);
}

/* What is left out still parts a run. */
static void small_branches_go(void **state)
{
	const struct call_path paths[] = { { put(abc, 3), 3, 10, 1 }, { put(abd, 3), 3, 30, 3 } };
	struct call_trees trees = CALL_TREES_INIT;
	const struct call_node *root = build(paths, 2, (struct call_tree_opts){ .min_period = 20 }, &trees);

	(void)state;
	assert_int_equal(root->children[0]->nr_places, 2);
	assert_int_equal(root->children[0]->nr_children, 1);
	assert_int_equal(root->children[0]->children[0]->total, 30);
	root = build(paths, 2, (struct call_tree_opts){ .is_relative = true, .min_share = 0.8 }, &trees);
	assert_int_equal(root->children[0]->nr_children, 0);
	call_trees__exit(&trees);
}

static void lists_have_chain_ends_largest_first(void **state)
{
	const struct call_path paths[] = { { put(abc, 3), 3, 10, 1 },
					   { put(ab, 2), 2, 25, 1 },
					   { put(abd, 3), 3, 30, 3 },
					   { put(e, 1), 1, 2, 1 } };
	struct call_trees trees = CALL_TREES_INIT;
	const struct call_node *root = build(paths, 4, (struct call_tree_opts){ .by_place = true }, &trees);
	struct call_list list;

	(void)state;
	call_list__make(&list, root, 5);
	assert_int_equal(list.v.nr, 3);
	assert_int_equal(list.v.v[0]->self, 30);
	assert_int_equal(list.v.v[1]->self, 25);
	assert_int_equal(list.v.v[2]->self, 10);
	call_list__exit(&list);
	call_trees__exit(&trees);
}

static u32 seed = 3;

static u32 rnd(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

enum { NR_PATHS = 1000, DEPTH = 7, NR_PLACES = 4 };

/* The period of all paths that begin with the node's path. */
static u64 sum_of(const struct call_path *paths, const struct call_node *n)
{
	u32 path[DEPTH], nr = 0;
	u64 sum = 0;

	for (; n; n = n->parent) {
		memmove(path + n->nr_places, path, nr * sizeof(*path));
		memcpy(path, n->places ? n->places : path, n->nr_places * sizeof(*path));
		nr += n->nr_places;
	}
	for (u32 i = 0; i < NR_PATHS; i++)
		if (paths[i].nr_places >= nr && numbers__are(&numbers, paths[i].at, path, nr))
			sum += paths[i].period;
	return sum;
}

static u64 check(const struct call_path *paths, const struct call_node *n)
{
	u64 children = 0, last = UINT64_MAX;

	assert_int_equal(n->total, sum_of(paths, n));
	for (u32 i = 0; i < n->nr_children; i++) {
		assert_true(n->children[i]->total <= last);
		last = n->children[i]->total;
		children += check(paths, n->children[i]);
	}
	assert_int_equal(n->total, n->self + children);
	return n->total;
}

static void make_paths(struct call_path paths[NR_PATHS])
{
	for (u32 i = 0; i < NR_PATHS; i++) {
		u32 places[DEPTH];

		for (u32 k = 0; k < DEPTH; k++)
			places[k] = rnd(NR_PLACES);
		paths[i] = (struct call_path){ put(places, DEPTH), 1 + rnd(DEPTH), rnd(100), 1 };
	}
}

static void random_paths_add_up(void **state)
{
	struct call_path paths[NR_PATHS];
	struct call_trees trees = CALL_TREES_INIT;

	(void)state;
	make_paths(paths);
	check(paths, build(paths, NR_PATHS, (struct call_tree_opts){ 0 }, &trees));
	call_trees__exit(&trees);
}

static void assert_same(const struct call_node *a, const struct call_node *b)
{
	assert_int_equal(a->total, b->total);
	assert_int_equal(a->self, b->self);
	assert_int_equal(a->nr_self, b->nr_self);
	assert_int_equal(a->nr_places, b->nr_places);
	assert_int_equal(a->nr_children, b->nr_children);
	if (a->nr_places)
		assert_memory_equal(a->places, b->places, a->nr_places * sizeof(*a->places));
	for (u32 i = 0; i < a->nr_children; i++)
		assert_same(a->children[i], b->children[i]);
}

/* From their next place on, those paths whose first one is this. */
static size_t callee_paths(const struct call_path *paths, u32 place, struct call_path *out)
{
	size_t nr = 0;

	for (u32 i = 0; i < NR_PATHS; i++)
		if (numbers__get(&numbers, paths[i].at) == place && paths[i].nr_places > 1)
			out[nr++] = (struct call_path){ paths[i].at + 1, paths[i].nr_places - 1,
							paths[i].period, paths[i].nr };
	return nr;
}

/* What one tree takes from those before is what it would have made. */
static void trees_share_branches(void **state)
{
	struct call_path paths[NR_PATHS], callees[NR_PATHS];
	struct call_trees trees = CALL_TREES_INIT;

	(void)state;
	make_paths(paths);
	for (u32 round = 0; round < 4; round++) {
		struct call_tree_opts opts = { .min_period = round * 20 };

		build(paths, NR_PATHS, opts, &trees);
		for (u32 place = 0; place < NR_PLACES; place++) {
			size_t nr = callee_paths(paths, place, callees), nr_branches = trees.branches.nr;
			struct call_trees fresh = CALL_TREES_INIT;

			assert_same(build(callees, nr, opts, &trees), build(callees, nr, opts, &fresh));
			assert_true(fresh.branches.nr > 0);
			assert_int_equal(trees.branches.nr, nr_branches);
			paths[rnd(NR_PATHS)].period++;
			call_trees__exit(&fresh);
			build(paths, NR_PATHS, opts, &trees);
		}
	}
	call_trees__exit(&trees);
}

/* Positions and values stay the same when a large number comes. */
static void numbers_widen(void **state)
{
	static const u32 small[] = { 1, UINT16_MAX, 3 }, large[] = { 4, UINT16_MAX + 1 };
	struct numbers n = { .v = NULL };

	(void)state;
	numbers__add(&n, small, 3);
	assert_false(n.is_wide);
	numbers__add(&n, large, 2);
	numbers__add(&n, small, 3);
	assert_true(n.is_wide);
	assert_int_equal(n.nr, 8);
	assert_true(numbers__are(&n, 0, small, 3) && numbers__are(&n, 3, large, 2) &&
		    numbers__are(&n, 5, small, 3));
	assert_false(numbers__are(&n, 2, large, 2));
	numbers__exit(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_one_node),
		cmocka_unit_test(depths_are_of_the_branch),
		cmocka_unit_test(a_chain_that_ends_parts_a_run),
		cmocka_unit_test(small_branches_go),
		cmocka_unit_test(lists_have_chain_ends_largest_first),
		cmocka_unit_test(random_paths_add_up),
		cmocka_unit_test(trees_share_branches),
		cmocka_unit_test(numbers_widen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
