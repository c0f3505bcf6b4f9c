/*
 * Call trees on a terminal: a line is a run of functions that call each other without a branch, indented by
 * two columns for each branch above. The largest lines are shown; the others are counted.
 *
 *	99.86%  main > cmd_log > cmd_log_walk
 *	80.79%    log_tree_commit > ... > diff_flush
 */
#include "base/text/fit.h"
#include "ui/stdio/stdio_private.h"

#include <string.h>

enum {
	VALUE_WIDTH = 10,
	INDENT = 2,
	LEAST_NAMES = 30, /* columns left for names: deeper lines are not indented further */
	/* A caller's line goes on with its only callee, if the callee has all but 1/JOIN of the total. */
	JOIN = 100,
};

struct tree_line {
	const struct call_node *first, *last;
	u64 whole; /* 100% of its percentage */
	u32 level;
	u32 index;
	bool is_shown;
};

struct tree {
	struct stdio_ui *s;
	struct view *v;
	u64 total;
	const char *lead, *arrow;
	ARRAY(struct tree_line) lines;
	struct strbuf names; /* scratch */
};

static u32 tree__nr_children(const struct tree *t, const struct call_node *n)
{
	u32 limit = t->s->opts.print_limit;

	return limit ? MIN(n->nr_children, limit) : n->nr_children;
}

static const struct call_node *tree__end_of_line(const struct tree *t, const struct call_node *n)
{
	const struct call_node *last = n;

	while (tree__nr_children(t, last) == 1 && n->total - last->children[0]->total <= t->total / JOIN)
		last = last->children[0];
	return last;
}

/* List all lines below the root, depth first. An explicit stack, because chains may be very long. */
static void tree__list(struct tree *t, const struct call_node *root)
{
	bool relative = t->v->opts.graph == GRAPH_RELATIVE;
	ARRAY(struct tree_line) stack = { 0 };

	array__add(&stack, ((struct tree_line){ .last = root }));
	while (stack.nr) {
		struct tree_line line = stack.v[--stack.nr];

		if (line.first) {
			line.last = tree__end_of_line(t, line.first);
			line.index = (u32)t->lines.nr;
			array__add(&t->lines, line);
		}
		for (u32 i = tree__nr_children(t, line.last); i--;)
			array__add(&stack,
				   ((struct tree_line){ .first = line.last->children[i],
							.whole = relative ? line.last->total - line.last->self
									  : t->total,
							.level = line.first ? line.level + 1 : 0 }));
	}
	array__exit(&stack);
}

