/*
 * The table of functions of a comparison: the rows and lines of perf diff's text. Rows that the text only
 * counts are shown on demand, or if a search or the filter by verdict matches them.
 */
#include "browser/compare_browser.h"

#include "base/text/fit.h"
#include "profile/compare/compare_text.h"
#include "ui/diff/diff_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum compare_order { ORDER_EDGE, ORDER_OLD, ORDER_NEW, ORDER_TOTAL, ORDER_NAME, NR_ORDERS };

static const char *const orders[NR_ORDERS] = {
	[ORDER_EDGE] = "the change, at the near edge of its interval",
	[ORDER_OLD] = "the old cost",
	[ORDER_NEW] = "the new cost",
	[ORDER_TOTAL] = "the cost with what is called",
	[ORDER_NAME] = "the name",
};

struct compare_table {
	ARRAY(u32) rows; /* those shown, as indices of the comparison's */
	struct list list;
	u32 find_generation, nr_unknown; /* nr_unknown: from comparison__lists() */
	enum compare_order order;
	u32 verdict; /* only rows with it; NR_VERDICTS: with any */
	bool shows_all, of_totals;
	unsigned above; /* lines above the rows */
};

static const struct compared *table__row(const struct browser *b, u32 row)
{
	return &compare_of(b)->c->rows.v[row];
}

/* ---- which rows ---- */

static double order_of(const struct compare_table *t, const struct compared *row)
{
	const struct evidence_row *e = t->of_totals ? &row->total : &row->self;

	switch (t->order) {
	case ORDER_OLD:
		return e->cost[COMPARE_OLD];
	case ORDER_NEW:
		return e->cost[COMPARE_NEW];
	case ORDER_TOTAL:
		return MAX(row->total.cost[COMPARE_OLD], row->total.cost[COMPARE_NEW]);
	default:
		return 0; /* as they come */
	}
}

struct sorting {
	const struct compare_table *t;
	const struct compared *rows;
};

static int compare_rows(const void *x, const void *y, void *arg)
{
	const struct sorting *s = arg;
	u32 a = *(const u32 *)x, b = *(const u32 *)y;
	double p = order_of(s->t, &s->rows[a]), q = order_of(s->t, &s->rows[b]);
	int by_name = s->t->order == ORDER_NAME ? strcmp(s->rows[a].name, s->rows[b].name) : 0;

	if (p != q)
		return p > q ? -1 : 1;
	return by_name ?: (a > b) - (a < b);
}

/* Is the cost of a function with its callees large enough to show, if such costs are shown? */
static bool is_large(const struct comparison *c, const struct compared *row)
{
	return MAX(row->total.cost[COMPARE_OLD], row->total.cost[COMPARE_NEW]) >=
	       c->opts.least_total * c->self.total[COMPARE_OLD];
}

static bool table__shows(const struct compare_table *t, struct browser *b, u32 i, bool is_listed)
{
	if (t->verdict != NR_VERDICTS && table__row(b, i)->verdict != t->verdict)
		return false;
	if (b->find.is_set)
		return browser__finds(b, b->kind->name(b, i));
	return is_listed || t->shows_all || t->verdict != NR_VERDICTS ||
	       (t->of_totals && is_large(compare_of(b)->c, table__row(b, i)));
}

/* List the rows anew; the same one stays selected, if it is there. */
static void table__list(struct compare_table *t, struct browser *b)
{
	const struct comparison *c = compare_of(b)->c;
	struct sorting sorting = { t, c->rows.v };
	u32 selected = t->list.at < t->rows.nr ? t->rows.v[t->list.at] : 0;

	t->rows.nr = t->list.at = t->list.top = t->nr_unknown = 0;
	t->find_generation = b->find_generation;
	for (u32 i = 0; i < c->rows.nr; i++)
		if (table__shows(t, b, i, comparison__lists(c, &c->rows.v[i], &t->nr_unknown)))
			array__add(&t->rows, i);
	if (t->rows.nr)
		qsort_r(t->rows.v, t->rows.nr, sizeof(*t->rows.v), compare_rows, &sorting);
	for (size_t i = 0; i < t->rows.nr; i++)
		if (t->rows.v[i] == selected)
			t->list.at = i;
	list__fit(&t->list, t->rows.nr, t->list.rows);
}

static void table__make(struct browser *b, void *state)
{
	struct compare_table *t = state;

	t->verdict = NR_VERDICTS;
	table__list(t, b);
}

/* ---- drawing ---- */

/*
 * Draw a text into as many rows of the area as it needs, but not the last one, and take these rows off the
 * area.
 */
static void draw_above(struct area *a, const char *text)
{
	struct strbuf lines = STRBUF_INIT;
	size_t size;

	fit__wrap(&lines, text, "  ", MAX(a->columns, 10u));
	for (const char *line = lines.buf; a->rows > 1 && *line; line += size + (line[size] == '\n')) {
		size = strcspn(line, "\n");
		grid__text(a->grid, a->row++, a->column, a->columns, STYLE_TEXT, line, size);
		a->rows--;
	}
	strbuf__exit(&lines);
}

