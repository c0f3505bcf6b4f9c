/* What the columns of columns.c look like as text. */
#include "ui/stdio.h"

#include <string.h>

static double percent_of(u64 part, u64 total)
{
	return total ? 100.0 * (double)part / (double)total : 0;
}

static const char *percent_color(double percent)
{
	return percent >= 5.0 ? "\033[31m" : percent > 0.5 ? "\033[32m" : NULL;
}

void stdio__add_percent(const struct stdio_ui *s, struct strbuf *sb, double percent, const char *lead,
			int width)
{
	const char *color = s->opts.color ? percent_color(percent) : NULL;

	if (color)
		strbuf__addstr(sb, color);
	strbuf__addstr(sb, lead);
	strbuf__add_fixed(sb, percent, width);
	strbuf__addch(sb, '%');
	if (color)
		strbuf__addstr(sb, "\033[m");
}

/* Text of a name that came from a file: no control characters, no separators. */
static void add_text(const struct stdio_ui *s, struct strbuf *sb, const char *text, int width, int max)
{
	size_t start = sb->len, len;
	const char *sep = s->opts.separator;

	strbuf__add_masked(sb, text);
	len = sb->len - start;
	if (max >= 0 && len > (size_t)max)
		strbuf__setlen(sb, start + (size_t)max);
	for (size_t i = start; sep && i < sb->len; i++)
		if (sb->buf[i] == *sep)
			sb->buf[i] = '.';
	len = sb->len - start;
	if (width > 0 && len < (size_t)width)
		strbuf__addchars(sb, ' ', (size_t)width - len);
}

struct cell {
	const struct stdio_ui *s;
	struct view *v;
	const struct hists *h;
	const struct hist_entry *e;
	int width; /* of the column; values: of one member */
	struct strbuf *sb;
};

static void cell__add_tid(const struct cell *c)
{
	char buf[16];

	strbuf__addf(c->sb, "%7d:", (int)c->e->tid);
	add_text(c->s, c->sb, view__last_comm(c->v, c->e, buf), MAX(c->width - 8, 0), MAX(c->width - 8, 0));
}

static void cell__add_comm(const struct cell *c)
{
	char buf[16];

	add_text(c->s, c->sb, view__comm(c->v, c->e->comm, buf), c->width, c->width);
}

static void cell__add_dso_of(const struct cell *c, u32 place)
{
	const struct place *p = places__get(&c->v->places, place);
	const struct dsos *dsos = &c->v->profile->session->machine.dsos;
	const struct dso *dso = dsos->v.v[p->dso];
	const char *name = c->s->opts.verbose ? dso__long_name(dsos, dso) : dso__short_name(dsos, dso);

	add_text(c->s, c->sb, p->mapped ? name : "[unknown]", c->width, c->width);
}

static void cell__add_dso(const struct cell *c)
{
	cell__add_dso_of(c, c->e->place);
}

static void cell__add_symbol_of(const struct cell *c, u32 place, char level)
{
	const struct place *p = places__get(&c->v->places, place);

	strbuf__addch(c->sb, '[');
	strbuf__addch(c->sb, level);
	strbuf__addstr(c->sb, "] ");
	if (p->sym)
		add_text(c->s, c->sb, places__name(&c->v->places, place), 0, MAX(c->width - 4, 0));
	if (p->sym && p->inlined)
		strbuf__addstr(c->sb, INLINED_MARK);
	if (!p->sym)
		strbuf__addf(c->sb, "%-#.16llx", (unsigned long long)p->ip); /* without 0x when it is 0 */
}

static void cell__add_symbol(const struct cell *c)
{
	cell__add_symbol_of(c, c->e->place, c->e->level);
}

static const struct branch *cell__branch(const struct cell *c)
{
	return branches__get(&c->v->branches, c->e->branch);
}

static void cell__add_dso_from(const struct cell *c)
{
	cell__add_dso_of(c, cell__branch(c)->from.place);
}

static void cell__add_dso_to(const struct cell *c)
{
	cell__add_dso_of(c, cell__branch(c)->to.place);
}

static void cell__add_symbol_from(const struct cell *c)
{
	const struct branch_end *end = &cell__branch(c)->from;

	cell__add_symbol_of(c, end->place, (char)end->level);
}

static void cell__add_symbol_to(const struct cell *c)
{
	const struct branch_end *end = &cell__branch(c)->to;

	cell__add_symbol_of(c, end->place, (char)end->level);
}

static void cell__add_mispredict(const struct cell *c)
{
	u32 flags = cell__branch(c)->flags;
	const char *text = flags & BRANCH_PREDICTED ? "N" : flags & BRANCH_MISPREDICTED ? "Y" : "N/A";

	strbuf__addf(c->sb, "%-*.*s", c->width, c->width, text);
}

static void cell__add_in_tx(const struct cell *c)
{
	strbuf__addf(c->sb, "%-*s", c->width, cell__branch(c)->flags & BRANCH_IN_TX ? "T" : ".");
}

static void cell__add_abort(const struct cell *c)
{
	strbuf__addf(c->sb, "%-*s", c->width, cell__branch(c)->flags & BRANCH_ABORT ? "A" : ".");
}

static void cell__add_cycles(const struct cell *c)
{
	u32 cycles = cell__branch(c)->flags >> BRANCH_CYCLES_SHIFT & 0xffff;

	if (cycles)
		strbuf__addf(c->sb, "%-*u", c->width, cycles);
	else
		strbuf__addf(c->sb, "%-*s", c->width, "-");
}

static void cell__add_source(const struct cell *c, u32 text)
{
	add_text(c->s, c->sb, places__text(&c->v->places, text), 0, c->width);
}

