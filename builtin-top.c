/* perf top: show what runs now. */
#include "builtin.h"

#include "base/command/term.h"
#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "browser/report_browser.h"
#include "live/abilities.h"
#include "record/options/attr_args.h"
#include "record/options/buffer_opts.h"
#include "top/top.h"
#include "ui/notes/reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const top_usage[] = { "perf top [<options>] [<command>]", NULL };

static struct top_args args = {
	.report = {
		.is_live = true,
		.browser = { .mouse = true, .headers = true },
		.samples = { .children = true, .max_stack = MAX_STACK_OF_STOCK, .socket = -1 },
		.table = { .group = true,
			   .skip_empty = true,
			   .idle = true,
			   .percent_limit = -1,
			   .time_quantum = TIME_QUANTUM },
		.graph = { .mode = GRAPH_ABSOLUTE, .percent = GRAPH_LIMIT },
		.places = { .inlines = true },
	},
	.delay = 2,
};
static bool stdio, tui_given, hides_kernel, hides_user;
static int verbose;
static bool ignored; /* options without effect */
static const char *ignored_text;

static int parse_tui(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	(void)opt;
	(void)arg;
	(void)err;
	stdio = unset;
	tui_given = !unset;
	return 0;
}

static int parse_percent_limit(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	double *limit = opt->value;

	*limit = 0;
	return unset ? 0 : option__parse_percent(arg, limit, err);
}

