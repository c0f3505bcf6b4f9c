/* Shared by the files that print the report as text. */
#ifndef UI_STDIO_PRIVATE_H
#define UI_STDIO_PRIVATE_H

#include "ui/stdio/stdio.h"

/*
 * Append the call tree of an entry as stock perf draws it (stdio_graph.c), which is as wide as it is deep.
 */
void stdio_graph__add(struct stdio_ui *s, struct view *v, const struct hists *h, const struct hist_entry *e,
		      struct strbuf *out);
/*
 * Append a period or a number of samples as s->value says: "12.34%" of total, "123456" or "12", at least
 * width columns. In a time table nr is the part of period that threads waited.
 */
void stdio_graph__add_value(struct stdio_ui *s, struct strbuf *out, u64 period, u64 nr, u64 total, int width);
/* Append the name of a place: a function, with its line if frames are split by line, or an address. */
void stdio_graph__add_name(struct stdio_ui *s, struct view *v, struct strbuf *out, u32 place);

/* On a terminal (stdio_tree.c): append the call tree of an entry. */
void stdio_tree__add(struct stdio_ui *s, struct view *v, const struct hists *h, const struct hist_entry *e);
/* Append the call tree of all samples, in so many lines and three more. */
void stdio_tree__add_whole(struct stdio_ui *s, struct view *v, const struct hists *h, size_t nr_lines);

/* ---- stdio_headers.c: the lines above columns ---- */

/* Return the width of a column of values, of all members of a group. */
unsigned stdio__value_width(const struct hists *h, const struct layout_field *f, size_t field);
/* Append the header of a column, as wide as the column. width: the column's. */
void stdio__add_header(struct stdio_ui *s, const struct view *v, const struct hists *h, size_t field,
		       unsigned width);
/*
 * Append a line with what divided columns are about above their parts, if there are such columns. It begins
 * with indent more blanks. width: returns the width of a column, 0: it is not shown.
 */
void stdio__add_upper_headers(struct stdio_ui *s, const struct view *v, const struct hists *h,
			      unsigned indent,
			      unsigned (*width)(const struct stdio_ui *s, const struct view *v,
						const struct hists *h, size_t field));

/* stdio_times.c: append comments with the sums of a time table, and how times are computed. */
void stdio_times__add(struct strbuf *sb, const struct view *v, const struct hist_stat *total,
		      const struct cell_style *style);
/* Append which spans the table is of, if it is not of all time (--slower, --faster). */
void stdio_times__add_spans(struct strbuf *sb, const struct view *v);

/* ---- stdio_hierarchy.c ---- */

/* Append the lines above the rows of h. */
void stdio_hierarchy__add_headers(struct stdio_ui *s, struct view *v, const struct hists *h);

/* Return the number of lines below the tables. s->line must be empty, and is. */
size_t stdio__nr_lines_at_end(struct stdio_ui *s, struct view *v);

/* ---- stdio_screen.c: the rows, and what comes after them ---- */

/* Append a line that counts the rows below the limit, and the call tree of all samples. */
void stdio_screen__end_event(struct stdio_ui *s, struct view *v, const struct hists *h);
/* Append a line with the commands that show more. */
void stdio_screen__add_advice(struct stdio_ui *s, struct view *v);

#endif
