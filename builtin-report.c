/* perf report: the options. */
#include "builtin.h"

#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "base/command/term.h"
#include "base/text/number.h"
#include "browser/report_browser.h"
#include "export/export_formats.h"
#include "export/export.h"
#include "format/read/reader.h"
#include "ui/report.h"
#include "ui/report_spans.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const report_usage[] = { "perf report [<options>] [<recording>] [<part of a symbol>]",
					    NULL };

#define REPORT_DEFAULTS                                                                  \
	.browser = { .mouse = true, .headers = true },                                   \
	.samples = { .children = true, .max_stack = MAX_STACK_NOT_GIVEN, .socket = -1 }, \
	.table = { .group = true,                                                        \
		   .skip_empty = true,                                                   \
		   .idle = true,                                                         \
		   .percent_limit = -1,                                                  \
		   .time_quantum = TIME_QUANTUM },                                       \
	.graph = { .mode = GRAPH_ABSOLUTE, .percent = GRAPH_LIMIT }, .places = { .inlines = true }

/* The form of the report, and options without effect. */
static struct {
	bool tui; /* show a browser where there is a terminal; tui.report of perf config */
	bool tui_given, gtk;
	const char *html;        /* the file of the page; NULL: none is wanted */
	const char *html_output; /* -o: another file; NULL: not given */
	unsigned html_sources;   /* functions with their code */
	int verbose;
	bool ignored;
	const char *ignored_text;
} form = { .tui = true };

/* ---- options with a syntax of their own ---- */

/* -g: words in any order, each sets one option. */
static const struct graph_word {
	const char *word;
	enum { GRAPH_WORD_MODE, GRAPH_WORD_ORDER, GRAPH_WORD_KEY, GRAPH_WORD_VALUE } sets;
	int to;
} graph_words[] = {
	{ "graph", GRAPH_WORD_MODE, GRAPH_ABSOLUTE },
	{ "flat", GRAPH_WORD_MODE, GRAPH_FLAT },
	{ "fractal", GRAPH_WORD_MODE, GRAPH_RELATIVE },
	{ "folded", GRAPH_WORD_MODE, GRAPH_FOLDED },
	{ "none", GRAPH_WORD_MODE, GRAPH_NONE },
	{ "caller", GRAPH_WORD_ORDER, true },
	{ "callee", GRAPH_WORD_ORDER, false },
	{ "function", GRAPH_WORD_KEY, GRAPH_BY_FUNCTION },
	{ "address", GRAPH_WORD_KEY, GRAPH_BY_ADDRESS },
	{ "srcline", GRAPH_WORD_KEY, GRAPH_BY_LINE },
	{ "percent", GRAPH_WORD_VALUE, GRAPH_VALUE_PERCENT },
	{ "period", GRAPH_WORD_VALUE, GRAPH_VALUE_PERIOD },
	{ "count", GRAPH_WORD_VALUE, GRAPH_VALUE_COUNT },
};

static const struct word_list graph_list = WORD_LIST("call graph word", graph_words, WORDS_BEGINNINGS);

static int graph_args__set_word(struct graph_args *g, const char *word, size_t len, struct err *err)
{
	int i = word_list__choose(&graph_list, word, len, err);
	const struct graph_word *w = i < 0 ? NULL : &graph_words[i];

	if (!w)
		return i;
	switch (w->sets) {
	case GRAPH_WORD_MODE:
		g->mode = (enum graph_mode)w->to;
		break;
	case GRAPH_WORD_ORDER:
		g->caller_first = w->to;
		g->order_given = true;
		break;
	case GRAPH_WORD_KEY:
		g->key = (enum graph_key)w->to;
		break;
	case GRAPH_WORD_VALUE:
		g->value = (enum graph_value)w->to;
		break;
	}
	return 0;
}