static void table__draw_summary(struct compare_table *t, struct browser *b, struct area *a)
{
	const struct comparison *c = compare_of(b)->c;
	struct strbuf text = STRBUF_INIT;

	compare_text__add_total(&text, c, &compare_of(b)->style);
	draw_above(a, text.buf);
	strbuf__reset(&text);
	compare_text__add_changes(&text, c, &compare_of(b)->style);
	draw_above(a, text.buf);
	strbuf__reset(&text);
	if (comparison__shares_change(c)) {
		compare_text__add_plain(&text, c);
		draw_above(a, text.buf);
		strbuf__reset(&text);
	}
	if (t->verdict != NR_VERDICTS)
		strbuf__addf(&text, "Only: %s (Backspace: all)  ", verdict__name((enum verdict)t->verdict));
	if (t->order != ORDER_EDGE)
		strbuf__addf(&text, "Sorted by %s", orders[t->order]);
	draw_above(a, text.buf);
	strbuf__exit(&text);
}

/* Draw which rows are not listed. */
static void table__draw_rest(const struct compare_table *t, struct browser *b, struct area *a)
{
	struct strbuf text = STRBUF_INIT;

	strbuf__addstr(&text, " a: ");
	if (t->shows_all)
		strbuf__addstr(&text, "hide functions that are the same, or have few samples");
	else
		compare_text__add_rest(&text, compare_of(b)->c, t->nr_unknown);
	grid__field(a->grid, a->row + --a->rows, a->column, a->columns, STYLE_DIM, text.buf);
	strbuf__exit(&text);
}

/* Draw what the columns have no room for: the whole name, the binary, and the other costs. */
static void table__draw_facts(const struct compare_table *t, struct browser *b, struct area *a)
{
	const struct comparison *c = compare_of(b)->c;
	const struct compared *row = table__row(b, t->rows.v[t->list.at]);
	const struct evidence_row *e = t->of_totals ? &row->self : &row->total;
	struct strbuf text = STRBUF_INIT;

	strbuf__addf(&text, " %s", b->kind->name(b, t->rows.v[t->list.at]));
	if (*row->dso && strcmp(row->name, UNKNOWN_FUNCTION)) {
		strbuf__addstr(&text, " in ");
		strbuf__add_masked(&text, row->dso);
	}
	compare_text__add_remark(&text, c, row, &compare_of(b)->style, false);
	strbuf__addstr(&text, t->of_totals ? "; itself: " : "; with what it calls: ");
	compare_text__add_cost(&text, c, e->cost[COMPARE_OLD]);
	strbuf__addstr(&text, " -> ");
	compare_text__add_cost(&text, c, e->cost[COMPARE_NEW]);
	if (evidence_row__is_tested(e) && isfinite(e->change)) {
		strbuf__addstr(&text, ", ");
		compare_text__add_change(&text, e->change);
	}
	grid__field(a->grid, a->row + --a->rows, a->column, a->columns, STYLE_BOLD, text.buf);
	strbuf__exit(&text);
}

static void table__draw_row(const struct compare_table *t, struct browser *b, const struct area *a,
			    unsigned row, u32 i)
{
	enum { WIDE = 100 }; /* columns from which on binaries have one of their own */
	const struct compared *r = table__row(b, i);
	unsigned binary = a->columns < WIDE ? 0 : MIN(a->columns / 5, 40u), at = a->columns - binary;
	const struct diff_view_opts o = { .columns = at,
					  .style = compare_of(b)->style,
					  .of_totals = t->of_totals };
	unsigned verdict_at = diff_view__verdict_at(compare_of(b)->c);
	struct strbuf line = STRBUF_INIT;

	diff_view__add_row(&line, compare_of(b)->c, r, &o);
	grid__field(a->grid, row, a->column, at, STYLE_TEXT, line.buf);
	if (binary)
		grid__print(a->grid, row, a->column + at, binary, STYLE_TEXT, "  %s", r->dso);
	for (unsigned k = 0; k < strlen(verdict__name(r->verdict)) && verdict_at + k < at; k++)
		grid__cell(a->grid, row, a->column + verdict_at + k)->style =
			verdict__is_change(r->verdict) ? style_of_change(&r->self, r->verdict) : STYLE_TEXT;
	strbuf__exit(&line);
}

static void table__draw_headers(const struct compare_table *t, struct browser *b, struct area *a)
{
	const struct diff_view_opts o = { .of_totals = t->of_totals };
	struct strbuf line = STRBUF_INIT;

	diff_view__add_headers(&line, compare_of(b)->c, &o);
	grid__field(a->grid, a->row++, a->column, a->columns, STYLE_HEADER, line.buf);
	a->rows--;
	strbuf__exit(&line);
}