static const struct option top_options[] = {
	OPT_GROUP("What to watch"),
	OPT_CALLBACK('e', "event", &args.record, "event", "what to sample, such as cycles:u,page-faults",
		     record_args__event),
	OPT_CALLBACK_NOARG('g', NULL, &args.record.opts.attrs, "record call chains", attr_args__call_graph),
	OPT_CALLBACK(0, "call-graph", &args.record.opts.attrs, "mode",
		     "call chains: auto, fp, dwarf or lbr, as of perf record", attr_args__call_graph),
	OPT_CALLBACK('F', "freq", &args.record.opts.attrs, "freq or 'max'", "samples a second (4000)",
		     attr_args__freq),
	OPT_U64_RANGE('c', "count", &args.record.opts.attrs.rate.period, "n", 1, INT64_MAX,
		      "sample every n events"),
	OPT_BOOL('a', "all-cpus", &args.record.opts.target.system_wide, "watch all CPUs (default)"),
	OPT_STRING('p', "pid", &args.record.opts.target.pids, "pid", "watch these processes"),
	OPT_STRING('t', "tid", &args.record.opts.target.tids, "tid", "watch these threads"),
	OPT_STRING('u', "uid", &args.record.opts.target.user, "user", "watch the processes of this user"),
	OPT_STRING('C', "cpu", &args.record.opts.target.cpus, "list", "watch these CPUs only, such as 0-3,8"),
	OPT_CALLBACK('G', "cgroup", &args.record.events, "name",
		     "count only tasks of this control group, for the events before it", event_args__cgroup),
	OPT_BOOL('i', "no-inherit", &args.record.opts.attrs.no_inherit,
		 "leave out child processes and new threads"),
	OPT_BOOL(0, "group", &args.record.group, "count all events as one group"),
	OPT_CALLBACK_NOARG('b', "branch-any", &args.record.opts.attrs, "count the branches that were taken",
			   attr_args__branches),
	OPT_CALLBACK('j', "branch-filter", &args.record.opts.attrs, "kinds",
		     "count branches of these kinds, such as any_call,u", attr_args__branches),

	OPT_GROUP("What to show"),
	OPT_UINT('d', "delay", &args.delay, "seconds", "time between two screens (2)"),
	OPT_BOOL('z', "zero", &args.zero, "each screen shows its own samples alone"),
	OPT_BOOL(0, "accumulate", &args.keeps, "older samples weigh as much as new ones"),
	OPT_BOOL_SET(0, "children", &args.report.samples.children, &args.report.samples.children_given,
		     "count a sample for all functions in its call chain"),
	OPT_CALLBACK(0, "percent-limit", &args.report.table.percent_limit, "percent",
		     "leave out rows with a smaller part", parse_percent_limit),
	OPT_UINT('E', "entries", &args.entries, "n", "--stdio: print so many rows (20, or a screen)"),
	OPT_BOOL('K', "hide_kernel_symbols", &hides_kernel, "leave out the kernel"),
	OPT_BOOL('U', "hide_user_symbols", &hides_user, "leave out user space"),
	OPT_UINT(0, "max-stack", &args.report.samples.max_stack, "n",
		 "use only n entries of each call chain (127)"),
	OPT_UINT(0, "group-sort-idx", &args.report.table.group_sort_idx, "n",
		 "sort the rows of groups by the event at this index (0: the leader)"),

	OPT_GROUP("Form"),
	OPT_CALLBACK_NOARG(0, "tui", NULL, "browse what runs (default on a terminal; --no-tui: text)",
			   parse_tui),
	OPT_BOOL(0, "stdio", &stdio, "print tables, one after the other (default without a terminal)"),
	OPT_BOOL(0, "mouse", &args.report.browser.mouse, "let the browser have the mouse (default)"),
	OPT_BOOL(0, "hierarchy", &args.report.table.hierarchy,
		 "show rows as a tree, with a level for each sort key"),
	OPT_STRING('w', "column-widths", &args.report.table.widths, "width[,width...]",
		   "set the widths of the columns"),
	OPT_INCR('v', "verbose", &verbose, "say more"),

	OPT_GROUP("Rows, columns, filters"),
	OPT_STRING('s', "sort", &args.report.table.sort, "key[,key2...]",
		   "what makes a row, as of perf report (dso,symbol)"),
	OPT_STRING(0, "fields", &args.report.table.fields, "key[,keys...]", "the columns, as of perf report"),
	OPT_BOOL('n', "show-nr-samples", &args.report.table.samples, "show how many samples each row has"),
	OPT_BOOL(0, "show-total-period", &args.report.table.period, "show the periods of each row, added up"),
	OPT_STRING(0, "comms", &args.report.samples.filter.comms, "comm[,comm...]",
		   "keep threads with these names"),
	OPT_STRING(0, "dsos", &args.report.samples.filter.dsos, "dso[,dso...]",
		   "keep rows of these binaries"),
	OPT_STRING(0, "symbols", &args.report.samples.filter.symbols, "symbol[,symbol...]",
		   "keep rows of these functions"),
	OPT_STRING(0, "ignore-callees", &args.report.samples.ignore_callees, "regex",
		   "count what such functions call as these functions"),
	OPT_BOOL(0, "raw-trace", &args.report.table.raw_trace,
		 "show tracepoint fields as recorded, not as their print format says"),

	OPT_GROUP("Recording"),
	OPT_CALLBACK('m', "mmap-pages", &args.record.opts.pages, "pages",
		     "size of each ring buffer, in pages or as 1M", ring_pages__parse),
	OPT_BOOL(0, "all-cgroups", &args.record.opts.attrs.side_band.cgroups,
		 "know which cgroup each sample is of"),
	OPT_BOOL(0, "namespaces", &args.record.opts.attrs.side_band.namespaces,
		 "know which namespaces processes are in"),
	OPT_BOOL(0, "no-bpf-event", &args.record.opts.attrs.side_band.no_bpf_events,
		 "do not notice when BPF programs are loaded and unloaded"),
	OPT_BOOL(0, "stitch-lbr", &args.report.samples.stitch_lbr,
		 "complete call chains of the processor with those of samples before (--call-graph lbr)"),
	OPT_INT('r', "realtime", &args.record.opts.realtime, "n",
		"empty the buffers with this real-time priority (SCHED_FIFO)"),

	OPT_GROUP("Files and symbols"),
	OPT_STRING('k', "vmlinux", &args.report.symbols.vmlinux, "file",
		   "the kernel's symbols are in this vmlinux"),
	OPT_BOOL(0, "ignore-vmlinux", &args.report.symbols.ignore_vmlinux, "do not search for a vmlinux"),
	OPT_STRING(0, "kallsyms", &args.report.symbols.kallsyms, "file",
		   "the kernel's symbols are in this copy of /proc/kallsyms"),
	OPT_BOOL(0, "demangle-kernel", &args.report.symbols.demangle_kernel,
		 "demangle names of the kernel, too"),
	OPT_BOOL(0, "force", &args.report.symbols.any_owner, "use /tmp/perf-PID.map of any owner"),

	/* Options of stock perf without effect */
	OPT_BOOL(0, "asm-raw", &ignored, "accepted; of annotated code"),
	OPT_BOOL('D', "dump-symtab", &ignored, "accepted; does nothing"),
	OPT_STRING('f', "count-filter", &ignored_text, "n",
		   "accepted; --percent-limit leaves out small rows"),
	OPT_STRING('M', "disassembler-style", &ignored_text, "style", "accepted; of annotated code"),
	OPT_STRING(0, "num-thread-synthesize", &ignored_text, "n",
		   "accepted; perf chooses the number of threads"),
	OPT_STRING(0, "objdump", &ignored_text, "path", "accepted; of annotated code"),
	OPT_BOOL(0, "overwrite", &ignored, "accepted; nothing is overwritten"),
	OPT_STRING(0, "percentage", &ignored_text, "kind", "accepted; with filters, 100% is all samples"),
	OPT_STRING(0, "prefix", &ignored_text, "prefix", "accepted; of annotated code"),
	OPT_STRING(0, "prefix-strip", &ignored_text, "n", "accepted; of annotated code"),
	OPT_STRING(0, "proc-map-timeout", &ignored_text, "ms", "accepted; there is no time limit"),
	OPT_BOOL(0, "source", &ignored, "accepted; of annotated code"),
	OPT_STRING(0, "sym-annotate", &ignored_text, "symbol", "accepted; a in the browser shows code"),

	/* Keys of configuration files */
	OPT_CONFIG(OPTION_STRING, "call-graph.record-mode", &args.record.opts.attrs.chains.default_mode,
		   const char *),
	OPT_CONFIG(OPTION_BOOL_INV, "tui.top", &stdio, bool),
	{ OPT_TYPED_(OPTION_BOOL, &args.report.samples.children, bool), .name = "top.children",
	  .given = &args.report.samples.children_given, .flags = OPTION_HIDDEN },
	OPT_END(),
};

