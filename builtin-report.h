/*
 * What perf report is asked for, between its options (builtin-report.c) and what is done
 * (builtin-report-run.c).
 */
#ifndef BUILTIN_REPORT_H
#define BUILTIN_REPORT_H

#include "model/session.h"
#include "profile/hists/hists.h"
#include "ui/stdio.h"

struct graph_args {
	bool given;
	enum graph_mode mode;
	double percent;
	bool percent_given; /* the next number is the print limit */
	u32 print_limit;
	bool order_given, caller_first;
	enum graph_key key;
	enum graph_value value;
};

struct report_args {
	const char *input;
	/* what to show */
	bool dump, file_order, header, header_only, full_header, stats, stack_stats, tasks, mmaps;
	/* rows */
	const char *sort, *fields, *widths, *separator, *percentage;
	bool children, samples, period, hide_unresolved, group, group_given, skip_empty;
	bool branches, branches_given;
	const char *comms, *dsos, *symbols, *symbol_filter, *pids, *tids, *cpus, *times;
	bool raw_trace;
	double percent_limit;
	unsigned max_stack;
	struct graph_args graph;
	/* symbols */
	struct symbolize_opts symbolize;
	bool demangle, demangle_kernel;
	bool inlines, full_source_path;
	/* how */
	bool quiet, color;
	int verbose;
	unsigned threads;
	unsigned debuginfod_seconds; /* 0: no servers are asked */
	bool ignored;                /* options that change nothing here */
	const char *ignored_path;
};

/* Reads a->input and shows it. The exit status. */
int report__main(const struct report_args *a);

#endif
