/*
 * The table of functions, with the columns of the text report. A row opens into its call tree: towards
 * callers where rows are sorted by what they take themselves, towards callees where callees count.
 */
#include "browser/hot_path.h"
#include "browser/report_browser.h"
#include "profile/hists/stack_tree.h"

#include <string.h>

struct open_row {
	const struct hist_entry *e;
	struct stack_tree *tree;
};

struct table_line {                /* of an entry, or of a place in its call tree */
	u32 entry;                 /* index in hists.entries */
	u32 i;                     /* of a tree: index in n->places */
	const struct call_node *n; /* NULL: the entry itself */
	u16 level;                 /* in the tree */
	bool is_open;              /* the lines after it show what is below */
};

struct table {
	struct stdio_ui text;
	bool has_text, no_headers;
	ARRAY(struct table_line) lines;
	ARRAY(struct open_row) open;
	struct list list;
	struct hot_path hot_path; /* of the selected row */
	u32 find_generation;
	ARRAY(u8) finds; /* by place: 0: not known, 1: no, 2: yes */
	struct {         /* rows that stay so when the view has changed, by place */
		bool is_set;
		u32 selected; /* PLACE_NONE: the line that is at the same height */
		ARRAY(u32) opened;
	} kept;
};

static const struct hist_entry *line__entry(const struct browser *b, const struct table_line *l)
{
	return browser__hists(b)->entries.v[l->entry];
}

/* ---- which lines ---- */

/* Does the search match the entry's function? Each place is looked at once. */
static bool table__finds(struct table *t, struct browser *b, const struct hist_entry *e)
{
	u8 *found;

	if (!b->find.is_set)
		return true;
	while (t->finds.nr < browser__view(b)->places.v.nr)
		array__add(&t->finds, 0);
	found = &t->finds.v[e->place];
	if (!*found)
		*found = browser__finds(b, browser__name(b, e->place)) ? 2 : 1;
	return *found == 2;
}

static void table__close_all(struct table *t)
{
	for (size_t i = 0; i < t->open.nr; i++) {
		stack_tree__exit(t->open.v[i].tree);
		free(t->open.v[i].tree);
	}
	t->open.nr = 0;
}

static bool table__shows(struct table *t, struct browser *b, const struct hist_entry *e)
{
	return report_ui__reaches(&t->text.ui, browser__view(b), e) && table__finds(t, b, e);
}

static void table__list(struct table *t, struct browser *b)
{
	enum { AHEAD = 16 }; /* rows are all over the memory */
	const struct hists *h = browser__hists(b);

	table__close_all(t);
	t->lines.nr = 0;
	t->finds.nr = 0;
	t->find_generation = b->find_generation;
	t->text.ui.rest.percent_limit = report_of(b)->percent_limit;
	for (size_t i = 0; i < h->entries.nr; i++) {
		if (i + AHEAD < h->entries.nr) { /* they may span two cache lines */
			__builtin_prefetch(&h->entries.v[i + AHEAD]->place);
			__builtin_prefetch(&h->entries.v[i + AHEAD]->filtered);
		}
		if (table__shows(t, b, h->entries.v[i]))
			array__add(&t->lines, ((struct table_line){ .entry = (u32)i }));
	}
	list__fit(&t->list, t->lines.nr, t->list.rows);
}

static void table__fit(struct table *t, struct browser *b)
{
	enum { FITTED = 100 }; /* rows by which the widths of columns are chosen */
	const struct hists *h = browser__hists(b);

	t->text.opts.columns = b->grid.columns;
	t->text.opts.style.fold_names = !report_of(b)->verbose;
	t->text.ui.rest = (struct report_ui_rest){ .percent_limit = report_of(b)->percent_limit,
						   .end = MIN(h->entries.nr, (size_t)FITTED) };
	stdio_screen__fit(&t->text, browser__view(b), h);
}

static void table__keep(struct browser *b, void *state)
{
	struct table *t = state;

	t->kept.is_set = true;
	t->kept.opened.nr = 0;
	t->kept.selected = PLACE_NONE;
	for (size_t i = 0; i < t->lines.nr; i++) {
		const struct table_line *l = &t->lines.v[i];
		u32 place = line__entry(b, l)->place;

		if (!l->n && l->is_open)
			array__add(&t->kept.opened, place);
		if (i == t->list.at && i)
			t->kept.selected = place;
	}
}

static void table__open_entry(struct table *t, struct browser *b, size_t at, bool all);

