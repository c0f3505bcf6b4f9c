/*
 * The flame graph, as an icicle: outermost callers on top; inverted: the functions that were sampled on
 * top, their callers below. A box is a function in a run of calls; it is as wide as its share.
 */
#include "browser/browser.h"

#include <stdlib.h>
#include <string.h>

struct box {
	const struct call_node *n;
	u32 i; /* index in n->places */
	unsigned row, column, width;
};

struct flame {
	struct stack_tree tree;
	bool is_inverted;
	ARRAY(const struct call_node *) path; /* from below the root to the node that is zoomed into */
	ARRAY(struct box) boxes;              /* row by row */
	unsigned columns, nr_rows;            /* of the boxes */
	size_t at;                            /* the selected box */
	bool chooses;                         /* select b->function when it is drawn next */
	unsigned top;                         /* first visible row */
	u32 find_generation;
	u64 found, nr_found; /* of what is searched for: period and number of samples */
	struct {             /* stacks zoomed into and selected when the view changes, by place */
		ARRAY(u32) path;
		u32 selected; /* + 1; 0: none */
		unsigned row;
	} kept;
};

/* ---- boxes ---- */

static void flame__add_box(struct flame *f, const struct call_node *n, unsigned row, unsigned column,
			   unsigned width)
{
	for (u32 i = 0; i < n->nr_places; i++)
		array__add(&f->boxes, ((struct box){ n, i, row + i, column, width }));
	f->nr_rows = MAX(f->nr_rows, row + n->nr_places);
}

/* A node that waits for its boxes. */
struct pending {
	const struct call_node *n;
	unsigned row;
	u64 start; /* in units of period, from the left edge */
};

/* Lay out the nodes below one, whose total is as wide as the screen. No recursion: chains may be long. */
static void flame__lay_out_below(struct flame *f, const struct call_node *top, unsigned row)
{
	ARRAY(struct pending) stack = { 0 };
	double scale = top->total ? (double)f->columns / (double)top->total : 0;

	array__add(&stack, ((struct pending){ top, row, 0 }));
	while (stack.nr) {
		struct pending p = stack.v[--stack.nr];
		unsigned from = (unsigned)((double)p.start * scale + 0.5);
		unsigned to = (unsigned)((double)(p.start + p.n->total) * scale + 0.5);
		u64 start = p.start;

		if (to <= from)
			continue;
		flame__add_box(f, p.n, p.row, from, to - from);
		for (u32 i = 0; i < p.n->nr_children; start += p.n->children[i++]->total)
			array__add(&stack,
				   ((struct pending){ p.n->children[i], p.row + p.n->nr_places, start }));
	}
	array__exit(&stack);
}

