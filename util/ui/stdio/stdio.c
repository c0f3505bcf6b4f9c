#include "ui/stdio/stdio_private.h"

#include "base/text/fit.h"

#include "ui/notes/completeness.h"
#include "ui/notes/missing_symbols.h"

#include <linux/perf_event.h>
#include <string.h>

enum { WRITTEN_AT_ONCE = 64 << 10 }; /* bytes of entries */

static const char *field_gap(const struct stdio_ui *s)
{
	return s->opts.style.separator ? s->opts.style.separator : "  ";
}

static void stdio_ui__flush(struct stdio_ui *s)
{
	fwrite(s->line.buf, 1, s->line.len, s->opts.out);
	strbuf__reset(&s->line);
}

/* The lines are comments. On a terminal, break those that are too long, and leave out empty ones. */
static void stdio_ui__fit_comments(struct stdio_ui *s)
{
	struct strbuf text = s->line;

	if (!s->opts.columns)
		return;
	s->line = (struct strbuf)STRBUF_INIT;
	for (char *next = text.buf, *line; (line = strsep(&next, "\n")) && next;) {
		if (!strcmp(line, "#"))
			continue;
		fit__wrap(&s->line, line, "#   ", s->opts.columns);
		strbuf__addch(&s->line, '\n');
	}
	strbuf__exit(&text);
}

/* ---- above the entries ---- */

/* Append the number with its unit: "952 ", "3K", "1M", as stock perf does. */
static void add_nr_samples(struct strbuf *sb, u64 nr)
{
	static const char units[] = " KMG";
	unsigned i = 0;

	for (; nr > 1000 && i < sizeof(units) - 2; i++)
		nr /= 1000;
	strbuf__addf(sb, "%llu%c", (unsigned long long)nr, units[i]);
}

/* Append the event's name; for a group, with the names of its members. */
static void add_event_name(struct strbuf *sb, const struct view *v, const struct hists *h)
{
	const struct evlist *l = &v->profile->session->reader->evlist;
	bool recorded = h->evsel->nr_members > 1; /* otherwise only shown as a group */
	const char *gap = "";

	if (h->nr_members == 1 && !h->is_of_times) {
		strbuf__add_masked(sb, h->evsel->name);
		return;
	}
	if (recorded) {
		strbuf__add_masked(sb, h->evsel->group_name ? h->evsel->group_name : "anon group");
		strbuf__addstr(sb, " { ");
	}
	for (size_t i = 0; i < l->evsels.nr; i++) {
		if (v->hists_of_event[i] != h->idx)
			continue;
		strbuf__addstr(sb, gap);
		strbuf__add_masked(sb, l->evsels.v[i]->name);
		gap = ", ";
	}
	strbuf__addstr(sb, recorded ? " }" : "");
}