static int browse(struct top *t, struct err *err)
{
	int ret = top__wait(t, err);

	return ret > 0 ? report_browser__run(&t->screen, err) : ret == -ENODATA ? 0 : ret;
}

static int run_top(char *const *argv)
{
	bool browses = !stdio && browser__has_terminal(false, tui_given, "tables follow");
	struct err err = ERR_INIT;
	struct top top;
	int ret;

	args.report.browse = browses ? report_browser__run : NULL;
	reading__begin(true);
	ret = top__init(&top, &args, argv, browses, &err);
	if (!ret)
		ret = browses ? browse(&top, &err) : top_text__run(&top, &err);
	top__exit(&top);
	reading__end();
	if (ret)
		error__print(&err);
	err__exit(&err);
	return ret ? 1 : 0;
}

static bool can_watch_all(void)
{
	struct perf_event_attr attr;
	struct failure failure;
	struct facts facts;
	size_t i = 0;

	while (strcmp(abilities__get(i)->name, "system") != 0)
		i++;
	facts__init(&facts);
	return !abilities__get(i)->try(&facts, &attr, &failure);
}

/* Choose the user's own processes if the user may not watch all, unless others were asked for. */
static void choose_target(bool has_command)
{
	struct target_opts *t = &args.record.opts.target;
	static char uid[16];

	if (has_command || t->system_wide || t->pids || t->tids || t->user || t->cpus || can_watch_all())
		return;
	snprintf(uid, sizeof(uid), "%u", (unsigned)geteuid());
	t->user = uid;
	info("watching the processes of this user; %s doctor says what all processes need", called_name());
}

/* Check the options, and complete those of the recording as perf record does. */
static int finalize(bool has_command, struct err *err)
{
	struct record_args *r = &args.record;

	if (!args.delay)
		return err__set(err, -EINVAL, "-d 0: the shortest delay is a second");
	if (hides_kernel && hides_user)
		return err__set(err, -EINVAL, "-K and -U leave nothing to show");
	r->opts.attrs.all_user |= hides_kernel;
	r->opts.attrs.all_kernel |= hides_user;
	r->opts.output = "slices"; /* not standard output, if that is a pipe */
	r->no_embed = true;
	if (!args.report.table.sort && !args.report.table.fields)
		args.report.table.sort = "dso,symbol";
	choose_target(has_command);
	return record_args__finalize(r, has_command, err);
}

int cmd_top(int argc, const char **argv)
{
	char *buildid_dir = perf__buildid_dir();
	struct record_args *r = &args.record;
	struct err err = ERR_INIT;
	const char **words; /* a copy, for the recording: parsing changes argv */
	int nr, ret;

	words = xreallocarray(NULL, (size_t)argc + 1, sizeof(*argv));
	words[0] = "perf";
	memcpy(words + 1, argv, (size_t)argc * sizeof(*argv));
	mem__keep_freed();
	record_args__init(r);
	args.report.style.color = term__has_color(STDOUT_FILENO);
	args.report.symbols.buildid_dir = buildid_dir;
	r->opts.host =
		(struct host_features_opts){ .version = perf__version, .argv = words, .argc = argc + 1 };
	nr = perf__parse_options(top_options, top_usage, OPTIONS_STOP_AT_NON_OPTION, argc, argv);
	msg__set_level(verbose);
	if (nr < 0) {
		ret = -nr;
	} else if (finalize(nr > 0, &err)) {
		error__print(&err);
		ret = EXIT_USAGE;
	} else {
		ret = run_top(nr ? (char *const *)argv : NULL);
	}
	err__exit(&err);
	record_args__exit(r);
	free(buildid_dir);
	free(words);
	return ret;
}
