/* Call trees of a comparison: old and new costs of callers and callees, with recursion folded. */
#include "unit.h"

#include "profile/compare/compare_tree.h"

enum { MAIN, SORT, COMPARE, SAVE, NR_ROWS };

static u32 add_stack(struct comparison *c, u32 parent, u32 row, double old, double new)
{
	u32 i = function_stacks__add(&c->stacks, parent, row);

	c->stacks.v.v[i].cost[COMPARE_OLD] += old;
	c->stacks.v.v[i].cost[COMPARE_NEW] += new;
	c->self.total[COMPARE_OLD] += old;
	c->self.total[COMPARE_NEW] += new;
	return i;
}

/* main calls sort, which calls itself and compare; main calls save, which only the new side has. */
static int make(void **state)
{
	struct comparison *c = test_calloc(1, sizeof(*c));
	u32 main, sort, inner;

	comparison__init(c, &(struct comparison_opts){ .keeps_stacks = true });
	for (u32 i = 0; i < NR_ROWS; i++)
		array__add(&c->rows, ((struct compared){ .name = "" }));
	main = add_stack(c, 0, MAIN, 10, 10);
	sort = add_stack(c, main, SORT, 100, 150);
	inner = add_stack(c, sort, SORT, 200, 250);
	add_stack(c, inner, COMPARE, 300, 200);
	add_stack(c, sort, COMPARE, 50, 60);
	add_stack(c, main, SAVE, 0, 70);
	*state = c;
	return 0;
}

static int drop(void **state)
{
	comparison__exit(*state);
	test_free(*state);
	return 0;
}

static void is(const struct comparison *c, const struct call_node *n, double old, double new)
{
	double unit = compare_tree__unit(c);

	assert_true(n->total >= n->nr_total);
	assert_float_equal((double)(n->total - n->nr_total) * unit, old, 1e-6);
	assert_float_equal((double)n->nr_total * unit, new, 1e-6);
}

static void all_begins_with_the_outermost_function(void **state)
{
	const struct comparison *c = *state;
	struct stack_tree t;
	const struct call_node *main, *sort;

	compare_tree__make(&t, c, COMPARE_NO_ROW, STACK_CALLEES);
	assert_int_equal(t.root->nr_children, 1);
	main = t.root->children[0];
	assert_int_equal(main->places[0], MAIN);
	is(c, main, 660, 740);
	assert_int_equal(main->nr_children, 2);
	sort = main->children[0]; /* the larger one */
	assert_int_equal(sort->places[0], SORT);
	assert_int_equal(sort->depths[0], 2);
	is(c, sort, 650, 660);
	is(c, sort->children[0], 350, 260);
	assert_int_equal(main->children[1]->places[0], SAVE);
	is(c, main->children[1], 0, 70);
	stack_tree__exit(&t);
}

static void callers_and_callees_of_a_function(void **state)
{
	const struct comparison *c = *state;
	struct stack_tree t;

	compare_tree__make(&t, c, SORT, STACK_CALLERS);
	assert_int_equal(t.root->nr_children, 1);
	assert_int_equal(t.root->children[0]->nr_places, 2); /* sort, main */
	assert_int_equal(t.root->children[0]->places[1], MAIN);
	is(c, t.root->children[0], 650, 660);
	stack_tree__exit(&t);

	compare_tree__make(&t, c, SORT, STACK_CALLEES);
	assert_int_equal(t.root->nr_children, 1);
	assert_int_equal(t.root->children[0]->nr_children, 1);
	assert_int_equal(t.root->children[0]->children[0]->places[0], COMPARE);
	is(c, t.root->children[0]->children[0], 350, 260);
	stack_tree__exit(&t);

	compare_tree__make(&t, c, SAVE, STACK_CALLERS);
	is(c, t.root->children[0], 0, 70);
	stack_tree__exit(&t);
}

static void only_what_a_function_costs_itself(void **state)
{
	const struct comparison *c = *state;
	struct stack_tree t;

	compare_tree__make(&t, c, SORT, STACK_CALLERS_OF_SELF);
	assert_int_equal(t.root->nr_children, 1);
	is(c, t.root->children[0], 300, 400);
	stack_tree__exit(&t);

	compare_tree__make(&t, c, COMPARE_NO_ROW, STACK_CALLERS_OF_SELF);
	assert_int_equal(t.root->nr_children, NR_ROWS);
	assert_int_equal(t.root->children[0]->places[0], SORT);
	is(c, t.root->children[0], 300, 400);
	is(c, t.root->children[3], 10, 10);
	stack_tree__exit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_begins_with_the_outermost_function, make, drop),
		cmocka_unit_test_setup_teardown(callers_and_callees_of_a_function, make, drop),
		cmocka_unit_test_setup_teardown(only_what_a_function_costs_itself, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