static void cell__add_srcline(const struct cell *c)
{
	cell__add_source(c, places__get(&c->v->places, c->e->place)->line);
}

static void cell__add_srcfile(const struct cell *c)
{
	cell__add_source(c, places__get(&c->v->places, c->e->place)->file);
}

static void cell__add_srcline_from(const struct cell *c)
{
	cell__add_source(c, places__get(&c->v->places, cell__branch(c)->from.place)->line);
}

static void cell__add_srcline_to(const struct cell *c)
{
	cell__add_source(c, places__get(&c->v->places, cell__branch(c)->to.place)->line);
}

static void cell__add_cpu(const struct cell *c)
{
	strbuf__addf(c->sb, "%*.*d", c->width, c->width, (int)c->e->cpu);
}

static void cell__add_share(const struct cell *c, u64 period, u32 member)
{
	stdio__add_percent(c->s, c->sb, percent_of(period, hists__total(c->v, c->h, member)), " ",
			   c->s->opts.separator ? 0 : MAX(c->width - 2, 0));
}

static void cell__add_overhead(const struct cell *c)
{
	for (u32 m = 0; m < c->h->nr_members; m++)
		cell__add_share(c, c->e->stats[m].period, m);
}

static void cell__add_overhead_children(const struct cell *c)
{
	if (!c->v->opts.children) {
		strbuf__addf(c->sb, " %*s", c->s->opts.separator ? 0 : MAX(c->width - 1, 0), "N/A");
		return;
	}
	for (u32 m = 0; m < c->h->nr_members; m++)
		cell__add_share(c, c->e->stats[m].period_children, m);
}

static void cell__add_number(const struct cell *c, u64 number)
{
	strbuf__addf(c->sb, " %*llu", c->s->opts.separator ? 0 : c->width - 1, (unsigned long long)number);
}

static void cell__add_samples(const struct cell *c)
{
	for (u32 m = 0; m < c->h->nr_members; m++)
		cell__add_number(c, c->e->stats[m].nr);
}

static void cell__add_period(const struct cell *c)
{
	for (u32 m = 0; m < c->h->nr_members; m++)
		cell__add_number(c, c->e->stats[m].period);
}

static void cell__add_trace(const struct cell *c)
{
	add_text(c->s, c->sb, traces__text(&c->v->traces, c->e->trace), 0, c->width);
}

/* To the right, as numbers. */
static void cell__add_trace_field(const struct cell *c, const struct trace_key *key)
{
	const struct trace_value *value = traces__value(&c->v->traces, key, c->e->trace);
	const char *text = value ? traces__str(&c->v->traces, value->text) : "";
	int len = (int)MIN(strlen(text), (size_t)c->width);

	strbuf__addchars(c->sb, ' ', (size_t)(c->width - len));
	add_text(c->s, c->sb, text, 0, c->width);
}

static void (*const cells[COLUMN_NR_IDS])(const struct cell *c) = {
	[COLUMN_PID] = cell__add_tid,
	[COLUMN_COMM] = cell__add_comm,
	[COLUMN_DSO] = cell__add_dso,
	[COLUMN_SYMBOL] = cell__add_symbol,
	[COLUMN_CPU] = cell__add_cpu,
	[COLUMN_OVERHEAD] = cell__add_overhead,
	[COLUMN_OVERHEAD_CHILDREN] = cell__add_overhead_children,
	[COLUMN_SAMPLE] = cell__add_samples,
	[COLUMN_PERIOD] = cell__add_period,
	[COLUMN_TID] = cell__add_tid,
	[COLUMN_DSO_FROM] = cell__add_dso_from,
	[COLUMN_DSO_TO] = cell__add_dso_to,
	[COLUMN_SYMBOL_FROM] = cell__add_symbol_from,
	[COLUMN_SYMBOL_TO] = cell__add_symbol_to,
	[COLUMN_MISPREDICT] = cell__add_mispredict,
	[COLUMN_ABORT] = cell__add_abort,
	[COLUMN_IN_TX] = cell__add_in_tx,
	[COLUMN_CYCLES] = cell__add_cycles,
	[COLUMN_TRACE] = cell__add_trace,
	[COLUMN_SRCLINE] = cell__add_srcline,
	[COLUMN_SRCFILE] = cell__add_srcfile,
	[COLUMN_SRCLINE_FROM] = cell__add_srcline_from,
	[COLUMN_SRCLINE_TO] = cell__add_srcline_to,
};

/* Of the whole column for keys, of one member's value for values. */
static unsigned field__width(const struct hists *h, const struct layout_field *f, size_t field)
{
	if (f->user_width)
		return f->user_width;
	return column__is_key(f->column) ? h->widths[field] : f->column->width;
}

unsigned stdio_column__width(const struct stdio_ui *s, const struct hists *h, const struct view *v,
			     size_t field)
{
	const struct layout_field *f = &v->opts.layout->fields.v[field];
	unsigned width = field__width(h, f, field);

	(void)s;
	if (column__is_key(f->column))
		return width;
	width = MAX(width, (unsigned)strlen(f->header));
	return h->nr_members > 1 ? MAX(width, h->nr_members * f->column->width) : width;
}

void stdio_column__add(const struct stdio_ui *s, struct view *v, const struct hists *h,
		       const struct hist_entry *e, size_t field, struct strbuf *sb)
{
	const struct layout_field *f = &v->opts.layout->fields.v[field];
	struct cell c = { .s = s, .v = v, .h = h, .e = e, .width = (int)field__width(h, f, field), .sb = sb };

	if (f->column->trace)
		cell__add_trace_field(&c, f->column->trace);
	else
		cells[f->column - columns](&c);
}
