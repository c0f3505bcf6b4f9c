/*
 * Call trees as text: graph and fractal as a drawing, flat and folded as lists of chains.
 */
#include "base/text/fit.h"
#include "base/text/number.h"
#include "ui/stdio/stdio_private.h"

#include <string.h>

struct drawing {
	struct stdio_ui *s;
	struct view *v;
	struct strbuf *out;
	unsigned margin;
	u64 total;          /* 100% in the drawing; fractal: that of the current level */
	struct strbuf lead; /* prefix of each line: the margin, and for each level '|' if it continues */
};

enum {
	MARGIN = 12, /* columns on the left of every line */
	LEVEL = 11,  /* columns of a level: '|' and the blanks after it */
	/* stock perf keeps a bit per level in 32 bits, so deeper levels reuse them */
	MASK_LEVELS = 32,
};

static void add_margin(struct drawing *d)
{
	strbuf__addchars(d->out, ' ', d->margin);
}

/* Return the line; without one, only the offset after the symbol. */
static const char *place__short_line(const struct view *v, const struct place *p)
{
	const char *line = places__text(&v->places, p->line), *plus = p->has_line ? NULL : strrchr(line, '+');

	return plus ? plus : line;
}

static void add_symbol(struct stdio_ui *s, struct view *v, struct strbuf *out, u32 id)
{
	const struct place *p = places__get(&v->places, id);

	cell_style__add_name(&s->opts.style, out, places__name(&v->places, id));
	if (v->opts.places.graph_key != GRAPH_BY_FUNCTION) {
		strbuf__addch(out, ' ');
		strbuf__add_masked(out, place__short_line(v, p));
	}
}

void stdio_graph__add_name(struct stdio_ui *s, struct view *v, struct strbuf *out, u32 id)
{
	const struct place *p = places__get(&v->places, id);

	if (p->sym)
		add_symbol(s, v, out, id);
	else if (place__stand_in(p))
		strbuf__addstr(out, place__stand_in(p));
	else if (p->ip)
		strbuf__addf(out, "0x%llx", (unsigned long long)p->ip);
	else
		strbuf__addch(out, '0');
	if (p->wait || p->is_idle || !s->opts.style.fold_names)
		place__add_mark(p, out);
}

/* Append " (predicted:50.0% abort:1.2% cycles:13 iter:4 avg_cycles:26)": what of it is worth mentioning. */
static void add_branch_sums(struct strbuf *out, const struct branch_sums *s)
{
	static const char first[] = " (", other[] = " ";
	const char *gap = first;

	if (s->predicted < s->known) {
		strbuf__addf(out, "%spredicted:%.1f%%", gap, 100.0 * (double)s->predicted / (double)s->known);
		gap = other;
	}
	if (s->aborted) {
		strbuf__addf(out, "%sabort:%.1f%%", gap, 100.0 * (double)s->aborted / (double)s->nr_to);
		gap = other;
	}
	if (s->cycles) {
		strbuf__addf(out, "%scycles:%llu", gap, (unsigned long long)(s->cycles / s->nr_from));
		gap = other;
	}
	if (s->rounds) {
		strbuf__addf(out, "%siter:%llu avg_cycles:%llu", gap,
			     (unsigned long long)(s->rounds / s->nr_loops),
			     (unsigned long long)(s->loop_cycles / s->rounds));
		gap = other;
	}
	strbuf__addstr(out, gap == other ? ")" : "");
}

void stdio_graph__add_notes(struct strbuf *out, const struct call_node *n, u32 i)
{
	if (n->depths && n->depths[i] > 1)
		strbuf__addf(out, " (%u deep)", n->depths[i]);
	if (n->sums)
		add_branch_sums(out, &n->sums[i]);
}

void stdio_graph__add_value(struct stdio_ui *s, struct strbuf *out, u64 period, u64 nr, u64 total, int width)
{
	switch (s->value) {
	case GRAPH_VALUE_PERCENT:
		cell_style__add_percent(&s->opts.style, out,
					total ? 100.0 * (double)period / (double)total : 0, "",
					MAX(width - 1, 0));
		break;
	case GRAPH_VALUE_PERIOD:
		strbuf__addf(out, "%*llu", width, (unsigned long long)period);
		break;
	case GRAPH_VALUE_COUNT:
		strbuf__addf(out, "%*llu", width, (unsigned long long)nr);
		break;
	case GRAPH_VALUE_TIMES:
		cell_style__add_time(&s->opts.style, out, period - nr, total, width);
		strbuf__addstr(out, width ? " " : " + ");
		cell_style__add_time(&s->opts.style, out, nr, total, width);
		break;
	case GRAPH_VALUE_WAITING:
		cell_style__add_time(&s->opts.style, out, nr, total, width);
		break;
	}
}