static int by_row(const void *a, const void *b)
{
	const struct box *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

static void flame__lay_out(struct flame *f, unsigned width)
{
	const struct call_node *top = f->tree.root;
	struct box old = f->boxes.nr ? f->boxes.v[f->at] : (struct box){ 0 };

	f->boxes.nr = 0;
	f->nr_rows = 0;
	f->columns = width;
	for (size_t i = 0; i + 1 < f->path.nr; i++)
		flame__add_box(f, f->path.v[i], f->nr_rows, 0, width);
	if (f->path.nr)
		top = f->path.v[f->path.nr - 1];
	flame__lay_out_below(f, top, f->nr_rows);
	if (f->boxes.nr)
		qsort(f->boxes.v, f->boxes.nr, sizeof(*f->boxes.v), by_row);
	f->at = 0;
	for (size_t i = 0; i < f->boxes.nr; i++)
		if (f->kept.selected
			    ? f->boxes.v[i].row == f->kept.row &&
				      f->boxes.v[i].n->places[f->boxes.v[i].i] + 1 == f->kept.selected
			    : f->boxes.v[i].n == old.n && f->boxes.v[i].i == old.i)
			f->at = i;
	f->kept.selected = 0;
}

static bool box__is_function(struct browser *b, const struct box *box)
{
	return !strcmp(b->kind->name(b, box->n->places[box->i]), b->function);
}

static void flame__choose(struct browser *b, void *state)
{
	struct flame *f = state;

	if (f->at < f->boxes.nr && box__is_function(b, &f->boxes.v[f->at]))
		return;
	f->chooses = true;
	f->path.nr = 0;
	f->columns = 0;
}

/* Select the widest box of b->function. */
static void flame__select_function(struct flame *f, struct browser *b)
{
	unsigned width = 0;

	for (size_t i = 0; i < f->boxes.nr; i++) {
		const struct box *box = &f->boxes.v[i];

		if (box->width <= width || !box__is_function(b, box))
			continue;
		f->at = i;
		width = box->width;
	}
	if (!width)
		browser__say(b, "Its boxes are narrower than a column; c shows who calls it");
	f->chooses = false;
}

static void flame__keep(struct browser *b, void *state)
{
	struct flame *f = state;

	(void)b;
	f->kept.path.nr = 0;
	for (size_t i = 0; i < f->path.nr; i++)
		array__add(&f->kept.path, f->path.v[i]->places[0]);
	f->kept.selected = 0;
	if (f->at < f->boxes.nr) {
		f->kept.selected = f->boxes.v[f->at].n->places[f->boxes.v[f->at].i] + 1;
		f->kept.row = f->boxes.v[f->at].row;
	}
}

static const struct call_node *child_with(const struct call_node *n, u32 place)
{
	for (u32 i = 0; i < n->nr_children; i++)
		if (n->children[i]->places[0] == place)
			return n->children[i];
	return NULL;
}

/* Restore the zoom from before the view changed, as far as its stacks still exist. */
static void flame__restore(struct flame *f)
{
	const struct call_node *n = f->tree.root;

	for (size_t i = 0; i < f->kept.path.nr && (n = child_with(n, f->kept.path.v[i])); i++)
		array__add(&f->path, n);
	f->kept.path.nr = 0;
}

static void flame__make(struct browser *b, void *state)
{
	struct flame *f = state;

	stack_tree__exit(&f->tree);
	b->kind->trees->make(b, &f->tree, false, f->is_inverted ? STACK_CALLERS_OF_SELF : STACK_CALLEES);
	f->path.nr = f->boxes.nr = 0;
	f->at = f->top = 0;
	f->columns = 0;
	f->find_generation = 0;
	flame__restore(f);
}

/* ---- searching ---- */

static bool node__is_found(struct browser *b, const struct call_node *n)
{
	for (u32 i = 0; i < n->nr_places; i++)
		if (browser__finds(b, b->kind->name(b, n->places[i])))
			return true;
	return false;
}

/* Count all samples with a function that matches. */
static void flame__find(struct browser *b, struct flame *f)
{
	ARRAY(const struct call_node *) stack = { 0 };

	f->find_generation = b->find_generation;
	f->found = f->nr_found = 0;
	array__add(&stack, f->tree.root);
	while (stack.nr && b->find.is_set) {
		const struct call_node *n = stack.v[--stack.nr];

		if (node__is_found(b, n)) {
			f->found += n->total;
			f->nr_found += n->nr_total;
			continue;
		}
		for (u32 i = 0; i < n->nr_children; i++)
			array__add(&stack, n->children[i]);
	}
	array__exit(&stack);
}

/* ---- drawing ---- */

char flame__sign(u32 style)
{
	switch (style) {
	case STYLE_WORSE ... STYLE_WORSE + NR_STRENGTHS - 1:
		return '+';
	case STYLE_BETTER ... STYLE_BETTER + NR_STRENGTHS - 1:
		return '-';
	case STYLE_MOVED:
		return '~';
	default:
		return '|';
	}
}

static void flame__draw_box(struct browser *b, const struct flame *f, const struct area *a, size_t i)
{
	const struct box *box = &f->boxes.v[i];
	struct strbuf name = STRBUF_INIT;
	unsigned row = a->row + box->row - f->top, column = a->column + box->column;
	u32 style;
	char sign;

	b->kind->trees->add_node_name(b, box->n, box->i, &name);
	style = b->kind->trees->box_style(b, box->n->places[box->i], name.buf);
	sign = flame__sign(style);
	if (browser__finds(b, b->kind->name(b, box->n->places[box->i])))
		style = STYLE_FOUND;
	grid__print(a->grid, row, column, box->width, style, "%c",
		    box->width > 1 || sign != '|' ? sign : ' ');
	if (box->width > 2)
		grid__text(a->grid, row, column + 1, box->width - 1, style, name.buf, name.len);
	if (i == f->at)
		grid__select(a->grid, row, column, box->width);
	strbuf__exit(&name);
}

/* Append a cost without the blanks that make it columns. */
static void add_cost(struct browser *b, u64 period, u64 nr, struct strbuf *sb)
{
	struct strbuf cost = STRBUF_INIT;

	b->kind->trees->add_cost(b, &cost, period, nr);
	for (const char *c = cost.buf + strspn(cost.buf, " "); *c; c++)
		if (*c != ' ' || (c[1] && c[1] != ' '))
			strbuf__addch(sb, *c);
	strbuf__exit(&cost);
}

static void flame__draw_facts(struct browser *b, struct flame *f, const struct area *a, unsigned row)
{
	const struct box *box = &f->boxes.v[f->at];
	const struct call_node *n = box->n;
	bool is_last = box->i + 1 == n->nr_places;
	struct strbuf text = STRBUF_INIT;

	strbuf__addch(&text, ' ');
	add_cost(b, n->total, n->nr_total, &text);
	if (is_last && n->self && !b->kind->trees->add_remark) {
		strbuf__addstr(&text, ", ");
		add_cost(b, n->self, n->nr_self, &text);
		strbuf__addstr(&text, f->is_inverted ? " have no caller" : " itself");
	}
	strbuf__addstr(&text, "  ");
	b->kind->trees->add_node_name(b, n, box->i, &text);
	if (b->kind->trees->add_remark)
		b->kind->trees->add_remark(b, n->places[box->i], &text);
	if (b->find.is_set) {
		if (f->find_generation != b->find_generation)
			flame__find(b, f);
		strbuf__addstr(&text, "  | found in ");
		add_cost(b, f->found, f->nr_found, &text);
	}
	grid__field(a->grid, row, a->column, a->columns, STYLE_BOLD, text.buf);
	strbuf__exit(&text);
}

static void flame__draw(struct browser *b, void *state, const struct area *area)
{
	struct flame *f = state;
	struct area a = *area;

	if (f->columns != a.columns)
		flame__lay_out(f, a.columns);
	if (f->chooses)
		flame__select_function(f, b);
	if (!f->boxes.nr || !a.rows) {
		grid__field(a.grid, a.row, a.column, a.columns, STYLE_DIM, b->kind->trees->why_empty(b));
		return;
	}
	a.rows--;
	if (f->boxes.v[f->at].row < f->top)
		f->top = f->boxes.v[f->at].row;
	if (a.rows && f->boxes.v[f->at].row >= f->top + a.rows)
		f->top = f->boxes.v[f->at].row - a.rows + 1;
	for (size_t i = 0; i < f->boxes.nr; i++)
		if (f->boxes.v[i].row >= f->top && f->boxes.v[i].row < f->top + a.rows)
			flame__draw_box(b, f, &a, i);
	flame__draw_facts(b, f, &a, a.row + a.rows);
}

/* ---- keys ---- */

/*
 * Return the widest box of a row that shares a column with the selected one; the selected one if none does.
 */
static size_t flame__next_to(const struct flame *f, unsigned row)
{
	const struct box *from = &f->boxes.v[f->at];
	size_t best = f->at;

	for (size_t i = 0; i < f->boxes.nr; i++) {
		const struct box *to = &f->boxes.v[i];

		if (to->row == row && to->column < from->column + from->width &&
		    from->column < to->column + to->width &&
		    (best == f->at || to->width > f->boxes.v[best].width))
			best = i;
	}
	return best;
}

static size_t flame__box_at(const struct flame *f, unsigned row, unsigned column)
{
	for (size_t i = 0; i < f->boxes.nr; i++)
		if (f->boxes.v[i].row == row && f->boxes.v[i].column <= column &&
		    column < f->boxes.v[i].column + f->boxes.v[i].width)
			return i;
	return SIZE_MAX;
}

/* Find the nodes from below the root to one. Return false if it is not below n. */
static bool flame__find_path(struct flame *f, const struct call_node *n, const struct call_node *to)
{
	for (u32 i = 0; i < n->nr_children; i++) {
		array__add(&f->path, n->children[i]);
		if (n->children[i] == to || flame__find_path(f, n->children[i], to))
			return true;
		f->path.nr--;
	}
	return false;
}

static void flame__zoom(struct browser *b, void *state)
{
	struct flame *f = state;

	(void)b;
	f->path.nr = 0;
	if (f->boxes.nr)
		flame__find_path(f, f->tree.root, f->boxes.v[f->at].n);
	f->columns = 0;
}

static void flame__invert(struct browser *b, void *state)
{
	struct flame *f = state;

	f->is_inverted = !f->is_inverted;
	flame__make(b, f);
	browser__say(b, f->is_inverted ? "Sampled functions on top, their callers below"
				       : "Callers on top, what they call below");
}

static bool flame__press(struct browser *b, void *state, const struct terminal_event *event)
{
	struct flame *f = state;
	size_t at = f->at;

	(void)b;
	if (event->key == TERM_BACKSPACE && f->path.nr) {
		f->path.nr--;
		f->columns = 0;
		return true;
	}
	if (!f->boxes.nr)
		return false;
	switch (event->key) {
	case TERM_UP:
		at = f->boxes.v[at].row ? flame__next_to(f, f->boxes.v[at].row - 1) : at;
		break;
	case TERM_DOWN:
		at = flame__next_to(f, f->boxes.v[at].row + 1);
		break;
	case TERM_LEFT:
		at -= at && f->boxes.v[at - 1].row == f->boxes.v[at].row;
		break;
	case TERM_RIGHT:
		at += at + 1 < f->boxes.nr && f->boxes.v[at + 1].row == f->boxes.v[at].row;
		break;
	case TERM_PRESS:
		at = event->row ? flame__box_at(f, event->row - 1 + f->top, event->column) : SIZE_MAX;
		if (at == f->at)
			flame__zoom(b, f);
		if (at >= f->boxes.nr)
			return true;
		break;
	default:
		return false;
	}
	f->at = at;
	return true;
}

static void flame__get_subject(struct browser *b, void *state, struct subject *s)
{
	struct flame *f = state;

	(void)b;
	s->has_place = f->at < f->boxes.nr;
	if (s->has_place)
		s->place = f->boxes.v[f->at].n->places[f->boxes.v[f->at].i];
}

static void flame__end(void *state)
{
	struct flame *f = state;

	stack_tree__exit(&f->tree);
	array__exit(&f->path);
	array__exit(&f->boxes);
	array__exit(&f->kept.path);
}

static const struct key_row flame_keys[] = {
	{ TERM_ENTER, "Enter", "zoom into the box; Backspace: out", flame__zoom },
	{ 'I', "I", "invert: sampled functions on top", flame__invert },
	{ 0 },
};

const struct screen flame_screen = {
	.name = "flame graph",
	.key = 'g',
	.text = "the flame graph",
	.keys = flame_keys,
	.state_size = sizeof(struct flame),
	.make = flame__make,
	.draw = flame__draw,
	.press = flame__press,
	.get_subject = flame__get_subject,
	.choose = flame__choose,
	.keep = flame__keep,
	.end = flame__end,
};
