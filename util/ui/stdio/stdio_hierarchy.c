/* --hierarchy as text: each level is indented, and shows the values and its own keys only. */
#include "base/text/fit.h"
#include "ui/stdio/stdio_private.h"

#include <string.h>

enum { INDENT = 3 }; /* columns of a level */

static bool is_shown(const struct view *v, const struct hists *h, size_t field)
{
	return !v->opts.layout->fields.v[field].elided && h->has_field[field];
}

static bool is_value(const struct view *v, size_t field)
{
	return !column__is_key(v->opts.layout->fields.v[field].column);
}

/* Return the width of the columns of values, with the gaps between them. */
static unsigned values_width(const struct view *v, const struct hists *h)
{
	const struct layout *l = v->opts.layout;
	unsigned width = 0;

	for (size_t i = 0; i < l->fields.nr; i++)
		if (is_shown(v, h, i) && is_value(v, i))
			width += (width ? 2 : 0) + stdio__value_width(h, &l->fields.v[i], i);
	return width;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " ");
}

/* Append the headers of the keys: "Command / Shared Object+Symbol". Return the width of the column. */
static unsigned add_keys(struct strbuf *sb, const struct view *v, const struct hists *h)
{
	const struct layout *l = v->opts.layout;
	size_t start = sb->len, begin, end;
	unsigned most = 0;

	for (u32 depth = 0; hists__level(h, v, depth, &begin, &end); depth++) {
		unsigned width = depth * INDENT;

		strbuf__addstr(sb, depth ? " / " : "");
		for (size_t i = begin; i < end; i++) {
			if (!is_shown(v, h, i) || is_value(v, i))
				continue;
			width += (i > begin) + h->widths[i]; /* a blank less than in rows, as in stock perf */
			strbuf__addstr(sb, i > begin ? "+" : "");
			strbuf__add_masked(sb, skip_blanks(l->fields.v[i].header));
		}
		most = MAX(most, width);
	}
	return MAX(most, (unsigned)(sb->len - start));
}

/* Return the width of a column of values, or 0. */
static unsigned value_width(const struct stdio_ui *s, const struct view *v, const struct hists *h,
			    size_t field)
{
	(void)s;
	return is_shown(v, h, field) && is_value(v, field)
		       ? stdio__value_width(h, &v->opts.layout->fields.v[field], field)
		       : 0;
}

void stdio_hierarchy__add_headers(struct stdio_ui *s, struct view *v, const struct hists *h)
{
	const struct layout *l = v->opts.layout;
	const char *sep = s->opts.style.separator, *gap = "# ";
	unsigned indent = sep ? 0 : (MAX(hists__nr_levels(h, v), 1u) - 1) * INDENT, width;

	stdio__add_upper_headers(s, v, h, indent, value_width);
	for (size_t i = 0; i < l->fields.nr; i++) {
		if (!is_shown(v, h, i) || !is_value(v, i))
			continue;
		strbuf__addstr(&s->line, gap);
		strbuf__addchars(&s->line, ' ', indent);
		stdio__add_header(s, v, h, i, stdio__value_width(h, &l->fields.v[i], i));
		indent = 0;
		gap = sep ? sep : "  ";
	}
	strbuf__addstr(&s->line, gap);
	width = add_keys(&s->line, v, h);
	strbuf__addch(&s->line, '\n');
	if (sep)
		return;
	indent = (MAX(hists__nr_levels(h, v), 1u) - 1) * INDENT;
	strbuf__addstr(&s->line, "# ");
	strbuf__addchars(&s->line, '.', values_width(v, h) + indent);
	strbuf__addstr(&s->line, "  ");
	if (s->opts.columns)
		width = MIN(width, s->opts.columns - MIN(s->opts.columns, values_width(v, h) + indent + 4));
	strbuf__addchars(&s->line, '.', width);
	strbuf__addstr(&s->line, s->opts.columns ? "\n" : "\n#\n");
}