static void table__draw(struct browser *b, void *state, const struct area *area)
{
	enum { LEAST = 10 }; /* rows of a screen that has room for more than the table */
	struct compare_table *t = state;
	struct area a = *area;

	if (t->find_generation != b->find_generation)
		table__list(t, b);
	if (a.rows >= LEAST)
		table__draw_summary(t, b, &a);
	if (a.rows > 1)
		table__draw_headers(t, b, &a);
	t->above = a.row - area->row;
	if (area->rows >= LEAST && a.rows > 3) {
		if (t->rows.nr)
			table__draw_facts(t, b, &a);
		table__draw_rest(t, b, &a);
	}
	list__fit(&t->list, t->rows.nr, a.rows);
	for (unsigned i = 0; i < a.rows && t->list.top + i < t->rows.nr; i++) {
		table__draw_row(t, b, &a, a.row + i, t->rows.v[t->list.top + i]);
		if (t->list.top + i == t->list.at)
			grid__select(a.grid, a.row + i, a.column, a.columns);
	}
	if (!t->rows.nr && a.rows)
		grid__field(a.grid, a.row, a.column, a.columns, STYLE_DIM, "  no function is left");
}

/* ---- keys ---- */

static void open_flame(struct browser *b, void *state)
{
	const struct compare_table *t = state;

	if (t->rows.nr)
		browser__show(b, &flame_screen);
}

static void toggle_all(struct browser *b, void *state)
{
	struct compare_table *t = state;

	t->shows_all = !t->shows_all;
	table__list(t, b);
}

/*
 * Switch between costs with and without callees. With callees the largest costs are of interest; changes are
 * those of the function itself.
 */
static void toggle_totals(struct browser *b, void *state)
{
	struct compare_table *t = state;

	t->of_totals = !t->of_totals;
	t->order = t->of_totals ? ORDER_TOTAL : ORDER_EDGE;
	table__list(t, b);
	browser__say(b, t->of_totals
				? "Costs of functions with all that they call; verdicts are of themselves"
				: "Costs of functions themselves");
}

static void sort_by(struct browser *b, u32 order)
{
	struct compare_table *t = browser__state(b, &compare_table_screen);

	t->order = (enum compare_order)order;
	table__list(t, b);
	t->list.at = t->list.top = 0;
}

static void ask_order(struct browser *b, void *state)
{
	(void)state;
	browser__open_menu(b, "Sort by");
	for (u32 i = 0; i < NR_ORDERS; i++)
		browser__add_choice(b, sort_by, i, "%s", orders[i]);
}

static void filter_by(struct browser *b, u32 verdict)
{
	struct compare_table *t = browser__state(b, &compare_table_screen);

	t->verdict = verdict;
	table__list(t, b);
}

static void ask_verdict(struct browser *b, void *state)
{
	const struct comparison *c = compare_of(b)->c;

	(void)state;
	browser__open_menu(b, "Only functions that are");
	browser__add_choice(b, filter_by, NR_VERDICTS, "%-12s %6zu", "anything", c->rows.nr);
	for (u32 i = NR_VERDICTS; i-- > 0;)
		if (c->nr_verdicts[i])
			browser__add_choice(b, filter_by, i, "%-12s %6u", verdict__name((enum verdict)i),
					    c->nr_verdicts[i]);
}

static void drop_filter(struct browser *b, void *state)
{
	(void)state;
	filter_by(b, NR_VERDICTS);
}

static const struct key_row table_keys[] = {
	{ TERM_ENTER, "Enter", "show the function in the flame graph", open_flame },
	{ 'a', "a", "all functions, or those that perf diff lists", toggle_all },
	{ 'v', "v", "filter: functions with one verdict", ask_verdict },
	{ TERM_BACKSPACE, "Backspace", "take the filter away", drop_filter },
	{ 'o', "o", "costs: with what is called, or without", toggle_totals },
	{ 's', "s", "sort", ask_order },
	{ 0 },
};

static bool table__press(struct browser *b, void *state, const struct terminal_event *event)
{
	struct compare_table *t = state;
	size_t at = t->list.top + event->row - 1 - t->above; /* the first row of the screen is the title */

	if (event->key != TERM_PRESS)
		return list__key(&t->list, event->key);
	if (event->row > t->above && event->row - 1 - t->above < t->list.rows && at < t->rows.nr) {
		if (at == t->list.at)
			open_flame(b, t);
		t->list.at = at;
	}
	return true;
}

static void table__choose(struct browser *b, void *state)
{
	struct compare_table *t = state;

	for (size_t i = 0; i < t->rows.nr; i++)
		if (!strcmp(b->kind->name(b, t->rows.v[i]), b->function))
			t->list.at = i;
}

static void table__get_subject(struct browser *b, void *state, struct subject *s)
{
	const struct compare_table *t = state;

	(void)b;
	s->has_place = t->list.at < t->rows.nr;
	if (s->has_place)
		s->place = t->rows.v[t->list.at];
}

static void table__end(void *state)
{
	struct compare_table *t = state;

	array__exit(&t->rows);
}

const struct screen compare_table_screen = {
	.name = "changes",
	.key = 'l',
	.text = "the table of functions",
	.keys = table_keys,
	.state_size = sizeof(struct compare_table),
	.make = table__make,
	.draw = table__draw,
	.press = table__press,
	.get_subject = table__get_subject,
	.choose = table__choose,
	.end = table__end,
};