static bool graph_args__set_number(struct graph_args *g, const char *word, size_t len)
{
	const char *end = word;
	double percent;
	u64 limit;

	if (g->percent_given) {
		if (!number__take(&end, UINT32_MAX, &limit) || end != word + len)
			return false;
		g->print_limit = (u32)limit;
	} else {
		if (!number__take_real(&end, &percent) || end != word + len)
			return false;
		g->percent = percent;
		g->percent_given = true;
	}
	return true;
}

static int parse_graph(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct graph_args *g = opt->value;

	if (unset) {
		g->mode = GRAPH_NONE;
		g->given = false;
		return 0;
	}
	g->percent_given = false;
	while (*arg) {
		size_t len = strcspn(arg, ", ");
		int ret = 0;

		if (len && !graph_args__set_number(g, arg, len))
			ret = graph_args__set_word(g, arg, len, err);
		if (ret)
			return ret;
		arg += len + (arg[len] != '\0');
	}
	g->given = g->mode != GRAPH_NONE;
	return 0;
}

/* Parse a word of -g as a default, which does not ask for call graphs. */
static int parse_graph_default(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct graph_args *g = opt->value;
	bool given = g->given;
	int ret = parse_graph(opt, arg, unset, err);

	g->given = given;
	return ret;
}

static int parse_percent_limit(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct report_args *a = opt->value;
	int ret = 0;

	a->table.percent_limit = 0;
	if (!unset)
		ret = option__parse_percent(arg, &a->table.percent_limit, err);
	a->graph.percent = a->table.percent_limit;
	return ret;
}

static int parse_time_quantum(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	u64 *quantum = opt->value;

	*quantum = TIME_QUANTUM;
	if (unset || (number__parse_span(arg, quantum) && *quantum))
		return 0;
	return err__set(err, -EINVAL, "'%s' is not a span of time such as 10ms", arg);
}

static int parse_inverted(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct graph_args *g = opt->value;

	(void)arg;
	(void)err;
	g->caller_first = !unset;
	g->order_given = !unset;
	g->inverted = !unset;
	return 0;
}

static int parse_percentage(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	static const char *const names[] = { "absolute", "relative" };
	static const struct word_list kinds = WORD_LIST("kind", names, 0);
	int kind = unset ? 0 : word_list__choose(&kinds, arg, strlen(arg), err);

	*(bool *)opt->value = kind == 1;
	return MIN(kind, 0);
}

static int parse_pretty(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	static const char *const names[] = { "normal", "raw" };
	static const struct word_list styles = WORD_LIST("style", names, 0);
	int style = unset ? 0 : word_list__choose(&styles, arg, strlen(arg), err);

	*(bool *)opt->value = style == 1;
	return MIN(style, 0);
}

/* "--threads [N]" */
static int parse_threads(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct report_args *a = opt->value;
	u64 n = 0;

	if (arg && !number__parse(arg, 0, UINT_MAX, &n))
		return err__set(err, -EINVAL, "expects a number from 0 to %u, not '%s'", UINT_MAX, arg);
	a->threads = (unsigned)n;
	if (!arg)
		a->table.thread_counts = !unset;
	return 0;
}

/* "--fail-on p99:20ms"; may be given several times */
static int parse_fail_on(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct span_args *a = opt->value;
	struct duration_limit l;
	int ret = unset ? 0 : duration_limit__parse(&l, "--fail-on", arg, err);

	if (unset)
		a->fail_on.nr = 0;
	else if (!ret)
		array__add(&a->fail_on, l);
	return ret;
}

/* Check --percent-type, which only annotated code uses. */
static int parse_percent_type(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	static const char *const names[] = { "local-period", "local-hits", "global-period", "global-hits" };
	static const struct word_list types = WORD_LIST("type", names, 0);

	(void)opt;
	return unset ? 0 : MIN(word_list__choose(&types, arg, strlen(arg), err), 0);
}

static int parse_tui(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	(void)opt;
	(void)arg;
	(void)err;
	form.tui = form.tui_given = !unset;
	return 0;
}