/*
 * Set the prefix for lines of depth levels. Levels above the last one are unchanged, unless bits are reused.
 */
static void drawing__set_lead(struct drawing *d, unsigned depth, u32 mask)
{
	size_t len = d->margin + (size_t)depth * LEVEL;
	bool is_round = MAX(len, d->lead.len) > d->margin + (size_t)MASK_LEVELS * LEVEL;

	if (d->lead.len < len)
		strbuf__addchars(&d->lead, ' ', len - d->lead.len);
	strbuf__setlen(&d->lead, len);
	for (unsigned i = is_round ? 0 : depth - 1; i < depth; i++)
		d->lead.buf[d->margin + (size_t)i * LEVEL] = mask >> (i % MASK_LEVELS) & 1 ? '|' : ' ';
}

/* Add a node's first line up to the name. Its other lines begin with d->lead. */
static void drawing__add_first(struct drawing *d, u64 period, u64 nr)
{
	strbuf__add(d->out, d->lead.buf, d->lead.len - (LEVEL - 1));
	strbuf__addstr(d->out, "--");
	stdio_graph__add_value(d->s, d->out, period, nr, d->total, 0);
	strbuf__addstr(d->out, "--");
}

/* Progress of drawing a node's children. An explicit stack, because chains may be very long. */
struct level {
	const struct call_node *node;
	u32 next; /* index of the next child to draw */
	u32 mask;
	u64 total, remaining; /* fractal: period not yet drawn */
	u64 drawn_nr;
};

static void draw_child(struct drawing *d, struct level *l, unsigned depth, u32 *child_mask)
{
	const struct call_node *c = l->node->children[l->next++];
	bool relative = d->v->opts.graph == GRAPH_RELATIVE;

	l->remaining -= c->total;
	l->drawn_nr += c->nr_total;
	drawing__set_lead(d, depth, l->mask);
	strbuf__add(d->out, d->lead.buf, d->lead.len);
	strbuf__addch(d->out, '\n');
	if (l->next == l->node->nr_children && (!relative || !l->remaining)) {
		l->mask &= ~(1u << ((depth - 1) % MASK_LEVELS));
		drawing__set_lead(d, depth, l->mask);
	}
	for (u32 i = 0; i < c->nr_places; i++) {
		if (i)
			strbuf__add(d->out, d->lead.buf, d->lead.len);
		else
			drawing__add_first(d, c->total, c->nr_total);
		stdio_graph__add_name(d->s, d->v, d->out, c->places[i]);
		stdio_graph__add_notes(d->out, c, i);
		strbuf__addch(d->out, '\n');
	}
	*child_mask = l->mask | 1u << (depth % MASK_LEVELS);
}

static void draw_rest(struct drawing *d, struct level *l, unsigned depth)
{
	u64 nr = l->node->nr_total - l->node->nr_self - l->drawn_nr;

	if (d->v->opts.graph != GRAPH_RELATIVE || !l->remaining || l->remaining == l->total ||
	    !l->node->nr_children)
		return;
	if (d->s->value == GRAPH_VALUE_COUNT && !nr)
		return;
	l->mask &= ~(1u << ((depth - 1) % MASK_LEVELS));
	drawing__set_lead(d, depth, l->mask);
	drawing__add_first(d, l->remaining, nr);
	strbuf__addstr(d->out, "[...]\n");
}

static void draw_children(struct drawing *d, const struct call_node *node, u64 total)
{
	bool relative = d->v->opts.graph == GRAPH_RELATIVE;
	ARRAY(struct level) levels = { 0 };
	u32 limit = d->s->opts.print_limit;

	array__add(&levels, ((struct level){ .node = node, .mask = 1, .total = total, .remaining = total }));
	while (levels.nr) {
		struct level *l = &levels.v[levels.nr - 1];
		unsigned depth = (unsigned)levels.nr;

		d->total = l->total;
		if (l->next < l->node->nr_children && (!limit || l->next < limit)) {
			const struct call_node *c = l->node->children[l->next];
			struct level below = { .node = c };

			draw_child(d, l, depth, &below.mask);
			below.total = relative ? c->total - c->self : total;
			below.remaining = below.total;
			array__add(&levels, below);
			continue;
		}
		draw_rest(d, l, depth);
		levels.nr--;
	}
	array__exit(&levels);
}

/* Show percentages unless a single chain has the whole total. */
static bool needs_percent(const struct call_node *root, u64 total)
{
	return root->nr_children > 1 || root->children[0]->total != total;
}

static bool starts_with_symbol(const struct view *v)
{
	const struct layout *l = v->opts.layout;

	return !l->has_field_order && l->sort_order && !strncmp(l->sort_order, "sym", 3);
}