/* Restore the open entries and the selection from before the view changed. */
static void table__restore(struct table *t, struct browser *b)
{
	size_t rows = t->list.at - t->list.top;

	for (size_t i = 0; i < t->lines.nr; i++) {
		u32 place = line__entry(b, &t->lines.v[i])->place;

		if (t->lines.v[i].n)
			continue;
		if (place == t->kept.selected) {
			t->list.at = i;
			t->list.top = i - MIN(i, rows);
		}
		for (size_t k = 0; k < t->kept.opened.nr; k++)
			if (t->kept.opened.v[k] == place && !t->lines.v[i].is_open)
				table__open_entry(t, b, i, false);
	}
	list__fit(&t->list, t->lines.nr, t->list.rows);
	t->kept.is_set = false;
}

static void table__make(struct browser *b, void *state)
{
	struct table *t = state;
	const struct report_args *a = report_of(b)->in->args;
	struct stdio_opts opts = { .style = a->style, .value = a->graph.value, .columns = b->grid.columns };

	opts.style.color = false;
	if (!t->has_text) {
		stdio_ui__init(&t->text, &opts);
		t->no_headers = !a->browser.headers;
	}
	t->has_text = true;
	t->text.opts.style.verbose = report_of(b)->verbose || a->style.verbose;
	table__fit(t, b);
	table__list(t, b);
	if (t->kept.is_set)
		table__restore(t, b);
	else
		t->list.at = t->list.top = 0;
}

/* ---- the lines of a tree ---- */

struct lines { /* to be put after a line of the table */
	ARRAY(struct table_line) v;
};

static bool node__has_more(const struct call_node *n)
{
	return n->nr_children || n->nr_places > 1;
}

/* Add the lines of a node, from its place `first` on. Those of level 0 are open; all: all are. */
static void lines__add(struct lines *to, const struct table_line *row, const struct call_node *n, u32 first,
		       u16 level, bool all)
{
	struct table_line line = { .entry = row->entry, .n = n, .level = level };

	line.is_open = all || first || !level;
	if (!first)
		array__add(&to->v, line);
	if (!line.is_open)
		return;
	for (line.i = MAX(first, 1u); line.i < n->nr_places; line.i++)
		array__add(&to->v, line);
	for (u32 i = 0; i < n->nr_children; i++)
		lines__add(to, row, n->children[i], 0, (u16)MIN(level + 1, UINT16_MAX), all);
}

static void table__insert(struct table *t, size_t at, const struct lines *new)
{
	size_t nr = t->lines.nr;

	array__reserve(&t->lines, nr + new->v.nr);
	memmove(t->lines.v + at + new->v.nr, t->lines.v + at, (nr - at) * sizeof(*t->lines.v));
	if (new->v.nr)
		memcpy(t->lines.v + at, new->v.v, new->v.nr * sizeof(*t->lines.v));
	t->lines.nr = nr + new->v.nr;
	list__fit(&t->list, t->lines.nr, t->list.rows);
}

static struct stack_tree *table__tree(struct table *t, struct browser *b, const struct hist_entry *e)
{
	struct open_row row = { .e = e };

	for (size_t i = 0; i < t->open.nr; i++)
		if (t->open.v[i].e == e)
			return t->open.v[i].tree;
	row.tree = xmalloc(sizeof(*row.tree));
	stack_tree__make(row.tree, browser__view(b), browser__hists(b), e,
			 report_of(b)->by_children ? STACK_CALLEES : STACK_CALLERS_OF_SELF, 0);
	array__add(&t->open, row);
	return row.tree;
}

/* The tree begins with the function itself, which has a line already. */
static void table__open_entry(struct table *t, struct browser *b, size_t at, bool all)
{
	struct table_line *line = &t->lines.v[at];
	const struct stack_tree *tree = table__tree(t, b, line__entry(b, line));
	struct lines new = { { 0 } };

	for (u32 i = 0; i < tree->root->nr_children; i++) {
		const struct call_node *n = tree->root->children[i];

		lines__add(&new, line, n, tree->root->nr_children == 1, 0, all);
	}
	if (!new.v.nr)
		browser__say(b, browser__view(b)->opts.graph == GRAPH_NONE
					? "The recording has no call chains; perf record -g records them"
				: report_of(b)->by_children
					? "It calls nothing that was sampled"
					: "It was not sampled itself, or nothing called it; "
					  "o sorts by what callees take");
	line->is_open = new.v.nr > 0;
	table__insert(t, at + 1, &new);
	array__exit(&new.v);
}

static void table__open_node(struct table *t, size_t at, bool all)
{
	struct table_line *line = &t->lines.v[at];
	struct lines new = { { 0 } };

	line->is_open = true;
	lines__add(&new, line, line->n, 1, line->level, all);
	table__insert(t, at + 1, &new);
	array__exit(&new.v);
}

