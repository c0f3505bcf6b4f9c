#include "browser/compare_browser.h"

#include "profile/compare/compare_text.h"
#include "profile/compare/compare_tree.h"
#include "ui/stdio/stdio.h"

#include <math.h>

static const struct compared *row_of(const struct browser *b, u32 row)
{
	return &compare_of(b)->c->rows.v[row];
}

/* ---- names ---- */

static const char *row_name(struct browser *b, u32 row)
{
	struct strbuf *name = &compare_of(b)->name;
	const struct cell_style whole = { 0 };

	strbuf__reset(name);
	compare_text__add_function(name, row_of(b, row), &whole);
	return name->buf;
}

static void take_function(struct browser *b, u32 row)
{
	compare_of(b)->function = row;
}

/* ---- call trees ---- */

enum { WORST = STYLE_WORSE + NR_STRENGTHS - 1, BEST = STYLE_BETTER + NR_STRENGTHS - 1 };

u32 style_of_verdict(enum verdict v)
{
	static const u32 styles[NR_VERDICTS] = {
		[VERDICT_FEW] = STYLE_EVEN, [VERDICT_UNKNOWN] = STYLE_EVEN, [VERDICT_SAME] = STYLE_EVEN,
		[VERDICT_FASTER] = BEST,    [VERDICT_GONE] = BEST,          [VERDICT_SLOWER] = WORST,
		[VERDICT_NEW] = WORST,      [VERDICT_MOVED] = STYLE_MOVED,  [VERDICT_RENAMED] = STYLE_MOVED,
	};

	return styles[v];
}

/* Return a style as strong as the colours on the page (colorOfVerdict() in web/compare.js). */
u32 style_of_change(const struct evidence_row *row, enum verdict v)
{
	double near = row->low > 1 ? 1 - 1 / row->low : row->high < 1 ? 1 - row->high : 0;
	u32 style = style_of_verdict(v), strength = (u32)(sqrt(near) * NR_STRENGTHS);

	if (style != WORST && style != BEST)
		return style;
	return style - (NR_STRENGTHS - 1) + MIN(strength, NR_STRENGTHS - 1u);
}

static void make_tree(struct browser *b, struct stack_tree *t, bool of_function, enum stack_tree_kind kind)
{
	const struct compare_browser *r = compare_of(b);

	compare_tree__make(t, r->c, of_function ? r->function : COMPARE_NO_ROW, kind);
}

static bool find_function(struct browser *b, struct shown_function *f)
{
	const struct compare_browser *r = compare_of(b);
	const struct compared *row = row_of(b, r->function);
	double unit = compare_tree__unit(r->c);

	*f = (struct shown_function){
		.place = r->function,
		.total = (u64)llround((row->total.cost[0] + row->total.cost[1]) / unit),
		.nr_total = (u64)llround(row->total.cost[1] / unit),
		.self = (u64)llround((row->self.cost[0] + row->self.cost[1]) / unit),
		.nr_self = (u64)llround(row->self.cost[1] / unit),
	};
	return true;
}

/* Append the costs. The change excludes the change that all functions share, as in rows. */
static u32 add_costs(struct browser *b, struct strbuf *sb, u64 both, u64 new)
{
	const struct comparison *c = compare_of(b)->c;
	double unit = compare_tree__unit(c), costs[] = { (double)(both - new) * unit, (double)new *unit };
	struct strbuf cells[3] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };

	for (u32 s = 0; s < 2; s++)
		compare_text__add_cost(&cells[s], c, costs[s]);
	if (costs[0] > 0)
		compare_text__add_change(&cells[2], costs[1] / costs[0] / c->self.common);
	strbuf__addf(sb, "%9s -> %9s %8s", cells[0].buf, cells[1].buf, cells[2].buf);
	for (u32 i = 0; i < ARRAY_SIZE(cells); i++)
		strbuf__exit(&cells[i]);
	return STYLE_TEXT;
}

