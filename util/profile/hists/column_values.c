/* Values: what columns sum up, and its share of all. */
#include "profile/hists/columns_private.h"

#include "base/text/fold_name.h"
#include "format/records/sample_field.h"
#include "profile/hists/column_json.h"
#include "profile/hists/hists_private.h"

#include <string.h>

/*
 * ---- values: larger comes first; in a group the first member that differs decides, or the one of
 * --group-sort-idx alone ----
 */

static u64 *stat_of(const struct column *c, const struct hist_entry *e, u32 member)
{
	return column__stat(c, &e->stats[member]);
}

int stat_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		 const struct hist_entry *b)
{
	const struct hists *h = &v->hists.v[a->hists];
	u32 i = hists__sort_member(v, h), end = v->opts.group_sort_idx ? i + 1 : h->nr_members;

	for (; i < end; i++) {
		u64 x = *stat_of(c, a, i), y = *stat_of(c, b, i);

		if (x != y)
			return x > y ? -1 : 1;
	}
	return 0;
}

/* Compare by cost; at equal cost, put callers above their callees. */
int children_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		     const struct hist_entry *b)
{
	u32 member = hists__sort_member(v, &v->hists.v[a->hists]);
	u64 x = *stat_of(c, a, member), y = *stat_of(c, b, member);
	int ret = x > y ? -1 : x < y; /* in a group one member alone decides, as in stock perf */

	if (ret || a->thread != b->thread || a->tid != b->tid || v->opts.graph == GRAPH_NONE ||
	    a->max_depth == b->max_depth)
		return ret;
	return (a->max_depth > b->max_depth) == v->opts.chain.caller_first ? -1 : 1;
}

static const char *share_color(double percent)
{
	return percent >= 5.0 ? "\033[31m" : percent > 0.5 ? "\033[32m" : NULL;
}

void cell_style__add_percent(const struct cell_style *s, struct strbuf *sb, double percent, const char *lead,
			     int width)
{
	const char *color = s->color ? share_color(percent) : NULL;

	if (color)
		strbuf__addstr(sb, color);
	strbuf__addstr(sb, lead);
	strbuf__add_fixed(sb, percent, width);
	strbuf__addch(sb, '%');
	if (color)
		strbuf__addstr(sb, "\033[m");
}

void cell_style__add_name(const struct cell_style *s, struct strbuf *sb, const char *name)
{
	struct strbuf folded = STRBUF_INIT;

	if (s->fold_names)
		name__fold(&folded, name);
	cell_style__add_text(s, sb, s->fold_names ? folded.buf : name);
	strbuf__exit(&folded);
}

void cell_style__add_text(const struct cell_style *s, struct strbuf *sb, const char *text)
{
	if (s->markup)
		markdown__add_name(sb, text, s->markup);
	else
		strbuf__add_masked(sb, text);
}

void print_share(const struct cell *c)
{
	for (u32 m = 0; m < c->h->nr_members; m++) {
		u64 part = *stat_of(c->column, c->e, m), total = hists__total(c->v, c->h, m);

		cell_style__add_percent(c->style, c->sb, total ? 100.0 * (double)part / (double)total : 0,
					" ", c->style->separator ? 0 : MAX(c->width - 2, 0));
	}
}

void print_children(const struct cell *c)
{
	if (c->v->opts.children)
		print_share(c);
	else
		strbuf__addf(c->sb, " %*s", c->style->separator ? 0 : MAX(c->width - 1, 0), "N/A");
}

void print_sum(const struct cell *c)
{
	for (u32 m = 0; m < c->h->nr_members; m++)
		strbuf__addf(c->sb, " %*llu", c->style->separator ? 0 : c->width - 1,
			     (unsigned long long)*stat_of(c->column, c->e, m));
}

/* ---- values that only some layouts sum up ---- */

/* Return the latency: each time divided by the number of threads that ran then. */
u64 sum_latency(const struct column *c, const struct view *v, const struct fold *f)
{
	return f->period / MAX(extras__field(&v->extras, c->field, fold__kind(v, f)->extra), 1);
}

u64 sum_words(const struct column *c, const struct view *v, const struct fold *f)
{
	return f->nr * extras__field(&v->extras, c->field, fold__kind(v, f)->extra);
}

/* The total is what all samples add. */
void print_share_of_sum(const struct cell *c)
{
	for (u32 m = 0; m < c->h->nr_members; m++) {
		struct hist_stat *all = c->v->opts.relative ? &c->h->shown[m] : &c->h->totals[m];
		u64 part = *stat_of(c->column, c->e, m), total = *column__stat(c->column, all);

		cell_style__add_percent(c->style, c->sb, total ? 100.0 * (double)part / (double)total : 0,
					" ", c->style->separator ? 0 : MAX(c->width - 2, 0));
	}
}

