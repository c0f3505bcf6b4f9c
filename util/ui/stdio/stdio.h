/*
 * The report as text, as stock perf's --stdio prints it.
 */
#ifndef UI_STDIO_H
#define UI_STDIO_H

#include "ui/stdio/report_ui.h"

#include <stdio.h>

enum graph_value {
	GRAPH_VALUE_PERCENT,
	GRAPH_VALUE_PERIOD,
	GRAPH_VALUE_COUNT,
	/* of a time table: ms on the CPU and ms waiting; ms waiting */
	GRAPH_VALUE_TIMES,
	GRAPH_VALUE_WAITING,
};

struct stdio_opts {
	FILE *out;
	/*
	 * of the terminal that the text is made for; 0: a file or a pipe, with all that stock perf prints
	 */
	unsigned columns, lines;
	bool one_tree;       /* on a terminal: instead of a call tree below each row, one after them all */
	unsigned tree_lines; /* on a terminal: lines of a row's call tree; 0: all */
	bool quiet;          /* entries only */
	struct cell_style style;
	enum graph_value value;
	u32 print_limit;       /* branches per node; 0: all */
	const char *time_text; /* argument of --time, or NULL */
	const char *header;    /* text above everything (--header); NULL: a hint on how to get it */
};

struct stdio_ui {
	struct report_ui ui; /* the callbacks */
	struct stdio_opts opts;
	struct strbuf line, cell;
	/* by field of the layout; on a terminal only: widths, and columns that there is no room for */
	ARRAY(unsigned) widths;
	ARRAY(bool) dropped;
	enum graph_value value; /* of the current event's call trees */
	struct call_trees trees;
};

void stdio_ui__init(struct stdio_ui *s, const struct stdio_opts *opts);
void stdio_ui__exit(struct stdio_ui *s);

/*
 * Print a table for a terminal, with opts.columns. __fit chooses the widths of columns, so that the rows of h
 * that are shown fit; the others append rows, and the line of headers above them.
 */
void stdio_screen__fit(struct stdio_ui *s, struct view *v, const struct hists *h);
void stdio_screen__add_row(struct stdio_ui *s, struct view *v, const struct hists *h,
			   const struct hist_entry *e);
void stdio_screen__add_headers(struct stdio_ui *s, const struct view *v, const struct hists *h);

/* Is a field of the layout a column here? On a narrow terminal some are left out. */
bool stdio__shows_field(const struct stdio_ui *s, const struct view *v, const struct hists *h, size_t field);

/*
 * Append the row of an entry of a hierarchy and, if the entries below are too small to show, a line that says
 * so.
 */
void stdio_hierarchy__add_row(struct stdio_ui *s, struct view *v, const struct hists *h,
			      const struct hist_entry *e);

/*
 * Append how deep the recursion of a node's place is, if it was folded, and what is known of branches
 * there.
 */
void stdio_graph__add_notes(struct strbuf *out, const struct call_node *n, u32 i);

/* Print the hint on how to get the header. */
void stdio__print_hint(FILE *out);

/* --stats: stdio_stats.c; --tasks, --mmaps: stdio_tasks.c. */
void stdio__print_stats(const struct session *s, bool skip_empty, FILE *out);
int stdio__print_tasks(struct session *s, bool with_maps, FILE *out, struct err *err);

#endif