/* Is a line part of what the line at `at` shows when it is open? */
static bool table__is_below(const struct table *t, size_t at, size_t i)
{
	const struct table_line *top = &t->lines.v[at], *l = &t->lines.v[i];

	if (!top->n)
		return l->n;
	return l->n && (l->level > top->level || (l->n == top->n && l->i));
}

static void table__close(struct table *t, size_t at)
{
	size_t end = at + 1;

	while (end < t->lines.nr && table__is_below(t, at, end))
		end++;
	memmove(t->lines.v + at + 1, t->lines.v + end, (t->lines.nr - end) * sizeof(*t->lines.v));
	t->lines.nr -= end - at - 1;
	t->lines.v[at].is_open = false;
	list__fit(&t->list, t->lines.nr, t->list.rows);
}

/* Open or close the line. Within a run of functions without branches, that is the first of them. */
static void table__toggle(struct table *t, struct browser *b, bool all)
{
	size_t at = t->list.at;

	if (!t->lines.nr)
		return;
	while (t->lines.v[at].n && t->lines.v[at].i)
		at--;
	if (t->lines.v[at].is_open)
		table__close(t, at);
	else if (!t->lines.v[at].n)
		table__open_entry(t, b, at, all);
	else if (node__has_more(t->lines.v[at].n))
		table__open_node(t, at, all);
	t->list.at = MIN(t->list.at, at);
	if (all)
		t->list.at = at;
}

/* ---- the hot path of the selected row ---- */

/* Is the hot path of the selected row shown? Rows must be functions, and there must be room for them. */
static bool table__has_path(const struct browser *b, unsigned rows)
{
	enum { ROWS = 8 };
	const struct view *v = browser__view(b);

	return v->opts.graph != GRAPH_NONE && rows >= ROWS && !report_of(b)->in->live && !v->opts.branches &&
	       !v->opts.hierarchy && layout__sorts_by(v->opts.layout, "symbol");
}

static const struct hist_entry *table__selected(const struct table *t, const struct browser *b)
{
	return t->lines.nr ? line__entry(b, &t->lines.v[t->list.at]) : NULL;
}

/* Find the hot path of the selected row. Return true if it is new. */
static bool table__find_path(struct table *t, struct browser *b)
{
	const struct hist_entry *e = table__selected(t, b);

	if (!e || !table__has_path(b, b->grid.rows) || hot_path__knows(&t->hot_path, b, e))
		return false;
	hot_path__find(&t->hot_path, b, e);
	return true;
}

/* No key is waiting: find the hot path, unless keys would have to wait for it for long. */
static bool table__idle(struct browser *b, void *state)
{
	enum { FOLDS = 100000 };

	return browser__view(b)->folds.nr <= FOLDS && table__find_path(state, b);
}

/* ---- keys ---- */

static void toggle(struct browser *b, void *state)
{
	table__toggle(state, b, false);
}

static void open_below(struct browser *b, void *state)
{
	struct table *t = state;

	if (t->lines.nr && t->lines.v[t->list.at].is_open)
		table__toggle(t, b, false);
	table__toggle(t, b, true);
}

static void open_all(struct browser *b, void *state)
{
	enum { LINES = 100000 };
	struct table *t = state;

	for (size_t i = 0; i < t->lines.nr && t->lines.nr < LINES; i++)
		if (!t->lines.v[i].n && !t->lines.v[i].is_open)
			table__open_entry(t, b, i, true);
	browser__say(b, t->lines.nr < LINES ? "" : "The first trees are open; there are more than fit");
}

static void close_all(struct browser *b, void *state)
{
	struct table *t = state;
	u32 entry = t->lines.nr ? t->lines.v[t->list.at].entry : 0;

	table__list(t, b);
	t->list.at = 0;
	while (t->list.at + 1 < t->lines.nr && t->lines.v[t->list.at].entry != entry)
		t->list.at++;
}

static void toggle_headers(struct browser *b, void *state)
{
	struct table *t = state;

	(void)b;
	t->no_headers = !t->no_headers;
}

static void sort_by_member(struct browser *b, u32 member)
{
	if (member >= browser__hists(b)->nr_members) {
		browser__say(b, "0 to 9 sort by the events of a group; this one has %u",
			     browser__hists(b)->nr_members);
		return;
	}
	browser__view(b)->opts.group_sort_idx = member;
	browser__recount(b);
}