static bool has_member_without_chains(const struct view *v, const struct hists *h)
{
	const struct evlist *l = &v->profile->session->reader->evlist;

	for (size_t i = 0; i < l->evsels.nr; i++)
		if (v->hists_of_event[i] == h->idx &&
		    !(l->evsels.v[i]->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
			return true;
	return false;
}

static void stdio__add_event(struct stdio_ui *s, const struct view *v, const struct hists *h)
{
	const struct hist_stat *stats = v->opts.relative ? h->shown : h->totals;
	const char *order = v->opts.layout->sort_order;
	u64 nr = 0, period = 0;

	for (u32 m = 0; m < h->nr_members; m++) {
		nr += stats[m].nr;
		period += stats[m].period;
	}
	strbuf__addstr(&s->line, "# Samples: ");
	add_nr_samples(&s->line, nr);
	strbuf__addf(&s->line, " of event%s '", h->nr_members > 1 || h->is_of_times ? "s" : "");
	add_event_name(&s->line, v, h);
	strbuf__addstr(&s->line, "'");
	if (v->opts.last_chains && has_member_without_chains(v, h))
		strbuf__addstr(&s->line, ", show reference callgraph");
	if (s->opts.time_text)
		strbuf__addf(&s->line, " (time slices: %s)", s->opts.time_text);
	strbuf__addch(&s->line, '\n');
	stdio_times__add_spans(&s->line, v);
	if (h->is_of_times)
		stdio_times__add(&s->line, v, &stats[0], &s->opts.style);
	else if (v->opts.mem_mode)
		strbuf__addf(&s->line, "# Total weight : %llu\n# Sort order   : %s\n",
			     (unsigned long long)period, order ? order : default_mem_sort);
	else if (!s->opts.columns)
		strbuf__addf(&s->line, "# Event count (approx.): %llu\n",
			     (unsigned long long)(v->opts.blocks ? nr : period));
	if (v->opts.socket)
		strbuf__addf(&s->line, "# Processor Socket: %d\n", *v->opts.socket);
	strbuf__addstr(&s->line, "#\n");
	stdio_ui__fit_comments(s);
	stdio_ui__flush(s);
}

/* Return the width of the whole column for keys, of one group member's value for values. */
static unsigned value_width(const struct hists *h, const struct layout_field *f, size_t field)
{
	if (f->user_width)
		return f->user_width;
	return column__is_key(f->column) ? h->widths[field] : f->column->width;
}

/* Return the width of the header and the dots. */
static unsigned column_width(const struct stdio_ui *s, const struct hists *h, const struct layout_field *f,
			     size_t field)
{
	unsigned width = value_width(h, f, field);

	if (s->opts.columns)
		return s->widths.v[field];
	if (column__is_key(f->column))
		return width;
	if (f->column->nr_parts)
		return stdio__value_width(h, f, field);
	width = MAX(width, (unsigned)strlen(f->header));
	return h->nr_members > 1 ? MAX(width, h->nr_members * f->column->width) : width;
}

/* Return the width of a column, or 0 if it is not shown. */
static unsigned shown_width(const struct stdio_ui *s, const struct view *v, const struct hists *h,
			    size_t field)
{
	const struct layout_field *f = &v->opts.layout->fields.v[field];

	return stdio__shows_field(s, v, h, field) ? column_width(s, h, f, field) : 0;
}

void stdio_screen__add_headers(struct stdio_ui *s, const struct view *v, const struct hists *h)
{
	const char *gap = "  ";

	for (size_t i = 0; i < v->opts.layout->fields.nr; i++) {
		unsigned width = shown_width(s, v, h, i);

		if (!width)
			continue;
		strbuf__addstr(&s->line, gap);
		stdio__add_header(s, v, h, i, width);
	}
}

static void stdio__add_headers(struct stdio_ui *s, const struct view *v, const struct hists *h)
{
	const struct layout *l = v->opts.layout;
	const char *gap = "# ";

	stdio__add_upper_headers(s, v, h, 0, shown_width);
	for (size_t i = 0; i < l->fields.nr; i++) {
		if (!stdio__shows_field(s, v, h, i))
			continue;
		strbuf__addstr(&s->line, gap);
		stdio__add_header(s, v, h, i, column_width(s, h, &l->fields.v[i], i));
		gap = field_gap(s);
	}
	strbuf__addch(&s->line, '\n');
	if (s->opts.style.separator)
		return;
	gap = "# ";
	for (size_t i = 0; i < l->fields.nr; i++) {
		if (!stdio__shows_field(s, v, h, i))
			continue;
		strbuf__addstr(&s->line, gap);
		strbuf__addchars(&s->line, '.', column_width(s, h, &l->fields.v[i], i));
		gap = "  ";
	}
	strbuf__addstr(&s->line, s->opts.columns ? "\n" : "\n#\n");
}

static bool layout__shows(const struct layout *l, const char *filter_name)
{
	for (size_t i = 0; i < l->fields.nr; i++) {
		const char *name = l->fields.v[i].column->filter_name;

		if (name && !strcmp(name, filter_name))
			return true;
	}
	return false;
}

/* Mask the name: a script may have taken it from a recording. */
static void stdio__add_filter(struct stdio_ui *s, const char *column, const char *name)
{
	strbuf__addf(&s->line, "# %s: ", column);
	strbuf__add_masked(&s->line, name);
	strbuf__addch(&s->line, '\n');
}

/* Add a line for each column that --comms, --dsos or --symbols with a single name makes redundant. */
static void stdio__add_single_filters(struct stdio_ui *s, const struct view *v)
{
	static const char *const keys[] = { "dso", "comm", "symbol" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *name = sample_filter__only(&v->opts.filter, keys[i]);

		if (name && layout__shows(v->opts.layout, keys[i]))
			stdio__add_filter(s, keys[i], name);
	}
}

static const char hint[] =
	"# To display the perf.data header info, please use --header/--header-only options.\n#\n";

void stdio__print_hint(FILE *out)
{
	fputs(hint, out);
}

static void stdio__begin(struct report_ui *ui, struct view *v)
{
	struct stdio_ui *s = container_of(ui, struct stdio_ui, ui);
	const struct lost_records *lost = &v->profile->session->stats.lost;

	if (s->opts.quiet)
		return;
	strbuf__addstr(&s->line, s->opts.header ? s->opts.header : s->opts.columns ? "" : hint);
	stdio__add_single_filters(s, v);
	/* As stock perf: losses known from LOST records alone are reported at the end. */
	if (!s->opts.columns)
		strbuf__addf(&s->line, "#\n# Total Lost Samples: %llu\n#\n",
			     (unsigned long long)(lost->at_end + lost->in_hardware));
	stdio_ui__fit_comments(s);
	stdio_ui__flush(s);
}

static void stdio__event_begin(struct report_ui *ui, struct view *v, const struct hists *h)
{
	struct stdio_ui *s = container_of(ui, struct stdio_ui, ui);

	s->value = !h->is_of_times               ? s->opts.value
		   : v->opts.waits.times->on_cpu ? GRAPH_VALUE_TIMES
						 : GRAPH_VALUE_WAITING;
	if (s->opts.columns && !v->opts.hierarchy)
		stdio_screen__fit(s, v, h);
	if (s->opts.quiet)
		return;
	stdio__add_event(s, v, h);
	if (v->opts.hierarchy)
		stdio_hierarchy__add_headers(s, v, h);
	else
		stdio__add_headers(s, v, h);
	stdio_ui__flush(s);
}

static void stdio__add_row(struct stdio_ui *s, struct view *v, const struct hists *h,
			   const struct hist_entry *e)
{
	const struct layout *l = v->opts.layout;
	bool first = true;

	for (size_t i = 0; i < l->fields.nr; i++) {
		const struct layout_field *f = &l->fields.v[i];
		size_t start, width = column_width(s, h, f, i);
		struct cell cell = { .column = f->column,
				     .v = v,
				     .h = h,
				     .e = e,
				     .width = (int)value_width(h, f, i),
				     .style = &s->opts.style,
				     .sb = &s->line };

		if (f->elided || !h->has_field[i])
			continue;
		if (!first || !s->opts.style.separator)
			strbuf__addstr(&s->line, field_gap(s));
		first = false;
		start = s->line.len;
		f->column->print(&cell);
		if (i + 1 < l->fields.nr && s->line.len - start < width)
			strbuf__addchars(&s->line, ' ', width - (s->line.len - start));
	}
	strbuf__addch(&s->line, '\n');
}

static void stdio__entry(struct report_ui *ui, struct view *v, const struct hists *h,
			 const struct hist_entry *e)
{
	struct stdio_ui *s = container_of(ui, struct stdio_ui, ui);

	if (v->opts.hierarchy)
		stdio_hierarchy__add_row(s, v, h, e);
	else if (s->opts.columns)
		stdio_screen__add_row(s, v, h, e);
	else
		stdio__add_row(s, v, h, e);
	if (v->opts.graph != GRAPH_NONE && !s->opts.one_tree)
		stdio_graph__add(s, v, h, e, &s->line);
	if (s->line.len >= WRITTEN_AT_ONCE)
		stdio_ui__flush(s);
}

static void stdio__event_end(struct report_ui *ui, struct view *v, const struct hists *h)
{
	struct stdio_ui *s = container_of(ui, struct stdio_ui, ui);

	stdio_ui__flush(s);
	if (s->opts.columns)
		stdio_screen__end_event(s, v, h);
	else
		strbuf__addstr(&s->line, "\n\n");
	stdio_ui__flush(s);
}

/* ---- after the entries: warnings ---- */

static void add_number(struct strbuf *sb, const char *before, u64 nr, const char *behind)
{
	strbuf__addf(sb, "%s%llu%s", before, (unsigned long long)nr, behind);
}

/* Were nearly all chains unwound to their end? */
static bool are_complete(const struct unwind_stats *u)
{
	u64 all;

	return unwind_stats__incomplete(u, &all) * 100 <= all;
}

static void add_comments(struct strbuf *text, struct strbuf *sb)
{
	for (char *next = text->buf, *line; (line = strsep(&next, "\n"));)
		if (*line)
			strbuf__addf(sb, "# %s\n", line);
}

static void tell_chains(const struct unwind_stats *unwinding, struct strbuf *sb)
{
	struct strbuf text = STRBUF_INIT, names = STRBUF_INIT;

	if (unwinding->nr || unwinding->no_copy) {
		unwind_stats__summary(unwinding, &text);
		strbuf__addch(&text, '\n');
		unwind_stats__add_causes(unwinding, NULL, &text);
		unwind_stats__add_nameless(unwinding, &text, &names);
		if (names.len)
			strbuf__addf(&text, "Names of functions are missing, of all samples:\n%s", names.buf);
	} else {
		unwind_stats__tell_mode(unwinding, &text);
	}
	add_comments(&text, sb);
	if (text.len)
		strbuf__addstr(sb, "#\n");
	strbuf__exit(&text);
	strbuf__exit(&names);
}

static void add_losses(const struct losses *l, struct strbuf *sb)
{
	struct strbuf text = STRBUF_INIT;

	losses__tell(l, &text);
	add_comments(&text, sb);
	strbuf__exit(&text);
}

/* Append the lines after the last table. */
static void stdio__add_end(struct stdio_ui *s, struct view *v)
{
	const struct profile *p = v->profile;
	struct completeness c = completeness__of(p);
	struct strbuf *sb = &s->line;

	if (s->opts.quiet)
		return;
	add_losses(&p->session->losses, sb);
	add_number(sb, "#\n# Completeness: lost ", c.lost_records, " records");
	add_number(sb, " and ", c.lost_samples, " samples; ");
	strbuf__addstr(sb, c.end);
	if (c.malformed)
		add_number(sb, "; ", c.malformed, " malformed records");
	if (c.unknown_event)
		add_number(sb, "; ", c.unknown_event, " samples of unknown events");
	missing_symbols__add_summary(v, sb);
	strbuf__addstr(sb, "\n#\n");
	if (v->opts.graph != GRAPH_NONE && !(s->opts.columns && are_complete(&p->unwinding)))
		tell_chains(&p->unwinding, sb);
	if (s->opts.columns)
		stdio_screen__add_advice(s, v);
	stdio_ui__fit_comments(s);
}

static void stdio__end(struct report_ui *ui, struct view *v)
{
	struct stdio_ui *s = container_of(ui, struct stdio_ui, ui);

	stdio__add_end(s, v);
	stdio_ui__flush(s);
}

size_t stdio__nr_lines_at_end(struct stdio_ui *s, struct view *v)
{
	size_t nr = 0;

	stdio__add_end(s, v);
	for (size_t i = 0; i < s->line.len; i++)
		nr += s->line.buf[i] == '\n';
	strbuf__reset(&s->line);
	return nr;
}

void stdio_ui__init(struct stdio_ui *s, const struct stdio_opts *opts)
{
	*s = (struct stdio_ui){
		.ui = { .begin = stdio__begin,
			.event_begin = stdio__event_begin,
			.entry = stdio__entry,
			.event_end = stdio__event_end,
			.end = stdio__end },
		.opts = *opts,
		.line = STRBUF_INIT,
		.cell = STRBUF_INIT,
	};
}

void stdio_ui__exit(struct stdio_ui *s)
{
	strbuf__exit(&s->line);
	strbuf__exit(&s->cell);
	array__exit(&s->widths);
	array__exit(&s->dropped);
	call_trees__exit(&s->trees);
}
