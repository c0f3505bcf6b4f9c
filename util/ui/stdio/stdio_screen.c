/* The report on a terminal: rows keep to its width, and rows that are too small to show are counted. */
#include "base/message/called_name.h"
#include "base/text/fit.h"
#include "ui/stdio/stdio_private.h"

#include <string.h>

enum {
	LEAST_WIDTH = 6, /* of a column that is made narrower */
	NAME_WIDTH = 24, /* of the column of functions, before others lose their headers */
	LEAST_NAME = 16, /* of it, before columns go */
};

bool stdio__shows_field(const struct stdio_ui *s, const struct view *v, const struct hists *h, size_t field)
{
	return !v->opts.layout->fields.v[field].elided && h->has_field[field] &&
	       !(field < s->dropped.nr && s->dropped.v[field]);
}

/* Set s->cell to the entry's text in a column, without padding at its end. */
static void screen__make_cell(struct stdio_ui *s, struct view *v, const struct hists *h,
			      const struct hist_entry *e, size_t field)
{
	const struct column *column = v->opts.layout->fields.v[field].column;
	bool is_key = column__is_key(column);
	struct cell cell = { .column = column,
			     .v = v,
			     .h = h,
			     .e = e,
			     .width = (int)(is_key ? h->widths[field] : column->width),
			     .style = &s->opts.style,
			     .sb = &s->cell };

	strbuf__reset(&s->cell);
	column->print(&cell);
	while (is_key && s->cell.len && s->cell.buf[s->cell.len - 1] == ' ')
		strbuf__setlen(&s->cell, s->cell.len - 1);
}

static const char *screen__cell(const struct stdio_ui *s, const struct column *c, size_t *len)
{
	size_t blanks = c->right_aligned ? strspn(s->cell.buf, " ") : 0;

	*len = s->cell.len - blanks;
	return s->cell.buf + blanks;
}

/* Return the column that stays widest: the functions, or else the last key. */
static size_t screen__name_field(const struct stdio_ui *s, const struct view *v, const struct hists *h)
{
	const struct layout *l = v->opts.layout;
	size_t name = l->fields.nr;

	for (size_t i = 0; i < l->fields.nr; i++) {
		if (!stdio__shows_field(s, v, h, i) || !column__is_key(l->fields.v[i].column))
			continue;
		name = i;
		if (!strcmp(l->fields.v[i].column->name, "symbol"))
			break;
	}
	return name;
}

/* Make the widest key besides that of names narrower by one column. Return false if all are that narrow. */
static bool screen__squeeze_others(struct stdio_ui *s, const struct view *v, const struct hists *h,
				   bool keep_headers)
{
	const struct layout *l = v->opts.layout;
	size_t name = screen__name_field(s, v, h), widest = l->fields.nr;

	for (size_t i = 0; i < l->fields.nr; i++) {
		const struct layout_field *f = &l->fields.v[i];

		if (i == name || !stdio__shows_field(s, v, h, i) || !column__is_key(f->column) ||
		    f->user_width || s->widths.v[i] <= (keep_headers ? strlen(f->header) : LEAST_WIDTH))
			continue;
		if (widest == l->fields.nr || s->widths.v[i] >= s->widths.v[widest])
			widest = i;
	}
	if (widest == l->fields.nr)
		return false;
	s->widths.v[widest]--;
	return true;
}

static bool screen__squeeze_name(struct stdio_ui *s, const struct view *v, const struct hists *h,
				 unsigned least)
{
	size_t name = screen__name_field(s, v, h);

	if (name == v->opts.layout->fields.nr || v->opts.layout->fields.v[name].user_width ||
	    s->widths.v[name] <= least)
		return false;
	s->widths.v[name]--;
	return true;
}

static unsigned screen__width(const struct stdio_ui *s, const struct view *v, const struct hists *h)
{
	unsigned width = 0;

	for (size_t i = 0; i < s->widths.nr; i++)
		width += stdio__shows_field(s, v, h, i) ? s->widths.v[i] + 2 : 0;
	return width;
}

