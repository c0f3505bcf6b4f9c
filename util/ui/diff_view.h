/* The default view of perf diff: what changed, as text or as JSON. */
#ifndef UI_DIFF_VIEW_H
#define UI_DIFF_VIEW_H

#include "profile/compare/comparison.h"
#include "profile/keys/column.h"

#include <stdio.h>

enum { DIFF_JSON_VERSION = 1 };

struct diff_view_opts {
	bool quiet;       /* only rows */
	unsigned columns; /* of the terminal; 0: as wide as needed */
	struct cell_style style;
};

void diff_view__print(const struct comparison *c, const struct diff_view_opts *o, FILE *out);
/*
 * Print a line "outermost;...;innermost OLD NEW" for each stack, with costs for a unit of work, as
 * flamegraph.pl and inferno take differences. The comparison must have kept stacks.
 */
void diff_view__print_folded(const struct comparison *c, FILE *out);
/* Documentation/diff-schema.json describes it. */
void diff_view__print_json(const struct comparison *c, FILE *out);

#endif
