/*
 * What perf report does: reads a recording and shows it. What is asked for, part by part.
 */
#ifndef UI_REPORT_H
#define UI_REPORT_H

#include "model/session.h"
#include "profile/hists/hists.h"
#include "ui/stdio.h"

struct graph_args { /* -g */
	bool given;
	enum graph_mode mode;
	double percent;
	bool percent_given; /* the next number is the print limit */
	u32 print_limit;
	bool order_given, caller_first;
	enum graph_key key;
	enum graph_value value;
};

struct sample_args { /* which samples count, and for what */
	const char *comms, *dsos, *symbols, *symbol_filter, *pids, *tids, *cpus, *times;
	bool branches, branches_given;
	bool children, hide_unresolved;
	unsigned max_stack;
};

struct table_args {
	const char *sort, *fields, *widths, *percentage;
	bool samples, period, raw_trace;
	bool group, group_given, skip_empty;
	double percent_limit;
};

struct report_args {
	const char *input;
	/* In place of the table, or above it. */
	bool dump, file_order, header, header_only, full_header, stats, stack_stats, tasks, mmaps;
	struct sample_args samples;
	struct table_args table;
	struct graph_args graph;
	struct symbolize_opts symbols; /* progress and debuginfod are the report's */
	struct places_opts places;     /* demangle_kernel, inlines, full_paths */
	bool quiet;
	struct cell_style style;
	unsigned threads;            /* 0: one for each online CPU */
	unsigned debuginfod_seconds; /* 0: no servers are asked */
};

/* Reads a->input and shows it. The exit status. */
int report__main(const struct report_args *a);

#endif
