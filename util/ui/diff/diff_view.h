/* The default view of perf diff: what changed, as text or as JSON. */
#ifndef UI_DIFF_VIEW_H
#define UI_DIFF_VIEW_H

#include "profile/compare/comparison.h"
#include "profile/keys/column.h"

#include <stdio.h>

enum { DIFF_JSON_VERSION = 1 };

/*
 * Columns of a row: old and new cost, the plain change where all functions share one, change, interval,
 * verdict; the function is last.
 */
enum { DIFF_COST = 9, DIFF_CHANGE = 8, DIFF_INTERVAL = 17, DIFF_VERDICT = 11 };
enum { DIFF_VERDICT_AT = 2 * (DIFF_COST + 1) + DIFF_CHANGE + 1 + DIFF_INTERVAL + 2 };

struct diff_view_opts {
	bool quiet;       /* only rows */
	unsigned columns; /* of the terminal; 0: as wide as needed */
	bool of_totals;   /* rows: what functions cost with all that they call */
	struct cell_style style;
};

/* Return the column at which the verdict begins. */
unsigned diff_view__verdict_at(const struct comparison *c);
/* Append the names of the columns, or the columns of a row, without the end of the line. */
void diff_view__add_headers(struct strbuf *line, const struct comparison *c, const struct diff_view_opts *o);
void diff_view__add_row(struct strbuf *line, const struct comparison *c, const struct compared *row,
			const struct diff_view_opts *o);
void diff_view__print(const struct comparison *c, const struct diff_view_opts *o, FILE *out);
/*
 * Print a line "outermost;...;innermost OLD NEW" for each stack, with costs for a unit of work, as
 * flamegraph.pl and inferno take differences. The comparison must have kept stacks.
 */
void diff_view__print_folded(const struct comparison *c, FILE *out);
/* Print the comparison as JSON; Documentation/diff-schema.json describes it. */
void diff_view__print_json(const struct comparison *c, FILE *out);

#endif