static void add_name(struct browser *b, u32 place, struct strbuf *sb)
{
	strbuf__addstr(sb, b->kind->name(b, place));
}

static void add_node_name(struct browser *b, const struct call_node *n, u32 i, struct strbuf *sb)
{
	strbuf__addstr(sb, row_name(b, n->places[i]));
	stdio_graph__add_notes(sb, n, i);
}

/* Append the verdict for the function itself, wherever it is called. */
static void add_verdict(struct browser *b, u32 place, struct strbuf *sb)
{
	const struct compared *row = row_of(b, place);

	if (!(row->self.cost[COMPARE_OLD] + row->self.cost[COMPARE_NEW] > 0))
		return;
	strbuf__addf(sb, ", itself: %s", verdict__name(row->verdict));
	if (!evidence_row__is_tested(&row->self))
		return;
	if (isfinite(row->self.change)) {
		strbuf__addch(sb, ' ');
		compare_text__add_change(sb, row->self.change);
	}
	strbuf__addstr(sb, " (");
	compare_text__add_interval(sb, &row->self);
	strbuf__addch(sb, ')');
}

static u32 box_style(struct browser *b, u32 row, const char *name)
{
	const struct compared *r = row_of(b, row);

	(void)name;
	return style_of_change(&r->self, r->verdict);
}

static const char *why_empty(struct browser *b)
{
	(void)b;
	return "  all stacks are too small to be shown";
}

static const struct tree_kind compare_trees = {
	.make = make_tree,
	.find_function = find_function,
	.add_cost = add_costs,
	.add_node_name = add_node_name,
	.add_name = add_name,
	.add_remark = add_verdict,
	.box_style = box_style,
	.why_empty = why_empty,
};

/* ---- keys of all screens ---- */

static void toggle_names(struct browser *b, void *state)
{
	struct cell_style *style = &compare_of(b)->style;

	(void)state;
	style->fold_names = !style->fold_names;
	browser__say(b, style->fold_names ? "Short names" : "Full names");
}

static const struct key_row compare_keys[] = {
	{ '/', "/", "search all functions, by regular expression", browser__search },
	{ 'V', "V", "full names, or short ones", toggle_names },
	{ 'y', "y", "copy the function's name", browser__copy_name },
	BROWSER_KEYS,
	{ 0 },
};

/* ---- begin and end ---- */

static void begin(struct browser *b)
{
	struct strbuf text = STRBUF_INIT;

	for (u32 i = 0; compare_text__add_warning(&text, compare_of(b)->c, i); i++)
		;
	if (text.len)
		browser__say(b, "Functions may look changed; i says why");
	strbuf__exit(&text);
}

static void add_title(struct browser *b, struct strbuf *sb)
{
	const struct comparison *c = compare_of(b)->c;

	strbuf__addch(sb, ' ');
	strbuf__add_masked(sb, c->event);
	strbuf__addstr(sb, "  ");
	compare_text__add_recordings(sb, c, &compare_of(b)->style);
}

static const struct screen *const compare_screens[] = {
	&compare_table_screen, &callers_screen, &flame_screen, &compare_info_screen, &help_screen, NULL,
};

static const struct browser_kind compare_kind = {
	.screens = compare_screens,
	.keys = compare_keys,
	.hint = "c:callers  g:flame graph  i:recordings",
	.begin = begin,
	.add_title = add_title,
	.name = row_name,
	.take_function = take_function,
	.trees = &compare_trees,
};

int compare_browser__run(const struct comparison *c, const struct diff_args *a, struct err *err)
{
	struct compare_browser r = {
		.b.kind = &compare_kind, .c = c, .style.fold_names = !a->full_names, .name = STRBUF_INIT
	};
	int ret = browser__run(&r.b, &a->browser, err);

	browser__exit(&r.b);
	strbuf__exit(&r.name);
	return ret;
}