static int larger_first(const void *a, const void *b)
{
	const struct tree_line *x = *(struct tree_line *const *)a, *y = *(struct tree_line *const *)b;

	if (x->first->total != y->first->total)
		return x->first->total > y->first->total ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

/*
 * Mark the largest lines. The lines above a line are at least as large and come before it, so they are
 * marked, too.
 */
static void tree__choose(struct tree *t, size_t nr)
{
	struct tree_line **order = xreallocarray(NULL, t->lines.nr + 1, sizeof(*order));

	for (size_t i = 0; i < t->lines.nr; i++)
		order[i] = &t->lines.v[i];
	if (t->lines.nr > nr)
		qsort(order, t->lines.nr, sizeof(*order), larger_first);
	for (size_t i = 0; i < MIN(nr, t->lines.nr); i++)
		order[i]->is_shown = true;
	free(order);
}

/* ---- a line ---- */

struct tree_name { /* in tree.names */
	size_t at, len;
	unsigned columns;
};

static void tree__add_name(struct tree *t, const struct call_node *n, u32 i, struct tree_name *name)
{
	name->at = t->names.len;
	stdio_graph__add_name(t->s, t->v, &t->names, n->places[i]);
	stdio_graph__add_notes(&t->names, n, i);
	name->len = t->names.len - name->at;
	name->columns = fit__columns(t->names.buf + name->at, name->len);
}

/* Append the names [first, nr), with an arrow before each but the first one of the line. */
static void tree__join(const struct tree *t, const struct tree_name *names, size_t first, size_t nr)
{
	for (size_t i = first; i < nr; i++) {
		strbuf__addstr(&t->s->line, i ? t->arrow : "");
		strbuf__add(&t->s->line, t->names.buf + names[i].at, names[i].len);
	}
}

static void tree__shorten(const struct tree *t, const struct tree_name *name, unsigned room)
{
	fit__shorten(&t->s->line, t->names.buf + name->at, name->len, room);
}

/* Append the first and the last name, each shortened if it must be. */
static void tree__fit_ends(const struct tree *t, const struct tree_name *names, size_t nr, unsigned room)
{
	const char *gap = nr > 2 ? "..." : "";
	unsigned between = (unsigned)(strlen(gap) + strlen(t->arrow) * (nr > 2 ? 2 : 1)), last;

	if (nr == 1) {
		tree__shorten(t, names, room);
		return;
	}
	room -= between;
	last = MIN(names[nr - 1].columns, MAX(room / 2, room - MIN(room, names[0].columns)));
	tree__shorten(t, names, room - last);
	strbuf__addf(&t->s->line, "%s%s%s", t->arrow, gap, nr > 2 ? t->arrow : "");
	tree__shorten(t, &names[nr - 1], last);
}

/*
 * Append the names in so many columns: all, or the first and the last one, and between them those nearest to
 * the function that was sampled.
 */
static void tree__fit_names(const struct tree *t, const struct tree_name *names, size_t nr, unsigned room)
{
	unsigned arrow = (unsigned)strlen(t->arrow), all = 0, used = 3 + 2 * arrow;
	size_t first = 1, last = nr - 1;

	for (size_t i = 0; i < nr; i++)
		all += names[i].columns + (i ? arrow : 0);
	if (all <= room) {
		tree__join(t, names, 0, nr);
		return;
	}
	used += names[0].columns + names[last].columns;
	if (nr < 3 || used > room) {
		tree__fit_ends(t, names, nr, room);
		return;
	}
	for (size_t next; first < last; used += arrow + names[next].columns) {
		next = t->v->opts.chain.caller_first ? last - 1 : first;
		if (used + arrow + names[next].columns > room)
			break;
		if (next == first)
			first++;
		else
			last--;
	}
	tree__join(t, names, 0, first);
	strbuf__addf(&t->s->line, "%s...", t->arrow);
	tree__join(t, names, last, nr);
}

static void tree__add_names(struct tree *t, const struct tree_line *line, unsigned room)
{
	ARRAY(struct tree_name) names = { 0 };
	const struct call_node *n = line->first;

	strbuf__reset(&t->names);
	for (;; n = n->children[0]) {
		for (u32 i = 0; i < n->nr_places; i++)
			tree__add_name(t, n, i, array__push(&names));
		if (n == line->last)
			break;
	}
	tree__fit_names(t, names.v, names.nr, room);
	array__exit(&names);
}

static void tree__add_line(struct tree *t, const struct tree_line *line)
{
	unsigned width = t->s->opts.style.fold_names ? t->s->opts.columns : UINT32_MAX;
	unsigned used = (unsigned)strlen(t->lead) + VALUE_WIDTH + 2, indent = line->level * INDENT;
	struct strbuf *out = &t->s->line;
	size_t start;

	indent = MIN(indent, width - used - MIN(width - used, (unsigned)LEAST_NAMES));
	strbuf__addstr(out, t->lead);
	start = out->len;
	stdio_graph__add_value(t->s, out, line->first->total, line->first->nr_total, line->whole,
			       VALUE_WIDTH);
	used += fit__columns(out->buf + start, out->len - start) - VALUE_WIDTH;
	strbuf__addchars(out, ' ', 2 + indent);
	tree__add_names(t, line, width - used - indent);
	strbuf__addch(out, '\n');
}

/* Append at most nr lines. */
static void tree__add(struct tree *t, const struct call_node *root, size_t nr)
{
	tree__list(t, root);
	tree__choose(t, nr);
	for (size_t i = 0; i < t->lines.nr; i++)
		if (t->lines.v[i].is_shown)
			tree__add_line(t, &t->lines.v[i]);
	if (t->lines.nr > nr)
		strbuf__addf(&t->s->line, "# and %zu smaller branch%s\n", t->lines.nr - nr,
			     t->lines.nr - nr == 1 ? "" : "es");
	array__exit(&t->lines);
	strbuf__exit(&t->names);
}

static const char *arrow_of(const struct view *v)
{
	return v->opts.chain.caller_first ? " > " : " < ";
}

/* Is there nothing below the root but the entry's own function? */
static bool is_trivial(const struct call_node *root)
{
	return !root->nr_children || (root->nr_children == 1 && root->children[0]->nr_places == 1 &&
				      !root->children[0]->nr_children);
}

void stdio_tree__add(struct stdio_ui *s, struct view *v, const struct hists *h, const struct hist_entry *e)
{
	const struct call_node *root = view__call_tree(v, e, false, &s->trees);
	struct tree t = { .s = s,
			  .v = v,
			  .total = h->totals[0].period,
			  .lead = "    ",
			  .arrow = arrow_of(v),
			  .names = STRBUF_INIT };

	if (!root || is_trivial(root))
		return;
	if (v->opts.graph == GRAPH_RELATIVE)
		t.total = v->opts.children ? e->stats[0].period_children : e->stats[0].period;
	tree__add(&t, root, s->opts.tree_lines ? s->opts.tree_lines : SIZE_MAX);
	strbuf__addch(&s->line, '\n');
}

void stdio_tree__add_whole(struct stdio_ui *s, struct view *v, const struct hists *h, size_t nr_lines)
{
	const struct call_node *root = view__whole_tree(v, h, &s->trees);
	struct tree t = { .s = s,
			  .v = v,
			  .total = hists__total(v, h, 0),
			  .lead = "",
			  .arrow = arrow_of(v),
			  .names = STRBUF_INIT };

	if (!root->nr_children)
		return;
	strbuf__addf(&s->line, "#\n# Call tree, %s first%s:\n",
		     v->opts.chain.caller_first ? "callers" : "callees",
		     s->value == GRAPH_VALUE_TIMES     ? " (on the CPU, waiting)"
		     : s->value == GRAPH_VALUE_WAITING ? " (waiting)"
						       : "");
	tree__add(&t, root, nr_lines);
}
