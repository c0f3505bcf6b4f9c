/* The lines above the rows of a table: names of columns, and of the parts of those that are divided. */
#include "base/text/fit.h"
#include "format/records/sample_field.h"
#include "ui/stdio/stdio_private.h"

#include <string.h>

unsigned stdio__value_width(const struct hists *h, const struct layout_field *f, size_t field)
{
	if (f->column->nr_parts)
		return h->nr_members * h->widths[field];
	return MAX((unsigned)strlen(f->header), h->nr_members * f->column->width);
}

/* Append the names of parts, those of each member. With -t each is a column, and so has a whole name. */
static void add_part_names(const struct stdio_ui *s, struct strbuf *sb, const struct view *v,
			   const struct hists *h, const struct layout_field *f)
{
	const char *sep = s->opts.style.separator, *gap = "";
	struct strbuf name = STRBUF_INIT;

	for (u32 i = 0; i < h->nr_members * f->column->nr_parts; i++) {
		u32 part = i % f->column->nr_parts;

		if (!hists__has_part(h, v, f->column, part))
			continue;
		strbuf__reset(&name);
		sample_field__print(f->column->field, part, &name);
		if (sep)
			strbuf__addf(sb, "%s%s %s", gap, f->header, name.buf);
		else
			strbuf__addf(sb, " %6s", name.buf);
		gap = sep;
	}
	strbuf__exit(&name);
}

/*
 * Keys are left-aligned; values and fields of tracepoints are right-aligned. Field names are masked: they
 * come from a file.
 */
void stdio__add_header(struct stdio_ui *s, const struct view *v, const struct hists *h, size_t field,
		       unsigned width)
{
	const struct layout_field *f = &v->opts.layout->fields.v[field];
	struct strbuf *sb = &s->line;
	size_t len = strlen(f->header);

	if (f->column->nr_parts) {
		add_part_names(s, sb, v, h, f);
		return;
	}
	if (column__is_key(f->column) && !f->column->right_aligned) {
		strbuf__addf(sb, "%-*.*s", (int)width, (int)width, f->header);
		return;
	}
	if (len < width)
		strbuf__addchars(sb, ' ', width - len);
	if (s->opts.columns && len > width)
		fit__shorten(sb, f->header, len, width);
	else
		strbuf__add_masked(sb, f->header);
}

/* Append the text in the middle of a line of dashes, if there is room for one. */
static void add_between_dashes(struct strbuf *sb, const char *text, unsigned width)
{
	unsigned len = (unsigned)strlen(text), dashes = width - len - 2;

	if (width < len + 3) {
		strbuf__addf(sb, "%*s", (int)width, text);
		return;
	}
	strbuf__addchars(sb, '-', dashes / 2);
	strbuf__addf(sb, " %s ", text);
	strbuf__addchars(sb, '-', dashes - dashes / 2);
}

void stdio__add_upper_headers(struct stdio_ui *s, const struct view *v, const struct hists *h,
			      unsigned indent,
			      unsigned (*width_of)(const struct stdio_ui *s, const struct view *v,
						   const struct hists *h, size_t field))
{
	const struct layout *l = v->opts.layout;
	unsigned blanks = indent;
	bool any = false;

	for (size_t i = 0; i < l->fields.nr && l->nr_parts && !s->opts.style.separator; i++) {
		const struct layout_field *f = &l->fields.v[i];
		unsigned width = width_of(s, v, h, i);

		if (!width)
			continue;
		if (f->column->nr_parts) {
			strbuf__addstr(&s->line, any ? "" : "# ");
			strbuf__addchars(&s->line, ' ', blanks);
			add_between_dashes(&s->line, f->header, width);
			any = true;
			blanks = 0;
		} else {
			blanks += width;
		}
		blanks += 2;
	}
	if (any)
		strbuf__addch(&s->line, '\n');
}