#define UNSUPPORTED_ARG(s, l)                                                                       \
	{                                                                                           \
		.type = OPTION_CALLBACK, .shrt = (s), .name = (l), .callback = perf__refuse_option, \
		.help = "not supported yet", .arg = "value", .flags = OPTION_HIDDEN                 \
	}

/* "--debuginfod[=SECONDS]" */
static int parse_debuginfod(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	unsigned *seconds = opt->value;
	u64 n;

	*seconds = 0;
	if (unset)
		return 0;
	if (!number__parse(arg, 1, UINT32_MAX, &n))
		return err__set(err, -EINVAL, "'%s' is not a number of seconds", arg);
	*seconds = (unsigned)n;
	return 0;
}

enum { MOST_SOURCES = 1000 };

/* "--html-source[=N]" */
static int parse_sources(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	unsigned *nr = opt->value;
	u64 n;

	*nr = 0;
	if (unset)
		return 0;
	if (!number__parse(arg, 1, MOST_SOURCES, &n))
		return err__set(err, -EINVAL, "'%s' is not a number of functions from 1 to %d", arg,
				MOST_SOURCES);
	*nr = (unsigned)n;
	return 0;
}

static struct report_args args = { REPORT_DEFAULTS };

static const struct option report_options[] = {
	OPT_GROUP("What to show"),
	OPT_STRING('i', "input", &args.input, "file",
		   "recording to read (default: perf.data; - is standard input)"),
	OPT_BOOL_SET(0, "children", &args.samples.children, &args.samples.children_given,
		     "count a sample for all functions in its call chain (default; on a terminal, with -g)"),
	OPT_CALLBACK_LASTARG('g', "call-graph", &args.graph,
			     "print_type,threshold[,print_limit],order,sort_key,value",
			     "how to draw call chains (default: graph,0.5,caller,function,percent)\n"
			     "print_type: graph, flat, fractal, folded or none\n"
			     "threshold: smallest branch shown, in per cent; print_limit: branches shown\n"
			     "order: caller or callee; sort_key: function, address or srcline\n"
			     "value: percent, period or count",
			     parse_graph, "graph,0.5,caller,function,percent"),
	OPT_CALLBACK_NOARG('G', "inverted", &args.graph, "as -g caller", parse_inverted),
	OPT_CALLBACK(0, "percent-limit", &args, "percent",
		     "leave out rows with a smaller part (default: 0.5 on a terminal, else 0)",
		     parse_percent_limit),
	OPT_UINT(0, "max-stack", &args.samples.max_stack, "n",
		 "use only n entries of each call chain (1024; in pipes and with --stdio: 127)"),
	OPT_BOOL_SET(0, "group", &args.table.group, &args.table.group_given,
		     "show events side by side in one table (default for recorded groups)"),
	OPT_UINT(0, "group-sort-idx", &args.table.group_sort_idx, "n",
		 "sort the rows of groups by the event at this index (0: the leader)"),
	OPT_BOOL(0, "latency", &args.table.latency,
		 "show, and sort by, what samples add to the time that users wait: periods divided by\n"
		 "the number of threads that ran (record --latency)"),
	OPT_BOOL(0, "idle", &args.table.idle,
		 "of waits (record --off-cpu), show those for work, too (default)"),
	OPT_BOOL(0, "header", &args.header, "begin with facts about the machine and the recording"),
	OPT_BOOL(0, "header-only", &args.header_only, "print only what --header adds"),
	OPT_BOOL('I', "show-info", &args.full_header,
		 "as --header, with the topology of processors, caches and memory"),
	OPT_BOOL(0, "tasks", &args.tasks, "print processes and threads as a tree"),
	OPT_BOOL(0, "mmaps", &args.mmaps, "print processes with their mappings"),
	OPT_BOOL(0, "stats", &args.stats, "count the records of each type and the samples of each event"),
	OPT_BOOL(0, "stack-stats", &args.stack_stats,
		 "show how call chains were unwound, and where they ended"),
	OPT_BOOL('D', "dump-raw-trace", &args.dump, "print each record, in hexadecimal and decoded"),
	OPT_BOOL(0, "disable-order", &args.file_order, "with -D: keep the order of the file"),
	OPT_BOOL(0, "skip-empty", &args.table.skip_empty, "leave out events without samples (default)"),

	OPT_BOOL(0, "blocked-by", &args.samples.weights.blocked_by,
		 "show what holders of locks did while others waited for them, in time that the others\n"
		 "lost (record --off-cpu=locks -g)"),
	OPT_BOOL(0, "critical-path", &args.samples.weights.critical_path,
		 "show what the elapsed time was spent on: backwards from the end, always in the thread\n"
		 "that the others waited for (record --off-cpu=locks -g)"),
	OPT_STRING(0, "thread", &args.samples.weights.thread, "tid|name",
		   "of --critical-path: the path that leads to the end of this thread"),
	OPT_SPANS(args.samples.weights,
		  "show how long the calls of a function took (record --span); name: which, if the\n"
		  "recording has several; with --slower or --faster: of which they are"),
	OPT_BOOL(0, "why", &args.spans.why,
		 "with --span: show what slow spans have more of than fast ones, and so why they are slow;\n"
		 "--slower (p99) and --faster (p50) say which are slow and fast"),
	OPT_CALLBACK(
		0, "fail-on", &args.spans, "value:time",
		"with --span: exit with status 2 if the spans took longer, such as p99:20ms, mean:5ms or\n"
		"max:1s, and with 3 if there are too few spans to tell; may be given several times",
		parse_fail_on),

	OPT_GROUP("Form"),
	OPT_CALLBACK_NOARG(0, "tui", NULL, "browse the recording (default on a terminal; --no-tui: text)",
			   parse_tui),
	OPT_BOOL(0, "stdio", &args.table.stdio,
		 "print plain text (always); of waits, too, one table for each event, in per cent"),
	OPT_BOOL(0, "json", &args.json, "print the tables as JSON (Documentation/report-schema.json)"),
	OPT_STRING_OPTARG(0, "html", &form.html, "file",
			  "write a page for any browser (perf.html): flame graph, time, functions",
			  "perf.html"),
	OPT_CALLBACK_OPTARG(0, "html-source", &form.html_sources, "n",
			    "--html with source and instructions of the n hottest functions", parse_sources,
			    "20"),
	OPT_STRING('o', "output", &form.html_output, "file", "of --html: the file to write (perf.html)"),
	OPT_BOOL(0, "full-names", &args.full_names,
		 "on a terminal, too, show whole names, however long, and each step of a recursion"),
	OPT_BOOL('H', "hierarchy", &args.table.hierarchy,
		 "show rows as a tree, with a level for each sort key; -s {key,key}: one level for both"),
	OPT_CALLBACK_LASTARG(0, "stdio-color", &args.style.color, "mode",
			     "colour large percentages: always, never or auto (on a terminal; default)",
			     perf__parse_color, "always"),
	OPT_STRING('t', "field-separator", &args.style.separator, "separator",
		   "put this between columns, without padding; not '.'"),
	OPT_STRING('w', "column-widths", &args.table.widths, "width[,width...]",
		   "set the widths of the columns"),
	OPT_CALLBACK(0, "pretty", &args.table.raw_counts, "normal|raw", "raw: -T with a line for each count",
		     parse_pretty),
	OPT_BOOL(0, "mouse", &args.browser.mouse, "let the browser have the mouse (default)"),
	OPT_BOOL('q', "quiet", &args.quiet, "print only the table, no progress"),
	OPT_INCR('v', "verbose", &form.verbose, "say more: addresses of symbols, why symbols are missing"),

	OPT_GROUP("Rows and columns"),
	OPT_STRING(
		's', "sort", &args.table.sort, "key[,key2...]",
		"what makes a row; +key adds to the default (comm,dso,symbol)\n"
		"keys: pid tid tgid comm comm_nodigit dso symbol symoff parent cpu socket srcline srcfile\n"
		"time cgroup cgroup_id symbol_size dso_size ipc_null parallelism\n"
		"of what perf record -d, -W etc. add: addr phys_daddr data_page_size code_page_size\n"
		"weight local_weight ins_lat local_ins_lat p_stage_cyc local_p_stage_cyc retire_lat\n"
		"local_retire_lat transaction\n"
		"of accesses to memory: mem snoop tlb locked blocked symbol_daddr dso_daddr symbol_iaddr\n"
		"dcacheline; in columns for each kind: op cache memory dtlb\n"
		"of waits (record --off-cpu): wait waker; (record --off-cpu=locks): lock holder\n"
		"overhead overhead_children overhead_sys overhead_us overhead_guest_sys\n"
		"overhead_guest_us latency latency_children sample period weight1 weight2 weight3\n"
		"of branches: dso_from dso_to symbol_from symbol_to addr_from addr_to srcline_from\n"
		"srcline_to mispredict abort in_tx cycles ipc_lbr callchain_branch_predicted\n"
		"callchain_branch_abort callchain_branch_cycles\n"
		"of tracepoints: trace trace_fields [EVENT.]FIELD[/raw]"),
	OPT_STRING('F', "fields", &args.table.fields, "key[,keys...]",
		   "the columns: overhead overhead_children sample period ..., and keys of --sort\n"
		   "of waits (record --off-cpu), in ms: on_cpu waiting self_time"),
	OPT_BOOL('n', "show-nr-samples", &args.table.samples, "show how many samples each row has"),
	OPT_BOOL(0, "show-total-period", &args.table.period, "show the periods of each row, added up"),
	OPT_BOOL(0, "show-cpu-utilization", &args.table.cpu_utilization,
		 "show how much of each row is kernel and user code"),
	OPT_BOOL('T', NULL, &args.table.thread_counts,
		 "below the table, what each thread counted (perf record -s)"),
	OPT_CALLBACK(0, "time-quantum", &args.table.time_quantum, "time",
		     "-s time: samples in the same span of so many s, ms, us or ns are one row (100ms)",
		     parse_time_quantum),
	OPT_BOOL(0, "ns", &args.table.nanoseconds, "-s time: show nanoseconds, not microseconds"),
	OPT_CALLBACK(0, "percentage", &args.table.relative, "relative|absolute",
		     "with filters, 100% is what is shown (relative) or all samples (absolute)",
		     parse_percentage),
	OPT_STRING('p', "parent", &args.samples.parent, "regex",
		   "show of which functions' calls samples are: the first in the call chain whose\n"
		   "name this matches"),
	OPT_BOOL('x', "exclude-other", &args.samples.exclude_other,
		 "leave out samples without such a parent"),
	OPT_STRING(0, "ignore-callees", &args.samples.ignore_callees, "regex",
		   "count what such functions call as these functions"),
	OPT_BOOL(0, "raw-trace", &args.table.raw_trace,
		 "show tracepoint fields as recorded, not as their print format says"),

	OPT_GROUP("Filters"),
	OPT_STRING('c', "comms", &args.samples.filter.comms, "comm[,comm...]",
		   "keep threads with these names"),
	OPT_STRING('d', "dsos", &args.samples.filter.dsos, "dso[,dso...]", "keep rows of these binaries"),
	OPT_STRING('S', "symbols", &args.samples.filter.symbols, "symbol[,symbol...]",
		   "keep rows of these functions"),
	OPT_STRING(0, "symbol-filter", &args.samples.symbol_filter, "filter",
		   "keep functions whose name contains this text"),
	OPT_STRING(0, "pid", &args.samples.filter.pids, "pid[,pid...]", "keep samples of these processes"),
	OPT_STRING(0, "tid", &args.samples.filter.tids, "tid[,tid...]", "keep samples of these threads"),
	OPT_STRING('C', "cpu", &args.samples.filter.cpus, "cpu", "keep samples of these CPUs, such as 0-3,8"),
	OPT_STRING(0, "time", &args.samples.filter.times, "str",
		   "keep samples of this time: START,STOP in seconds, or a part such as 10%/2"),
	OPT_STRING(0, "parallelism", &args.samples.filter.parallelism, "n[,n...]",
		   "keep samples taken while so many threads ran, such as 1 or 2-8 (record --latency)"),
	OPT_STRING(0, "lock", &args.samples.filter.locks, "lock[,lock...]",
		   "keep waits for these locks, such as pool.lock or \"mutex pool.lock\" (record\n"
		   "--off-cpu=locks)"),
	OPT_INT(0, "socket-filter", &args.samples.socket, "n", "keep samples of this processor socket"),
	OPT_BOOL('U', "hide-unresolved", &args.samples.hide_unresolved, "leave out rows without a symbol"),
	OPT_STRING(0, "switch-on", &args.samples.switching.on, "event", "keep samples from this event on"),
	OPT_STRING(0, "switch-off", &args.samples.switching.off, "event",
		   "keep samples up to this event, or to the next --switch-on"),
	OPT_BOOL(0, "show-on-off-events", &args.samples.switching.show, "keep the events that switch, too"),

	OPT_GROUP("Branches and memory"),
	OPT_BOOL_SET('b', "branch-stack", &args.samples.branches, &args.samples.branches_given,
		     "count the recorded branches instead of the samples"),
	OPT_BOOL(0, "branch-history", &args.samples.branch_history,
		 "put the branches before each sample into its call chain (record -b -g)"),
	OPT_BOOL(0, "total-cycles", &args.samples.total_cycles,
		 "show the code between branches, by the cycles that it took (record -b)"),
	OPT_BOOL(0, "stitch-lbr", &args.samples.stitch_lbr,
		 "complete call chains of the processor with those of samples before (--call-graph lbr)"),
	OPT_BOOL(0, "mem-mode", &args.samples.mem_mode,
		 "add up what each access to memory cost (perf record -d -W)"),
	OPT_BOOL(0, "show-ref-call-graph", &args.samples.last_chains,
		 "give samples of events without call chains the last chain of their thread"),

	OPT_GROUP("Files and symbols"),
	OPT_CALLBACK(0, "symfs", &args.symbols, "directory[,layout]",
		     "search for binaries and debug files below this directory; layout flat: without the\n"
		     "folders they were recorded in",
		     perf__parse_symfs),
	OPT_STRING('k', "vmlinux", &args.symbols.vmlinux, "file", "the kernel's symbols are in this vmlinux"),
	OPT_BOOL(0, "ignore-vmlinux", &args.symbols.ignore_vmlinux, "do not search for a vmlinux"),
	OPT_STRING(0, "kallsyms", &args.symbols.kallsyms, "file",
		   "the kernel's symbols are in this copy of /proc/kallsyms"),
	OPT_CALLBACK_OPTARG(0, "debuginfod", &args.debuginfod_seconds, "seconds",
			    "ask the servers in DEBUGINFOD_URLS for debug files, for this long at most (60)",
			    parse_debuginfod, "60"),
	OPT_BOOL(0, "inline", &args.places.inlines,
		 "show inlined functions as frames of their own (default)"),
	OPT_BOOL_SET(0, "inline-rows", &args.places.inline_rows, &args.inline_rows_given,
		     "count samples in an inlined function as its own (default on a terminal and in\n"
		     "--json), not as those of the function that it was inlined into (default)"),
	OPT_BOOL_INV(0, "demangle", &args.symbols.no_demangle,
		     "show C++, Rust and D names as in the source (default)"),
	OPT_BOOL(0, "demangle-kernel", &args.symbols.demangle_kernel, "demangle names of the kernel, too"),
	OPT_BOOL_INV(0, "made-up-names", &args.symbols.no_made_up_names,
		     "name functions without a symbol after their address: FILE@0x1234 (default)"),
	OPT_BOOL(0, "full-source-path", &args.places.full_paths, "show the folders of source files"),
	OPT_BOOL('f', "force", &args.symbols.any_owner, "use /tmp/perf-PID.map of any owner"),
	OPT_CALLBACK_LASTNUM(0, "threads", &args, "n",
			     "read with n threads (default: one for each online CPU); without n: as -T",
			     parse_threads),

	OPT_BOOL(0, "gtk", &form.gtk, "accepted; prints plain text"),

	/* Options of stock perf without effect on the table */
	OPT_STRING(0, "addr2line", &form.ignored_text, "path", "accepted; no other program is needed"),
	OPT_STRING(0, "addr2line-style", &form.ignored_text, "style", "accepted; no other program is needed"),
	OPT_STRING(0, "unwind-style", &form.ignored_text, "style", "accepted; there is one unwinder"),
	OPT_BOOL('m', "modules", &form.ignored, "accepted; kernel modules always have symbols"),
	OPT_STRING(0, "samples", &form.ignored_text, "n", "accepted; of the browser of stock perf"),
	OPT_STRING(0, "objdump", &form.ignored_text, "path", "accepted; of annotated code"),
	OPT_STRING('M', "disassembler-style", &form.ignored_text, "style", "accepted; of annotated code"),
	OPT_BOOL(0, "asm-raw", &form.ignored, "accepted; of annotated code"),
	OPT_BOOL(0, "source", &form.ignored, "accepted; of annotated code"),
	OPT_STRING(0, "prefix", &form.ignored_text, "prefix", "accepted; of annotated code"),
	OPT_STRING(0, "prefix-strip", &form.ignored_text, "n", "accepted; of annotated code"),
	OPT_CALLBACK(0, "percent-type", NULL, "type",
		     "accepted; of annotated code: local-period,\n"
		     "local-hits, global-period or global-hits",
		     parse_percent_type),

	/* Keys of configuration files */
	OPT_CONFIG(OPTION_BOOL, "tui.report", &form.tui, bool),
	OPT_CONFIG(OPTION_BOOL, "ui.show-headers", &args.browser.headers, bool),
	OPT_CONFIG_COLORS(args.browser),
	OPT_CONFIG(OPTION_STRING, "report.sort_order", &args.table.sort, const char *),
	{ OPT_TYPED_(OPTION_BOOL, &args.samples.children, bool), .name = "report.children",
	  .given = &args.samples.children_given, .flags = OPTION_HIDDEN },
	OPT_CONFIG(OPTION_BOOL, "report.group", &args.table.group, bool),
	OPT_CONFIG(OPTION_BOOL, "report.skip-empty", &args.table.skip_empty, bool),
	OPT_CONFIG_CALLBACK("hist.percentage", &args.table.relative, parse_percentage),
	OPT_CONFIG(OPTION_UINT, "call-graph.print-limit", &args.graph.print_limit, unsigned),
	OPT_CONFIG_CALLBACK("report.percent-limit", &args, parse_percent_limit),
	OPT_CONFIG_CALLBACK("call-graph.print-type", &args.graph, parse_graph_default),
	OPT_CONFIG_CALLBACK("call-graph.order", &args.graph, parse_graph_default),
	OPT_CONFIG_CALLBACK("call-graph.sort-key", &args.graph, parse_graph_default),
	OPT_CONFIG_CALLBACK("call-graph.threshold", &args.graph, parse_graph_default),

	/* stock perf takes this spelling, too, and its own tests use it */
	{ OPT_TYPED_(OPTION_BOOL, &args.table.cpu_utilization, bool), .name = "showcpuutilization",
	  .help = "as --show-cpu-utilization", .flags = OPTION_HIDDEN },

	/* Options not supported yet */
	UNSUPPORTED_ARG(0, "itrace"),
	OPT_END(),
};

