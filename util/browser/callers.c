/*
 * One function: who calls it above, what it calls below. Choosing one of them goes there.
 */
#include "browser/browser.h"

#include <stdlib.h>
#include <string.h>

struct neighbour {
	u32 place;
	u64 total, nr; /* period and number of samples, with all that it calls */
	bool is_caller, is_middle;
};

struct callers {
	ARRAY(struct neighbour)
	lines; /* callers, the smallest first; the function; callees, the largest first */
	struct list list;
	u32 function; /* b->function_generation that the lines are of */
	struct shown_function middle;
	bool is_centered;
};

/* Add the places after the first one of a node. */
static void callers__add_next(struct callers *c, const struct call_node *n, bool is_caller)
{
	if (n->nr_places > 1) {
		array__add(&c->lines, ((struct neighbour){ .place = n->places[1],
							   .total = n->total,
							   .nr = n->nr_total,
							   .is_caller = is_caller }));
		return;
	}
	for (u32 k = 0; k < n->nr_children; k++)
		array__add(&c->lines, ((struct neighbour){ .place = n->children[k]->places[0],
							   .total = n->children[k]->total,
							   .nr = n->children[k]->nr_total,
							   .is_caller = is_caller }));
}

/* Add the neighbours of the function in the tree, whose first places are the function itself. */
static void callers__add_tree(struct callers *c, struct browser *b, bool is_caller)
{
	struct stack_tree tree;

	b->kind->trees->make(b, &tree, true, is_caller ? STACK_CALLERS : STACK_CALLEES);
	for (u32 i = 0; i < tree.root->nr_children; i++)
		callers__add_next(c, tree.root->children[i], is_caller);
	stack_tree__exit(&tree);
}

/* Compare by name, so that neighbours of one name become one line. */
static int by_place(const void *a, const void *b)
{
	const struct neighbour *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

static int by_total(const void *a, const void *b)
{
	const struct neighbour *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return by_place(a, b);
}

static int by_total_last(const void *a, const void *b)
{
	return by_total(b, a);
}

static void callers__join(struct callers *c, size_t from, bool largest_last)
{
	size_t nr = from;

	qsort(c->lines.v + from, c->lines.nr - from, sizeof(*c->lines.v), by_place);
	for (size_t i = from; i < c->lines.nr; i++) {
		if (nr > from && c->lines.v[nr - 1].place == c->lines.v[i].place) {
			c->lines.v[nr - 1].total += c->lines.v[i].total;
			c->lines.v[nr - 1].nr += c->lines.v[i].nr;
		} else {
			c->lines.v[nr++] = c->lines.v[i];
		}
	}
	c->lines.nr = nr;
	qsort(c->lines.v + from, nr - from, sizeof(*c->lines.v), largest_last ? by_total_last : by_total);
}

static void callers__list(struct browser *b, struct callers *c)
{
	size_t middle;

	c->lines.nr = c->list.nr = c->list.at = 0;
	c->function = b->function_generation;
	if (!b->kind->trees->find_function(b, &c->middle))
		return;
	callers__add_tree(c, b, true);
	if (c->lines.nr)
		callers__join(c, 0, true);
	middle = c->lines.nr;
	array__add(&c->lines, ((struct neighbour){ .place = c->middle.place,
						   .total = c->middle.total,
						   .nr = c->middle.nr_total,
						   .is_middle = true }));
	callers__add_tree(c, b, false);
	if (c->lines.nr > middle + 1)
		callers__join(c, middle + 1, false);
	c->list.nr = c->lines.nr;
	c->list.at = middle ? middle - 1 : 0; /* the caller that most samples came from */
	c->is_centered = false;
}

static void callers__make(struct browser *b, void *state)
{
	struct callers *c = state;

	c->function = 0;
	c->lines.nr = c->list.nr = c->list.at = 0;
	if (b->function)
		callers__list(b, c);
}

static void callers__draw_line(struct browser *b, const struct callers *c, const struct area *a, unsigned row,
			       const struct neighbour *n)
{
	const struct tree_kind *trees = b->kind->trees;
	struct strbuf text = STRBUF_INIT, self = STRBUF_INIT;
	u32 style = trees->add_cost(b, &text, n->total, n->nr);
	unsigned width = (unsigned)text.len;

	strbuf__addstr(&text, n->is_middle ? "  " : n->is_caller ? "    from " : "      to ");
	trees->add_name(b, n->place, &text);
	if (trees->add_remark) {
		trees->add_remark(b, n->place, &text);
	} else if (n->is_middle) {
		trees->add_cost(b, &self, c->middle.self, c->middle.nr_self);
		strbuf__addf(&text, "  (itself %s)", self.buf + strspn(self.buf, " "));
	}
	grid__field(a->grid, row, a->column, a->columns, n->is_middle ? STYLE_HEADER : STYLE_TEXT, text.buf);
	for (unsigned i = 0; !n->is_middle && i < MIN(width, a->columns); i++)
		grid__cell(a->grid, row, a->column + i)->style = style;
	strbuf__exit(&text);
	strbuf__exit(&self);
}

static void callers__draw(struct browser *b, void *state, const struct area *a)
{
	struct callers *c = state;

	if (!b->function)
		grid__field(a->grid, a->row, a->column, a->columns, STYLE_DIM,
			    "  choose a function in the table (l), then c shows who calls it");
	if (b->function && c->function != b->function_generation)
		callers__list(b, c);
	list__fit(&c->list, c->lines.nr, a->rows);
	if (!c->is_centered && c->list.at > a->rows / 2)
		c->list.top = c->list.at - a->rows / 2;
	c->is_centered = true;
	list__fit(&c->list, c->lines.nr, a->rows);
	for (unsigned i = 0; i < a->rows && c->list.top + i < c->lines.nr; i++) {
		callers__draw_line(b, c, a, a->row + i, &c->lines.v[c->list.top + i]);
		if (c->list.top + i == c->list.at)
			grid__select(a->grid, a->row + i, a->column, a->columns);
	}
	if (b->function && !c->lines.nr)
		grid__print(a->grid, a->row, a->column, a->columns, STYLE_DIM,
			    "  no sample that the filters leave has %s", b->function);
}

static void callers__go(struct browser *b, void *state)
{
	struct callers *c = state;

	browser__take_function(b);
	callers__list(b, c);
}

static bool callers__press(struct browser *b, void *state, const struct terminal_event *event)
{
	struct callers *c = state;
	size_t at = c->list.top + event->row - 1;

	if (event->key == TERM_PRESS && event->row && at < c->lines.nr) {
		if (at == c->list.at)
			callers__go(b, c);
		else
			c->list.at = at;
		return true;
	}
	return list__key(&c->list, event->key);
}

static void callers__get_subject(struct browser *b, void *state, struct subject *s)
{
	struct callers *c = state;

	(void)b;
	s->has_place = c->lines.nr > 0;
	if (s->has_place)
		s->place = c->lines.v[c->list.at].place;
}

static void callers__end(void *state)
{
	struct callers *c = state;

	array__exit(&c->lines);
}

static const struct key_row callers_keys[] = {
	{ TERM_ENTER, "Enter", "go to that caller or callee", callers__go },
	{ 0 },
};

const struct screen callers_screen = {
	.name = "callers and callees",
	.key = 'c',
	.text = "who calls the function, and what it calls",
	.keys = callers_keys,
	.state_size = sizeof(struct callers),
	.make = callers__make,
	.draw = callers__draw,
	.press = callers__press,
	.get_subject = callers__get_subject,
	.end = callers__end,
};