static void show_own_code(struct browser *b, void *state)
{
	struct table *t = state;
	const struct hist_entry *e = table__selected(t, b);

	table__find_path(t, b);
	if (!e || !hot_path__go(&t->hot_path, b, e))
		browser__say(b, "No code of a program is known that leads here");
}

static const struct key_row table_keys[] = {
	{ 'v', "v", "the line of the program that leads here most", show_own_code },
	{ TERM_ENTER, "Enter", "open or close the call tree of a row", toggle },
	{ '+', "+", NULL, toggle },
	{ 'e', "e", "open all that is below a row", open_below },
	{ 'E', "E", "open the call trees of all rows", open_all },
	{ 'C', "C", "close all", close_all },
	{ 'H', "H", "show or hide the headers of columns", toggle_headers },
	{ 0 },
};

static bool table__press(struct browser *b, void *state, const struct terminal_event *event)
{
	struct table *t = state;
	unsigned above = t->no_headers ? 1 : 2;

	if (event->key >= '0' && event->key <= '9') {
		sort_by_member(b, event->key - '0');
		return true;
	}
	if (event->key == TERM_PRESS && event->row >= above &&
	    t->list.top + event->row - above < t->lines.nr) {
		bool again = t->list.at == t->list.top + event->row - above;

		t->list.at = t->list.top + event->row - above;
		if (again)
			table__toggle(t, b, false);
		return true;
	}
	if (event->key == TERM_RIGHT || event->key == TERM_LEFT) {
		if (t->lines.nr && t->lines.v[t->list.at].is_open == (event->key == TERM_LEFT))
			table__toggle(t, b, false);
		return true;
	}
	return list__key(&t->list, event->key);
}

/* ---- drawing ---- */

/* Columns that the values before the first key take. */
static unsigned table__value_columns(const struct table *t, const struct browser *b)
{
	const struct layout *l = browser__view(b)->opts.layout;
	unsigned width = 0;

	for (size_t i = 0; i < l->fields.nr && !column__is_key(l->fields.v[i].column); i++)
		if (stdio__shows_field(&t->text, browser__view(b), browser__hists(b), i))
			width += t->text.widths.v[i] + 2;
	return width;
}

static void set_style(const struct area *a, unsigned row, unsigned width, u32 style)
{
	for (unsigned i = 0; i < MIN(width, a->columns); i++)
		grid__cell(a->grid, row, a->column + i)->style = style;
}

static double share_of(struct browser *b, u64 period)
{
	u64 total = browser__total(b);

	return total ? (double)period / (double)total : 0;
}

static char mark_of(const struct browser *b, const struct table_line *l)
{
	if (browser__view(b)->opts.graph == GRAPH_NONE)
		return ' ';
	return l->is_open ? '-' : !l->n || node__has_more(l->n) ? '+' : ' ';
}

static void table__draw_entry(struct table *t, struct browser *b, const struct area *a, unsigned row,
			      const struct table_line *l)
{
	const struct hist_entry *e = line__entry(b, l);
	const struct hist_stat *s = &e->stats[hists__sort_member(browser__view(b), browser__hists(b))];

	strbuf__reset(&t->text.line);
	if (browser__view(b)->opts.hierarchy)
		stdio_hierarchy__add_row(&t->text, browser__view(b), browser__hists(b), e);
	else
		stdio_screen__add_row(&t->text, browser__view(b), browser__hists(b), e);
	t->text.line.buf[strcspn(t->text.line.buf, "\n")] = '\0';
	grid__field(a->grid, row, a->column, a->columns, STYLE_TEXT, t->text.line.buf);
	set_style(a, row, table__value_columns(t, b),
		  style_of_share(share_of(b, report_of(b)->by_children ? s->period_children : s->period)));
	grid__cell(a->grid, row, a->column)->c = (u32)mark_of(b, l);
}

static void table__draw_node(struct browser *b, const struct area *a, unsigned row,
			     const struct table_line *l)
{
	enum { VALUE = 10, LEVELS = 20 };
	unsigned indent = 4 + 2 * MIN(l->level, (u16)LEVELS);
	double share = share_of(b, l->n->total);
	struct strbuf name = STRBUF_INIT;

	browser__add_node_name(b, l->n, l->i, &name);
	grid__field(a->grid, row, a->column, a->columns, STYLE_TEXT, "");
	if (!l->i)
		grid__print(a->grid, row, a->column + indent, VALUE, style_of_share(share), "%c %6.2f%%",
			    mark_of(b, l), 100 * share);
	indent += VALUE + 1;
	if (indent < a->columns)
		grid__field(a->grid, row, a->column + indent, a->columns - indent,
			    browser__finds(b, browser__name(b, l->n->places[l->i])) ? STYLE_FOUND
										    : STYLE_TEXT,
			    name.buf);
	strbuf__exit(&name);
}