/*
 * Take the words that are not options: a recording to read, and a part of a symbol's name (as in stock perf).
 * A file with a dot or a slash in its name counts as a recording, whatever its content.
 */
static int take_words(int nr, const char **words)
{
	bool has_input = args.input && *args.input;

	for (int i = 0; i < nr; i++) {
		bool is_file = !strcmp(words[i], "-") || reader__is_recording(words[i]) ||
			       (strpbrk(words[i], "./") && !access(words[i], F_OK));

		if (is_file && !has_input) {
			args.input = words[i];
			has_input = true;
			info("reading '%s'", words[i]);
		} else if (!args.samples.symbol_filter) {
			args.samples.symbol_filter = words[i];
		} else {
			error__say("'%s' is one word too many", words[i]);
			return EXIT_USAGE;
		}
	}
	if (!has_input)
		args.input = perf__default_input();
	if (nr && !has_input && strcmp(args.input, "-") && access(args.input, F_OK)) {
		error__say("neither '%s' nor '%s' is a file", words[0], args.input);
		return 1;
	}
	return 0;
}

/* Write the page. It has all samples that the filters keep, and makes tables and graphs itself. */
static int write_page(void)
{
	const struct export_args a = {
		.input = args.input,
		.output = form.html,
		.format = export_html.name,
		.filter = args.samples.filter,
		.weights = args.samples.weights,
		.no_inlines = !args.places.inlines,
		.nr_sources = form.html_sources,
		.max_stack =
			args.samples.max_stack == MAX_STACK_NOT_GIVEN ? MAX_STACK : args.samples.max_stack,
		.threads = args.threads,
		.symbols_of = args.symbols,
	};
	int ret = export__run(&a);

	if (!ret)
		info("open '%s' in a browser", a.output);
	return ret;
}

