/* perf diff: from the options to the output. */
#ifndef UI_DIFF_H
#define UI_DIFF_H

#include "base/memory/array.h"
#include "profile/compare/comparison.h"
#include "ui/diff/diff_stock.h"
#include "ui/report_args.h"

typedef ARRAY(const char *) diff_files;

struct diff_baseline { /* --baseline */
	bool adds;     /* --baseline-add */
	/* called when all is read, and after the output; NULL: not wanted */
	void (*has_read)(void *ctx);
	/* is_slower: by limit.slower or more. Returns 0 or a negative errno with err */
	int (*has_compared)(void *ctx, bool is_slower, struct err *err);
	void *ctx;
};

struct diff_limit {         /* --fail-on, --bisect */
	bool is_on;         /* exit with EXIT_SLOWER if a function is slower by this part of its cost */
	bool needs_touched; /* only functions that the change touched count */
	bool bisect; /* exit with an enum bisect_status; .slower is what is bad; filter.symbols are judged */
	double slower;
};

struct diff_git { /* --git, --git-dir */
	/* "OLD..NEW"; "": the commits that the recordings name; NULL: not asked for */
	const char *commits;
	const char *dir; /* of the repository; NULL: the current folder */
};

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
	bool is_stock;    /* print stock perf's table */
	bool streams;     /* print stock perf's hot streams instead of its table */
	struct diff_stock_opts stock;

	/* of the default view */
	u32 nr_old;        /* the first so many files are old, the others new */
	const char *per;   /* --per; NULL: by run, or by second */
	const char *event; /* -e; NULL: the first one */
	bool new_is_one;   /* as in struct comparison_opts */
	bool json, folded, markdown, no_inlines, full_names;
	struct weights_args spans; /* --span: compare spans instead; only has_span and span */
	const char *page;          /* --html: the file to write; NULL: print text */
	/* writes the page: compare_page__write(), which is in the room beside this one */
	int (*write_page)(const struct comparison *c, const char *path, struct err *err);
	/* shows the comparison on a terminal instead of as text; NULL: text. Returns 0 or a negative errno */
	int (*browse)(const struct comparison *c, const struct diff_args *a, struct err *err);
	struct browser_args browser;
	struct diff_baseline baseline;
	struct diff_limit limit;
	struct diff_git git;
	double least_change; /* of the total cost: smaller ones are not of interest */
};

enum { EXIT_SLOWER = 2 }; /* --fail-on slower */

/* Print the comparison, or an error. Return the exit status. */
int diff__main(const struct diff_args *a);

#endif