/* Set s->cell to the entry's text in a field. */
static void make_cell(struct stdio_ui *s, struct view *v, const struct hists *h, const struct hist_entry *e,
		      size_t field)
{
	const struct column *c = v->opts.layout->fields.v[field].column;
	struct cell cell = { .column = c,
			     .v = v,
			     .h = h,
			     .e = e,
			     .width = (int)(column__is_key(c) ? h->widths[field] : c->width),
			     .style = &s->opts.style,
			     .sb = &s->cell };

	strbuf__reset(&s->cell);
	c->print(&cell);
}

static void add_values(struct stdio_ui *s, struct view *v, const struct hists *h, const struct hist_entry *e)
{
	const struct layout *l = v->opts.layout;
	const char *sep = s->opts.style.separator;
	bool first = true;

	for (size_t i = 0; i < l->fields.nr; i++) {
		size_t width = stdio__value_width(h, &l->fields.v[i], i);

		if (!is_shown(v, h, i) || !is_value(v, i))
			continue;
		make_cell(s, v, h, e, i);
		strbuf__addstr(&s->line, !sep ? "  " : first ? "" : sep);
		strbuf__addstr(&s->line, s->cell.buf);
		if (!sep && fit__columns(s->cell.buf, s->cell.len) < width)
			strbuf__addchars(&s->line, ' ', width - fit__columns(s->cell.buf, s->cell.len));
		first = false;
	}
}

/* Append the keys of the entry's level; on a terminal, in the rest of the line. */
static void add_key_cells(struct stdio_ui *s, struct view *v, const struct hists *h,
			  const struct hist_entry *e, size_t line)
{
	struct strbuf keys = STRBUF_INIT;
	size_t begin, end;

	hists__level(h, v, e->depth, &begin, &end);
	for (size_t i = begin; i < end; i++) {
		if (!is_shown(v, h, i) || is_value(v, i))
			continue;
		make_cell(s, v, h, e, i);
		strbuf__addstr(&keys, i > begin ? "  " : "");
		if (i + 1 < end && s->cell.len < h->widths[i])
			strbuf__addchars(&s->cell, ' ', h->widths[i] - s->cell.len);
		strbuf__addstr(&keys, skip_blanks(s->cell.buf));
	}
	while (keys.len && keys.buf[keys.len - 1] == ' ')
		strbuf__setlen(&keys, keys.len - 1);
	if (s->opts.columns && s->opts.style.fold_names) {
		unsigned taken = fit__columns(s->line.buf + line, s->line.len - line);
		const char *text = skip_blanks(keys.buf);

		fit__shorten(&s->line, text, strlen(text),
			     MAX(s->opts.columns - MIN(s->opts.columns, taken), 10u));
	} else {
		strbuf__addstr(&s->line, skip_blanks(keys.buf));
	}
	strbuf__addch(&s->line, '\n');
	strbuf__exit(&keys);
}

void stdio_hierarchy__add_row(struct stdio_ui *s, struct view *v, const struct hists *h,
			      const struct hist_entry *e)
{
	const char *sep = s->opts.style.separator;
	unsigned indent = (MAX(hists__nr_levels(h, v), 1u) - 1) * INDENT;
	size_t line = s->line.len;

	strbuf__addchars(&s->line, ' ', e->depth * INDENT);
	add_values(s, v, h, e);
	if (sep)
		strbuf__addstr(&s->line, sep);
	else
		strbuf__addchars(&s->line, ' ', 2 + indent);
	add_key_cells(s, v, h, e, line);
	if (!e->below || s->opts.columns || report_ui__reaches(&s->ui, v, e->below))
		return;
	strbuf__addchars(&s->line, ' ', (e->depth + 1) * INDENT + 2 + values_width(v, h) + 2 + indent);
	strbuf__addf(&s->line, "no entry >= %.2f%%\n", s->ui.rest.percent_limit);
}