static int run_report(struct report_args *a)
{
	char *buildid_dir = perf__buildid_dir();
	int ret;

	a->symbols.buildid_dir = buildid_dir;
	ret = form.html ? write_page() : report__main(a);
	free(buildid_dir);
	return ret;
}

/* Was something asked for that is printed? */
static bool wants_text(void)
{
	const struct report_args *a = &args;

	return a->table.stdio || form.gtk || a->json || form.html || a->dump || a->header || a->header_only ||
	       a->stats || a->stack_stats || a->tasks || a->mmaps || a->table.thread_counts ||
	       a->style.separator || a->quiet || report_spans__is_wanted(a);
}

static bool wants_browser(void)
{
	bool is_piped = args.input && !strcmp(args.input, "-");

	return form.tui && !wants_text() &&
	       browser__has_terminal(is_piped, form.tui_given, "the report is text");
}

int cmd_report(int argc, const char **argv)
{
	int nr, ret;

	mem__keep_freed();
	args.style.color = term__has_color(STDOUT_FILENO);
	nr = perf__parse_options(report_options, report_usage, 0, argc, argv);
	if (nr < 0)
		return -nr;
	msg__set_level(args.quiet ? MSG_QUIET : form.verbose);
	args.style.verbose = form.verbose > 0;
	if (!form.html && form.html_sources)
		form.html = "perf.html";
	if (form.gtk)
		info("--gtk is not there: the report is text");
	if (form.html && form.html_output)
		form.html = form.html_output;
	if (form.html_output && !form.html) {
		error__say("-o needs --html; the text report goes to standard output: %s report >%s",
			   called_name(), form.html_output);
		return EXIT_USAGE;
	}
	ret = take_words(nr, argv);
	if (!ret && wants_browser())
		args.browse = report_browser__run;
	return ret ? ret : run_report(&args);
}

int perf__explain_names(const char *path)
{
	struct report_args names = { REPORT_DEFAULTS, .input = path, .lacks = true };

	names.graph.mode = GRAPH_NONE;
	names.samples.children = false;
	return run_report(&names);
}
