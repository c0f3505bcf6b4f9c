/* perf report: what the options say, grouped by what they affect. */
#ifndef UI_REPORT_ARGS_H
#define UI_REPORT_ARGS_H

#include "model/session.h"
#include "profile/causes/durations.h"
#include "profile/rows/switched.h"
#include "profile/hists/hists.h"
#include "profile/keys/read_weights.h"
#include "ui/stdio/stdio.h"

#define TIME_QUANTUM 100000000ull /* --time-quantum: the default, ns */
#define GRAPH_LIMIT 0.5           /* -g: the default of the smallest branch shown, % */

enum {                           /* --max-stack */
       MAX_STACK = 1024,         /* the default */
       MAX_STACK_OF_STOCK = 127, /* that of stock perf's tables */
};
#define MAX_STACK_NOT_GIVEN UINT32_MAX

struct graph_args { /* -g */
	bool given;
	enum graph_mode mode;
	double percent;
	bool percent_given; /* the next number in -g is the print limit */
	u32 print_limit;
	bool order_given, caller_first;
	bool inverted; /* -G */
	enum graph_key key;
	enum graph_value value;
};

struct sample_args { /* which samples count, and how */
	struct switch_opts switching;
	const char *ignore_callees; /* regular expression; NULL: none */
	struct filter_args filter;
	const char *symbol_filter;
	const char *parent; /* pattern of -p; NULL: not given */
	bool exclude_other;
	bool branches, branches_given;
	bool total_cycles, branch_history, stitch_lbr;
	bool block_cycles; /* as view_opts.block_cycles */
	bool last_chains;  /* --show-ref-call-graph */
	bool mem_mode;     /* of memory accesses: add up weights */
	struct weights_args weights;
	bool children, children_given, hide_unresolved;
	int socket;         /* -1: all */
	unsigned max_stack; /* entries of each call chain that count, or MAX_STACK_NOT_GIVEN */
};

struct span_args { /* --span: the table of spans */
	ARRAY(struct duration_limit) fail_on;
	bool why; /* --why: what slow spans have more of, instead of the table */
};

struct table_args {
	const char *sort, *fields, *widths;
	bool relative; /* percentages of what is shown, not of all samples */
	bool samples, period, raw_trace, nanoseconds;
	bool latency; /* sort by latency */
	bool hierarchy;
	bool thread_counts, raw_counts; /* -T, --pretty raw */
	bool stdio;                     /* stock perf's tables: one for each event, also of waits */
	bool idle;                      /* show idle waits */
	bool group, group_given, skip_empty;
	unsigned group_sort_idx; /* as in struct view_opts */
	bool cpu_utilization;    /* columns of kernel and user code */
	double percent_limit;    /* negative: not given */
	u64 time_quantum;        /* ns */
};

struct report_screen;

struct browser_args { /* how a browser looks */
	bool mouse, headers;
	/* "COLOR, COLOR" of text and background, as colors.NAME of perf config; NULL: not given */
	const char *top, *medium, *normal, *root;
};

struct report_args {
	const char *input;
	/* shows the recording on a terminal instead of as text; NULL: text. Returns 0 or a negative errno */
	int (*browse)(struct report_screen *screen, struct err *err);
	struct browser_args browser;
	/* shown instead of the table, or above it */
	bool dump, file_order, header, header_only, full_header, stats, stack_stats, tasks, mmaps;
	bool json;  /* --json: tables as JSON */
	bool lacks; /* perf doctor FILE: which binaries lack symbols, and why, instead of the table */
	struct sample_args samples;
	struct table_args table;
	struct graph_args graph;
	struct span_args spans;
	struct symbolize_opts symbols; /* report.c sets its progress and debuginfod */
	struct places_opts places;     /* inlines, inline_rows, full_paths */
	bool inline_rows_given;
	bool quiet;
	bool is_live;    /* parts of the recording are still to come: as view_opts.is_live */
	bool full_names; /* on a terminal, too */
	struct cell_style style;
	unsigned threads;            /* 0: one for each online CPU */
	unsigned debuginfod_seconds; /* 0: do not ask servers */
};

#endif