/* Draw the lines after "---", and indent the rest by three columns. */
static void draw_trunk(struct drawing *d, const struct call_node *node)
{
	u32 skip = starts_with_symbol(d->v) ? 1 : 0; /* the entry's own line shows it already */

	for (u32 i = skip; i < node->nr_places; i++) {
		if (i == skip) {
			add_margin(d);
			strbuf__addstr(d->out, "|\n");
			add_margin(d);
			strbuf__addstr(d->out, "---");
			d->margin += 3;
		} else {
			add_margin(d);
		}
		stdio_graph__add_name(d->s, d->v, d->out, node->places[i]);
		stdio_graph__add_notes(d->out, node, i);
		strbuf__addch(d->out, '\n');
		if (i - skip + 1 == d->s->opts.print_limit)
			break;
	}
}

static void draw_graph(struct drawing *d, const struct call_node *root, u64 own_total)
{
	size_t start = d->out->len;

	if (!root->nr_children)
		return;
	if (!needs_percent(root, own_total)) {
		root = root->children[0];
		draw_trunk(d, root);
	}
	strbuf__addchars(&d->lead, ' ', d->margin);
	draw_children(d, root, d->v->opts.graph == GRAPH_RELATIVE ? own_total : d->total);
	if (d->out->len > start)
		strbuf__addch(d->out, '\n');
	strbuf__exit(&d->lead);
}

/* ---- lists of chains ---- */

/* Add the places from the root to the end of a node, each between the strings before and after. */
static void add_path(struct drawing *d, const struct call_node *n, const char *before, const char *after)
{
	ARRAY(const struct call_node *) path = { 0 };

	for (; n; n = n->parent)
		array__add(&path, n);
	while (path.nr) {
		n = path.v[--path.nr];
		for (u32 i = 0; i < n->nr_places; i++) {
			strbuf__addstr(d->out, before);
			stdio_graph__add_name(d->s, d->v, d->out, n->places[i]);
			stdio_graph__add_notes(d->out, n, i);
			strbuf__addstr(d->out, after);
		}
	}
	array__exit(&path);
}

static void list_flat(struct drawing *d, const struct call_node *n)
{
	strbuf__addchars(d->out, ' ', 11);
	stdio_graph__add_value(d->s, d->out, n->total, n->nr_total, d->total, 0);
	strbuf__addch(d->out, '\n');
	add_path(d, n, "                ", "\n");
	strbuf__addch(d->out, '\n');
}

static void list_folded(struct drawing *d, const struct call_node *n)
{
	const char *sep = d->s->opts.style.separator ? d->s->opts.style.separator : ";";

	stdio_graph__add_value(d->s, d->out, n->self, n->nr_self, d->total, 0);
	strbuf__addch(d->out, ' ');
	add_path(d, n, "", sep);
	strbuf__setlen(d->out, d->out->len - strlen(sep));
	strbuf__addch(d->out, '\n');
}

/* On a terminal, shorten the lines from start on. */
static void shorten_lines(struct drawing *d, size_t start)
{
	struct strbuf text = STRBUF_INIT;

	if (!d->s->opts.style.fold_names)
		return;
	strbuf__addstr(&text, d->out->buf + start);
	strbuf__setlen(d->out, start);
	for (char *next = text.buf, *line; (line = strsep(&next, "\n")) && next;) {
		fit__shorten(d->out, line, strlen(line), d->s->opts.columns);
		strbuf__addch(d->out, '\n');
	}
	strbuf__exit(&text);
}

static void draw_list(struct drawing *d, const struct call_node *root, u64 min_period,
		      void (*add)(struct drawing *d, const struct call_node *n))
{
	u32 limit = d->s->opts.print_limit;
	size_t start = d->out->len;
	struct call_list list;

	call_list__make(&list, root, min_period);
	for (size_t i = 0; i < list.v.nr && (!limit || i < limit); i++)
		add(d, list.v.v[i]);
	call_list__exit(&list);
	shorten_lines(d, start);
}

void stdio_graph__add(struct stdio_ui *s, struct view *v, const struct hists *h, const struct hist_entry *e,
		      struct strbuf *out)
{
	struct drawing d = { .s = s,
			     .v = v,
			     .out = out,
			     .total = h->totals[0].period,
			     .margin = MARGIN,
			     .lead = STRBUF_INIT };
	bool is_list = v->opts.graph == GRAPH_FLAT || v->opts.graph == GRAPH_FOLDED;
	const struct call_node *root;

	if (s->opts.columns && !is_list) {
		stdio_tree__add(s, v, h, e);
		return;
	}
	root = view__call_tree(v, e, is_list, &s->trees);
	if (root && is_list)
		draw_list(&d, root,
			  number__u64((double)hists__total(v, h, 0) * (v->opts.graph_percent / 100)),
			  v->opts.graph == GRAPH_FLAT ? list_flat : list_folded);
	else if (root)
		draw_graph(&d, root, v->opts.children ? e->stats[0].period_children : e->stats[0].period);
}
