/*
 * The table of stock perf's diff: what each recording has of a row, and how it differs from the first one.
 */
#ifndef UI_DIFF_STOCK_H
#define UI_DIFF_STOCK_H

#include "base/message/err.h"
#include "profile/side_by_side/side_by_side.h"

#include <stdio.h>

enum diff_method {                 /* -c */
		   DIFF_DELTA_ABS, /* difference of percentages, sorted by its absolute value */
		   DIFF_DELTA,
		   DIFF_RATIO,  /* of periods */
		   DIFF_WDIFF,  /* difference of periods, each times a weight */
		   DIFF_CYCLES, /* difference of the cycles of code between branches */
};

struct diff_stock_opts {
	enum diff_method method;
	s64 weights[2];           /* of wdiff: of the baseline, of the other recording */
	unsigned order;           /* sort by this recording's difference; 0: by the baseline */
	bool formula, period;     /* more columns: -F, -p */
	bool cycles_hist;         /* of DIFF_CYCLES: how far cycles vary */
	bool baseline_only;       /* leave out rows that the baseline lacks */
	bool names_files, quiet;  /* list the files; no headers */
	const char *separator;    /* -t; NULL: columns are padded */
	const char *const *paths; /* of the recordings */
};

/* Set method and weights from the text of -c. Return 0, or -EINVAL with err. */
int diff_stock__parse_method(struct diff_stock_opts *o, const char *text, struct err *err);
/* Print a table for each event of the first recording. */
void diff_stock__print(struct side_by_side *s, const struct diff_stock_opts *o, FILE *out);

#endif