static bool screen__is_wide(const struct stdio_ui *s, const struct view *v, const struct hists *h)
{
	return screen__width(s, v, h) > s->opts.columns;
}

/* Take a column away: other keys before values, the last of either stays. Return false if no more may go. */
static bool screen__drop(struct stdio_ui *s, const struct view *v, const struct hists *h)
{
	const struct layout *l = v->opts.layout;
	size_t name = screen__name_field(s, v, h), first = l->fields.nr, nr_values = 0;

	for (size_t i = 0; i < l->fields.nr; i++) {
		if (i == name || !stdio__shows_field(s, v, h, i))
			continue;
		if (column__is_key(l->fields.v[i].column)) {
			s->dropped.v[i] = true;
			return true;
		}
		first = MIN(first, i);
		nr_values++;
	}
	if (nr_values > 1)
		s->dropped.v[first] = true;
	return nr_values > 1;
}

/* Make the columns fit the terminal; the names stay widest. */
static void screen__squeeze(struct stdio_ui *s, const struct view *v, const struct hists *h)
{
	while (screen__is_wide(s, v, h) && screen__squeeze_others(s, v, h, true))
		;
	while (screen__is_wide(s, v, h) && screen__squeeze_name(s, v, h, NAME_WIDTH))
		;
	while (screen__is_wide(s, v, h) && screen__squeeze_others(s, v, h, false))
		;
	while (screen__is_wide(s, v, h) &&
	       (screen__squeeze_name(s, v, h, LEAST_NAME) || screen__drop(s, v, h) ||
		screen__squeeze_name(s, v, h, LEAST_WIDTH)))
		;
}

void stdio_screen__fit(struct stdio_ui *s, struct view *v, const struct hists *h)
{
	const struct layout *l = v->opts.layout;

	s->widths.nr = s->dropped.nr = 0;
	for (size_t i = 0; i < l->fields.nr; i++) {
		array__add(&s->widths,
			   MAX((unsigned)strlen(l->fields.v[i].header), l->fields.v[i].user_width));
		array__add(&s->dropped, false);
	}
	for (size_t k = 0; k < h->entries.nr; k++) {
		struct hist_entry *e = h->entries.v[k];

		for (size_t i = 0; report_ui__shows(&s->ui, v, h, k) && i < l->fields.nr; i++) {
			size_t len;
			const char *cell;

			if (!stdio__shows_field(s, v, h, i) || l->fields.v[i].user_width)
				continue;
			screen__make_cell(s, v, h, e, i);
			cell = screen__cell(s, l->fields.v[i].column, &len);
			s->widths.v[i] = MAX(s->widths.v[i], fit__columns(cell, len));
		}
	}
	if (s->opts.style.fold_names)
		screen__squeeze(s, v, h);
}

/* Append a cell. Where there is little room, names stay longer than the versions of binaries and marks. */
static void screen__add_cell(struct stdio_ui *s, const struct column *column, const char *cell, size_t len,
			     unsigned width)
{
	size_t mark = strlen(INLINED_MARK);

	if (!strncmp(column->name, "dso", strlen("dso"))) {
		fit__binary(&s->line, cell, len, width);
		return;
	}
	if (len > mark && fit__columns(cell, len) > width && !memcmp(cell + len - mark, INLINED_MARK, mark))
		len -= mark;
	fit__shorten(&s->line, cell, len, width);
}

void stdio_screen__add_row(struct stdio_ui *s, struct view *v, const struct hists *h,
			   const struct hist_entry *e)
{
	const struct layout *l = v->opts.layout;
	size_t blanks = 0;

	for (size_t i = 0; i < l->fields.nr; i++) {
		const struct column *column = l->fields.v[i].column;
		unsigned width = s->widths.v[i], taken;
		size_t len, start;
		const char *cell;

		if (!stdio__shows_field(s, v, h, i))
			continue;
		strbuf__addchars(&s->line, ' ', blanks + 2);
		screen__make_cell(s, v, h, e, i);
		cell = screen__cell(s, column, &len);
		taken = fit__columns(cell, len);
		if (column->trace && taken < width)
			strbuf__addchars(&s->line, ' ', width - taken);
		start = s->line.len;
		screen__add_cell(s, column, cell, len, MAX(width, column__is_key(column) ? 0 : taken));
		taken = fit__columns(s->line.buf + start, s->line.len - start);
		blanks = taken < width && !column->trace ? width - taken : 0;
	}
	strbuf__addch(&s->line, '\n');
}