void print_average(const struct cell *c)
{
	for (u32 m = 0; m < c->h->nr_members; m++) {
		u64 sum = *stat_of(c->column, c->e, m), nr = c->e->stats[m].nr;

		strbuf__addf(c->sb, " %*.1f", c->style->separator ? 0 : MAX(c->width - 1, 0),
			     nr ? (double)sum / (double)nr : 0);
	}
}

int average_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		    const struct hist_entry *b)
{
	for (u32 i = 0; i < v->hists.v[a->hists].nr_members; i++) {
		double x = (double)*stat_of(c, a, i) / (double)MAX(a->stats[i].nr, 1);
		double y = (double)*stat_of(c, b, i) / (double)MAX(b->stats[i].nr, 1);

		if (x != y)
			return x > y ? -1 : 1;
	}
	return 0;
}

/* ---- divided values ---- */

/* Compare nothing: parts do not decide the order, as in stock perf. */
int always_equal(const struct column *c, struct view *v, const struct hist_entry *a,
		 const struct hist_entry *b)
{
	(void)c;
	(void)v;
	(void)a;
	(void)b;
	return 0;
}

double cell__part_percent(const struct cell *c, u32 member, u32 part)
{
	const struct layout *l = c->v->opts.layout;
	u64 total = hists__total(c->v, c->h, member);
	u64 period = c->e->parts[member * l->nr_parts + layout__first_part(l, c->column) + part];

	return total ? 100.0 * (double)period / (double)total : 0;
}

/* With -t each part is a column. */
void print_parts(const struct cell *c)
{
	const char *gap = "";

	for (u32 m = 0; m < c->h->nr_members; m++)
		for (u32 i = 0; i < c->column->nr_parts; i++) {
			double percent = cell__part_percent(c, m, i);

			if (!hists__has_part(c->h, c->v, c->column, i))
				continue;
			if (c->style->separator)
				strbuf__addf(c->sb, "%s%.1f%%", gap, percent);
			else
				strbuf__addf(c->sb, "%*.1f%%", PART_WIDTH - 1, percent);
			gap = c->style->separator;
		}
}

/* ---- of the branches before samples ---- */

void print_predicted(const struct cell *c)
{
	const struct hist_stat *s = &c->e->stats[0];
	size_t start = c->sb->len;

	if (s->known)
		strbuf__addf(c->sb, "%.1f%%", 100.0 * (double)s->predicted / (double)s->known);
	else
		strbuf__addch(c->sb, '-');
	cell__pad(c, start);
}

void print_aborted(const struct cell *c)
{
	strbuf__addf(c->sb, "%-*llu", c->width, (unsigned long long)c->e->stats[0].aborted);
}

void print_chain_cycles(const struct cell *c)
{
	const struct hist_stat *s = &c->e->stats[0];

	strbuf__addf(c->sb, "%-*llu", c->width,
		     (unsigned long long)(s->branches ? s->cycles / s->branches : 0));
}

void json_predicted(const struct cell *c)
{
	const struct hist_stat *s = &c->e->stats[0];

	if (s->known)
		strbuf__add_json_double(c->sb, 100.0 * (double)s->predicted / (double)s->known);
	else
		strbuf__addstr(c->sb, "null");
}

void json_aborted(const struct cell *c)
{
	strbuf__addf(c->sb, "%llu", (unsigned long long)c->e->stats[0].aborted);
}

void json_chain_cycles(const struct cell *c)
{
	const struct hist_stat *s = &c->e->stats[0];

	strbuf__add_json_double(c->sb, s->branches ? (double)s->cycles / (double)s->branches : 0);
}

/* ---- of time tables ---- */

void cell_style__add_time(const struct cell_style *s, struct strbuf *sb, u64 ns, u64 total, int width)
{
	const char *color = s->color ? share_color(total ? 100.0 * (double)ns / (double)total : 0) : NULL;
	struct strbuf text = STRBUF_INIT;

	if (s->fold_names && ns)
		strbuf__add_duration(&text, (double)ns);
	else
		strbuf__addf(&text, s->fold_names ? "0" : "%.3f", (double)ns / 1e6);
	strbuf__addf(sb, "%s%*s%s", color ? color : "", width, text.buf, color ? "\033[m" : "");
	strbuf__exit(&text);
}

u64 time_on_cpu(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	const struct hist_stat *s = &e->stats[0];

	(void)c;
	return v->opts.children ? s->period_children - s->waiting_children : s->period - s->waiting;
}

u64 time_waiting(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return v->opts.children ? e->stats[0].waiting_children : e->stats[0].waiting;
}

u64 time_self(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return e->stats[0].period;
}

void print_time_sum(const struct cell *c)
{
	enum { SHORT = 8 };
	int width = c->style->separator ? 0 : c->style->fold_names ? MIN(c->width, SHORT) : c->width;

	cell_style__add_time(c->style, c->sb, c->column->value(c->column, c->v, c->e),
			     hists__total(c->v, c->h, 0), width);
}