static void table__draw_path(struct table *t, struct browser *b, const struct area *a)
{
	const struct hist_entry *e = table__selected(t, b);

	if (e && hot_path__knows(&t->hot_path, b, e))
		hot_path__draw(&t->hot_path, b, e, a);
	else if (e)
		grid__field(a->grid, a->row, a->column, a->columns, STYLE_DIM,
			    " v: the line of the program that leads here most");
}

static void table__draw(struct browser *b, void *state, const struct area *area)
{
	struct table *t = state;
	struct area a = *area, below = *area;

	if (t->text.opts.columns != a.columns)
		table__fit(t, b);
	if (t->find_generation != b->find_generation)
		table__list(t, b);
	if (table__has_path(b, b->grid.rows) && a.rows > HOT_PATH_LINES) {
		a.rows -= HOT_PATH_LINES;
		below.row += a.rows;
		table__draw_path(t, b, &below);
	}
	if (!t->no_headers && a.rows > 1) {
		strbuf__reset(&t->text.line);
		stdio_screen__add_headers(&t->text, browser__view(b), browser__hists(b));
		grid__field(a.grid, a.row, a.column, a.columns, STYLE_HEADER, t->text.line.buf);
		strbuf__reset(&t->text.line);
		a.row++;
		a.rows--;
	}
	list__fit(&t->list, t->lines.nr, a.rows);
	for (unsigned i = 0; i < a.rows && t->list.top + i < t->lines.nr; i++) {
		const struct table_line *l = &t->lines.v[t->list.top + i];

		if (l->n)
			table__draw_node(b, &a, a.row + i, l);
		else
			table__draw_entry(t, b, &a, a.row + i, l);
		if (t->list.top + i == t->list.at)
			grid__select(a.grid, a.row + i, a.column, a.columns);
	}
	if (!t->lines.nr)
		grid__field(a.grid, a.row, a.column, a.columns, STYLE_DIM, "  no row is left");
}

static bool entry__is_function(struct browser *b, const struct hist_entry *e)
{
	return places__get(&browser__view(b)->places, e->place)->dso_name == report_of(b)->function_dso &&
	       !strcmp(browser__name(b, e->place), b->function);
}

static void table__choose(struct browser *b, void *state)
{
	struct table *t = state;

	if (!layout__sorts_by(browser__view(b)->opts.layout, "symbol") ||
	    (t->lines.nr && entry__is_function(b, table__selected(t, b))))
		return;
	for (size_t i = t->lines.nr; i-- > 0;)
		if (!t->lines.v[i].n && entry__is_function(b, line__entry(b, &t->lines.v[i])))
			t->list.at = i;
}

static void table__get_subject(struct browser *b, void *state, struct subject *s)
{
	struct table *t = state;
	const struct table_line *l = t->lines.nr ? &t->lines.v[t->list.at] : NULL;
	const struct hist_entry *e = l ? line__entry(b, l) : NULL;
	static char comm[16];

	if (!e)
		return;
	s->has_place = l->n || layout__sorts_by(browser__view(b)->opts.layout, "symbol");
	s->place = l->n ? l->n->places[l->i] : e->place;
	s->pid = e->pid;
	s->tid = e->tid;
	s->has_pid = layout__sorts_by(browser__view(b)->opts.layout, "pid");
	s->has_tid = layout__sorts_by(browser__view(b)->opts.layout, "tid");
	if (layout__sorts_by(browser__view(b)->opts.layout, "comm"))
		s->comm = view__comm(browser__view(b), e->comm, comm);
	if (layout__sorts_by(browser__view(b)->opts.layout, "lock"))
		s->lock = entry_lock_text(browser__view(b), e);
}

static void table__end(void *state)
{
	struct table *t = state;

	table__close_all(t);
	hot_path__exit(&t->hot_path);
	array__exit(&t->open);
	array__exit(&t->lines);
	array__exit(&t->finds);
	if (t->has_text)
		stdio_ui__exit(&t->text);
	array__exit(&t->kept.opened);
}

const struct screen table_screen = {
	.name = "functions",
	.title = browser__rows,
	.key = 'l',
	.text = "the table of functions",
	.keys = table_keys,
	.state_size = sizeof(struct table),
	.make = table__make,
	.draw = table__draw,
	.press = table__press,
	.idle = table__idle,
	.get_subject = table__get_subject,
	.choose = table__choose,
	.keep = table__keep,
	.end = table__end,
};
