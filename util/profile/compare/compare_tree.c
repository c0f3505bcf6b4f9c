#include "profile/compare/compare_tree.h"

#include <math.h>

#define WHOLE 1e13 /* cost of both sides together as a period, which is a whole number */

struct frames { /* of a stack, the innermost first; those of equal functions in a row are one */
	ARRAY(u32) rows;
	ARRAY(u32) depths;
};

double compare_tree__unit(const struct comparison *c)
{
	return (c->self.total[COMPARE_OLD] + c->self.total[COMPARE_NEW]) / WHOLE;
}

static void frames__take(struct frames *f, const struct comparison *c, size_t stack)
{
	f->rows.nr = f->depths.nr = 0;
	for (; stack; stack = c->stacks.v.v[stack].parent) {
		u32 row = c->stacks.v.v[stack].function;

		if (f->rows.nr && f->rows.v[f->rows.nr - 1] == row) {
			f->depths.v[f->depths.nr - 1]++;
			continue;
		}
		array__add(&f->rows, row);
		array__add(&f->depths, 1);
	}
}

/* Return the frames from the outermost of a row on, that one included; 0: it is not among them. */
static size_t frames__below(const struct frames *f, u32 row)
{
	for (size_t i = f->rows.nr; i; i--)
		if (f->rows.v[i - 1] == row)
			return i;
	return 0;
}

/* Add the part of a stack that begins with the row; the whole of it if there is none. */
static void add_path(struct stack_tree *t, const struct frames *f, u32 row, enum stack_tree_kind kind,
		     struct call_path path)
{
	bool is_inward = kind == STACK_CALLEES;
	size_t nr = f->rows.nr, first = is_inward ? nr : 1;

	if (row != COMPARE_NO_ROW)
		first = kind == STACK_CALLERS_OF_SELF ? f->rows.v[0] == row : frames__below(f, row);
	if (!first)
		return;
	path.at = (u32)t->numbers.nr;
	path.nr_places = (u32)(is_inward ? first : nr - first + 1);
	for (u32 k = 0; k < path.nr_places; k++) {
		size_t i = is_inward ? first - 1 - k : first - 1 + k;
		u32 numbers[] = { f->rows.v[i], f->depths.v[i] };

		numbers__add(&t->numbers, numbers, ARRAY_SIZE(numbers));
	}
	array__add(&t->trees.paths, path);
}

static int compare_rows(void *ctx, u32 a, u32 b)
{
	(void)ctx;
	return a < b ? -1 : a > b;
}

void compare_tree__make(struct stack_tree *t, const struct comparison *c, u32 row, enum stack_tree_kind kind)
{
	const struct call_tree_opts opts = {
		.min_period = row == COMPARE_NO_ROW ? (u64)(WHOLE / COMPARE_TREE_PARTS) : 0,
		.nr_places = (u32)c->rows.nr,
		.numbers = &t->numbers,
		.has_depths = true,
		.compare_places = compare_rows,
	};
	double unit = compare_tree__unit(c);
	struct frames frames = { .rows = { 0 } };

	*t = (struct stack_tree){ 0 };
	for (size_t i = 1; i < c->stacks.v.nr; i++) {
		const double *cost = c->stacks.v.v[i].cost;
		u64 sides[] = { (u64)llround(cost[COMPARE_OLD] / unit),
				(u64)llround(cost[COMPARE_NEW] / unit) };

		if (!(sides[0] + sides[1]))
			continue;
		frames__take(&frames, c, i);
		add_path(t, &frames, row, kind,
			 (struct call_path){ .period = sides[0] + sides[1], .nr = sides[1] });
	}
	array__exit(&frames.rows);
	array__exit(&frames.depths);
	t->root = call_trees__make(&t->trees, &opts);
}