static void screen__add_rest(struct stdio_ui *s)
{
	const struct report_ui_rest *rest = &s->ui.rest;

	if (!rest->nr)
		return;
	strbuf__addf(&s->line, "# and %llu row%s ", (unsigned long long)rest->nr, rest->nr == 1 ? "" : "s");
	if (rest->largest < rest->percent_limit)
		strbuf__addf(&s->line, "below %.3g%%", rest->percent_limit);
	else
		strbuf__addf(&s->line, "of at most %.2f%%", rest->largest);
	strbuf__addf(&s->line, ", %.1f%% together\n", rest->percent);
}

/* Return the lines for the tree: what one screen has left, or half a screen. */
static size_t screen__tree_lines(struct stdio_ui *s, struct view *v)
{
	enum { HEADER = 3, AROUND = 4, PROMPT = 1, LEAST = 4 }; /* AROUND: lines above and below the tree */
	size_t used = HEADER + s->ui.rest.nr_shown + (s->ui.rest.nr > 0) + AROUND + PROMPT;

	used += stdio__nr_lines_at_end(s, v);
	if (used + LEAST <= s->opts.lines)
		return MIN(s->opts.lines - used, s->opts.lines / 2);
	return MAX(s->opts.lines / 2, (unsigned)LEAST);
}

void stdio_screen__end_event(struct stdio_ui *s, struct view *v, const struct hists *h)
{
	size_t nr_lines = screen__tree_lines(s, v);

	screen__add_rest(s);
	if (v->opts.graph != GRAPH_NONE && s->opts.one_tree)
		stdio_tree__add_whole(s, v, h, nr_lines);
	strbuf__addstr(&s->line, "#\n");
}

/* ---- what to type next ---- */

/* May the word be part of a command to be pasted into a shell? Names come from files. */
static bool is_plain(const char *word)
{
	return *word && *word != '-' &&
	       !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:.@/+-")];
}

/* Return the name of the first row's function, or NULL if rows are not functions. */
static const char *first_function(struct stdio_ui *s, struct view *v)
{
	const struct hists *h =
		v->hists.nr && layout__sorts_by(v->opts.layout, "symbol") ? &v->hists.v[0] : NULL;

	for (size_t i = 0; h && i < h->entries.nr; i++)
		if (report_ui__shows(&s->ui, v, h, i) && places__get(&v->places, h->entries.v[i]->place)->sym)
			return places__name(&v->places, h->entries.v[i]->place);
	return NULL;
}

void stdio_screen__add_advice(struct stdio_ui *s, struct view *v)
{
	const char *path = v->profile->session->reader->path, *name = first_function(s, v);
	bool is_default = !strcmp(path, "perf.data"), has_chains = v->opts.graph != GRAPH_NONE;
	u64 recorded = evlist__sample_type_any(&v->profile->session->reader->evlist);

	if (!s->opts.one_tree || v->opts.branches)
		return;
	strbuf__addstr(&s->line, "# Next: "); /* lines are broken here, not within a command */
	if (!(recorded & PERF_SAMPLE_CALLCHAIN))
		strbuf__addf(&s->line, "%s record -g COMMAND (who calls what);\n#   ", called_name());
	strbuf__addf(&s->line, "%s report", called_name());
	if (!is_default)
		strbuf__addf(&s->line, " -i %s", is_plain(path) && strlen(path) <= 32 ? path : "FILE");
	if (has_chains)
		strbuf__addf(&s->line, " -g callee -S %s (callers);\n#  ",
			     name && is_plain(name) ? name : "NAME");
	strbuf__addf(&s->line, " -s srcline (lines); %s| less (everything)\n",
		     !has_chains ? "" : "-g (a tree for each row); ");
}
