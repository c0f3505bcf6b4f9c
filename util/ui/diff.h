/* perf diff: from the options to the output. */
#ifndef UI_DIFF_H
#define UI_DIFF_H

#include "base/memory/array.h"
#include "ui/diff_stock.h"

typedef ARRAY(const char *) diff_files;

struct diff_args {
	diff_files files;          /* recordings, the first is the baseline; not owned */
	bool dump;                 /* -D: print the records instead */
	int verbose;               /* as msg__set_level() */
	bool quiet;                /* only the rows */
	const char *sort;          /* NULL: dso,symbol */
	struct filter_args filter; /* .times: those of several files have ':' between them */
	bool relative;             /* percentages of what is shown */
	struct symbolize_opts symbols;
	unsigned threads; /* 0: one for each online CPU */
	struct diff_stock_opts stock;
};

/* Print the comparison, or an error. Return the exit status. */
int diff__main(const struct diff_args *a);

#endif
