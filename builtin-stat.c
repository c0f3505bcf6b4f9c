/* perf stat: count events of a command, of processes or of CPUs. */
#include "builtin.h"

#include "base/memory/mem.h"
#include "base/message/msg.h"
#include "profile/compare/compare_args.h"
#include "stat/stat.h"
#include "stat/stat_args.h"
#include "stat/stat_report.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REFUSED(s, l, a, why) \
	OPT_CALLBACK_(s, l, NULL, why, perf__refuse_option, .arg = (a), .flags = OPTION_HIDDEN)
#define REFUSED_FLAG(s, l, why) \
	OPT_CALLBACK_(s, l, NULL, why, perf__refuse_option, .flags = OPTION_HIDDEN | OPTION_NOARG)
#define NEEDS_TABLES "perf has no tables of vendors' metrics: count the events of the metric with -e"

static int count(struct stat_args *args, char **argv)
{
	struct err err = ERR_INIT;
	locale_t locale = newlocale(LC_NUMERIC_MASK, "", NULL);
	struct stat_outcome outcome = { 0 };
	int ret;

	if (args->opts.print.big_num && locale)
		uselocale(locale); /* digits are grouped as the user is used to */
	if (args->pair.other)
		ret = stat_pair__run(&args->opts, &args->pair, &args->events.list, argv, &outcome, &err);
	else
		ret = stat__run(&args->opts, &args->events.list, argv, &outcome, &err);
	uselocale(LC_GLOBAL_LOCALE);
	if (locale)
		freelocale(locale);
	if (ret < 0) {
		error__print(&err);
		ret = args->pair.bisects        ? BISECT_UNKNOWN
		      : !outcome.cannot_execute ? 1
		      : ret == -ENOENT          ? 127
						: 126;
	} else if (outcome.signo) {
		signal(outcome.signo, SIG_DFL);
		raise(outcome.signo); /* so that the parent sees it */
	} else if (outcome.cannot_print && (!ret || args->pair.bisects)) {
		ret = args->pair.bisects ? BISECT_UNKNOWN : 1;
	}
	err__exit(&err);
	return ret;
}

static int run(struct stat_args *args, char **argv)
{
	struct err err = ERR_INIT;
	int ret;

	msg__set_level(args->opts.is_quiet ? MSG_QUIET : args->opts.verbose);
	if (!stat_args__finalize(args, argv != NULL, &err))
		return count(args, argv);
	error__print(&err);
	ret = err.code == -EINVAL || err.code == -EOPNOTSUPP ? EXIT_USAGE
	      : args->pair.bisects                           ? BISECT_UNKNOWN
							     : 1;
	err__exit(&err);
	return ret;
}

/* ---- perf stat report ---- */

static int stat_report(int argc, const char **argv)
{
	static const char *const usage[] = { "perf stat report [<options>]", NULL };
	struct stat_args args;
	struct stat_report_opts opts = { .out_fd = STDERR_FILENO };
	const char *input = NULL;
	const struct option options[] = {
		OPT_STRING('i', "input", &input, "file", "the recording (perf.data)"),
		OPT_CALLBACK_NOARG('A', "no-aggr", &args, "a row for each CPU", stat_args__aggregate),
		OPT_CALLBACK_NOARG(0, "per-core", &args, "a row for each core", stat_args__aggregate),
		OPT_CALLBACK_NOARG(0, "per-die", &args, "a row for each die", stat_args__aggregate),
		OPT_CALLBACK_NOARG(0, "per-socket", &args, "a row for each socket", stat_args__aggregate),
		OPT_CALLBACK_NOARG(0, "per-node", &args, "a row for each memory node", stat_args__aggregate),
		OPT_CALLBACK_NOARG(0, "per-thread", &args, "a row for each thread", stat_args__aggregate),
		OPT_STRING('x', "field-separator", &args.separator, "separator",
			   "print lines of values with this between them, such as ,"),
		OPT_BOOL('j', "json-output", &args.json, "print a line of JSON for each number"),
		REFUSED(0, "per-cache", "level", "a recording does not say which CPUs share a cache"),
		REFUSED_FLAG(0, "per-cluster", "a recording does not say which CPUs form a cluster"),
		OPT_END(),
	};
	struct err err = ERR_INIT;
	int nr, ret = 0;

	stat_args__init(&args);
	nr = perf__parse_options(options, usage, 0, argc, argv);
	if (nr < 0)
		ret = -nr;
	else if (nr)
		ret = perf__take_input("perf stat report", nr, argv, &input);
	if (!ret && nr >= 0) {
		opts.path = input ? input : perf__default_input();
		opts.by = args.opts.by;
		opts.has_by = opts.by != AGGREGATE_ALL;
		opts.print.form = args.separator ? STAT_CSV : args.json ? STAT_JSON : STAT_TEXT;
		opts.print.separator = args.separator;
		if (stat_report__run(&opts, &err)) {
			error__print(&err);
			ret = 1;
		}
	}
	err__exit(&err);
	stat_args__exit(&args);
	return ret;
}

int cmd_stat(int argc, const char **argv)
{
	static const char *const usage[] = { "perf stat [<options>] [<command>]",
					     "perf stat [<options>] -- <command> [<options>]",
					     "perf stat record [<options>] [<command>]",
					     "perf stat report [<options>]", NULL };
	struct stat_args args;
	struct stat_opts *o = &args.opts;
	struct target_opts *target = &o->target;
	const struct option options[] = {
		OPT_GROUP("What to count"),
		OPT_CALLBACK('e', "event", &args, "event", "what to count, such as cycles:u,page-faults",
			     stat_args__event),
		OPT_CALLBACK(0, "pfm-events", &args.events, "event",
			     "what to count, by the vendors' names (libpfm4)", event_args__pfm_event),
		OPT_INCR('d', "detailed", &args.detail, "also caches and branches; -dd, -ddd: more of them"),
		OPT_CALLBACK(0, "filter", &args.events, "filter",
			     "count events of the last -e that match only", event_args__filter),
		OPT_BOOL('g', "group", &args.group, "count all events as one group"),
		OPT_BOOL('n', "null", &o->print.null_run, "count nothing, measure the time only"),
		OPT_BOOL(0, "all-user", &o->counting.all_user, "leave out the kernel, for all events"),
		OPT_BOOL(0, "all-kernel", &o->counting.all_kernel, "leave out user space, for all events"),

		OPT_GROUP("Of which programs, processes, CPUs"),
		OPT_BOOL('a', "all-cpus", &target->system_wide, "count everything on all CPUs"),
		OPT_STRING('p', "pid", &target->pids, "pid", "count these processes"),
		OPT_STRING('t', "tid", &target->tids, "tid", "count these threads"),
		OPT_STRING('C', "cpu", &target->cpus, "list", "count on these CPUs only, such as 0-3,8"),
		OPT_CALLBACK('G', "cgroup", &args.events, "name",
			     "count only tasks of this control group, for the events before it",
			     event_args__cgroup),
		OPT_STRING(0, "for-each-cgroup", &args.each_cgroup, "names",
			   "count all events for each of these control groups"),
		OPT_BOOL('i', "no-inherit", &o->counting.no_inherit,
			 "leave out child processes and new threads"),

		OPT_GROUP("How often, and when"),
		OPT_('r', "repeat", "run the command n times, and show mean and error; 0: until Ctrl-C",
		     OPT_TYPED_(OPTION_U64, &o->nr_runs, u64), .arg = "n", .given = &args.repeat_given),
		OPT_UINT('I', "interval-print", &o->interval_ms, "ms", "print what each interval counted"),
		OPT_UINT(0, "interval-count", &o->interval_count, "n", "with -I: end after n intervals"),
		OPT_UINT(0, "timeout", &o->timeout_ms, "ms", "end the command, or the counting, after this"),
		OPT_CALLBACK('D', "delay", &args, "ms",
			     "begin to count after this time; -1: when --control says so", stat_args__delay),
		OPT_STRING(0, "control", &o->control, "fd:ctl[,ack] or fifo:ctl[,ack]",
			   "take commands: enable, disable, stop, ping"),
		OPT_STRING(0, "pre", &o->before, "command", "run this before each run"),
		OPT_STRING(0, "post", &o->after, "command", "run this after each run"),
		OPT_STRING(0, "prepare", &o->before, "command", "as --pre"),
		OPT_BOOL('S', "sync", &o->syncs, "write dirty pages to disk before each run (sync)"),

		OPT_GROUP("Two programs"),
		OPT_STRING(0, "repeat-with", &args.pair.other, "program",
			   "with -r: run this program in turns with the command's, and compare them"),
		OPT_CALLBACK_OPTARG(0, "until-decided", &args, "max",
				    "instead of -r: until it is sure which is slower, at most so often (100)",
				    stat_args__until_decided, ""),
		OPT_UINT(0, "warmup", &args.pair.warmup, "n", "runs of each program before those that count"),
		OPT_CALLBACK(0, "least-change", &args, "percent",
			     "changes of less than this are not of interest (1)", stat_args__least_change),
		OPT_CALLBACK(0, "fail-on", &args, "slower[:percent]",
			     "exit with status 2 if the new program is slower (by so much)",
			     stat_args__fail_on),
		OPT_BOOL(0, "bisect", &args.pair.bisects,
			 "exit as git bisect run wants it: 0 good, 1 slower (by what --fail-on says), 125\n"
			 "cannot tell"),
		OPT_BOOL(0, "markdown", &args.pair.markdown,
			 "print one table in Markdown, for a comment on a change (GitHub, GitLab)"),

		OPT_GROUP("Rows"),
		OPT_CALLBACK_NOARG('A', "no-aggr", &args, "a row for each CPU", stat_args__aggregate),
		OPT_CALLBACK_NOARG(0, "per-core", &args, "a row for each core", stat_args__aggregate),
		OPT_CALLBACK_NOARG(0, "per-cluster", &args, "a row for each cluster of cores",
				   stat_args__aggregate),
		OPT_CALLBACK_OPTARG(0, "per-cache", &args, "level",
				    "a row for each cache: the last one, or L2 ...", stat_args__cache, ""),
		OPT_CALLBACK_NOARG(0, "per-die", &args, "a row for each die", stat_args__aggregate),
		OPT_CALLBACK_NOARG(0, "per-socket", &args, "a row for each socket", stat_args__aggregate),
		OPT_CALLBACK_NOARG(0, "per-node", &args, "a row for each memory node", stat_args__aggregate),
		OPT_CALLBACK_NOARG(0, "per-thread", &args, "a row for each thread (with -p, -t or -a)",
				   stat_args__aggregate),
		OPT_CALLBACK_NOARG(0, "no-merge", &args, "as -A", stat_args__aggregate),

		OPT_GROUP("Output"),
		OPT_STRING('x', "field-separator", &args.separator, "separator",
			   "print lines of values with this between them, such as ,"),
		OPT_BOOL('j', "json-output", &args.json, "print a line of JSON for each number"),
		OPT_STRING('o', "output", &args.output, "file", "write to a file"),
		OPT_BOOL(0, "append", &args.append, "with -o: at the end of the file"),
		OPT_UINT(0, "log-fd", &args.log_fd, "n", "write to this descriptor"),
		OPT_BOOL_SET('B', "big-num", &args.unused, &args.big_num,
			     "group digits, as the locale has it (the default)"),
		OPT_BOOL(0, "metric-only", &o->print.metric_only, "print computed ratios only"),
		OPT_BOOL(0, "table", &o->print.shows_table, "with -r: also print the time of each run"),
		OPT_BOOL(0, "summary", &o->summary, "with -I: also print the sum of all intervals"),
		OPT_BOOL(0, "no-csv-summary", &args.no_csv_summary,
			 "with -x and --summary: do not begin the lines of the sum with 'summary'"),
		OPT_BOOL(0, "interval-clear", &o->clears_screen,
			 "with -I: clear the screen before each table"),
		OPT_BOOL(0, "quiet", &o->is_quiet, "print nothing but errors"),
		OPT_INCR('v', "verbose", &o->verbose, "also print raw counts, and why numbers are missing"),

		OPT_GROUP("Accepted without effect"),
		OPT_BOOL_INV(0, "scale", &args.no_scale,
			     "counts of a part of the time are always scaled to all of it"),
		OPT_BOOL(0, "hybrid-merge", &args.unused, "events of several kinds of cores have rows each"),
		OPT_BOOL(0, "metric-no-group", &args.unused, "metrics are of the events that -e names"),
		OPT_BOOL(0, "metric-no-merge", &args.unused, "as --metric-no-group"),
		OPT_BOOL(0, "metric-no-threshold", &args.unused, "as --metric-no-group"),
		OPT_BOOL(0, "affinity", &args.unused, "counters are read from any CPU"),

		REFUSED('M', "metrics", "names", NEEDS_TABLES),
		REFUSED_FLAG(0, "topdown", NEEDS_TABLES),
		REFUSED(0, "td-level", "n", NEEDS_TABLES),
		REFUSED_FLAG('T', "transaction", "name the events: -e cycles,cpu/cycles-t/,cpu/tx-start/"),
		REFUSED_FLAG(0, "smi-cost",
			     "count the events of the msr PMU: -e msr/smi/,msr/aperf/,cycles -a"),
		REFUSED(0, "cputype", "type", "name the PMU in -e: cpu_core/cycles/"),
		REFUSED(0, "pmu-filter", "pmu", "name the PMU in -e"),
		REFUSED_FLAG(0, "percore-show-thread", "use -A: a row for each hardware thread"),
		REFUSED_FLAG(0, "iostat", NEEDS_TABLES),
		REFUSED_FLAG(0, "record-tpebs", NEEDS_TABLES),
		REFUSED(0, "tpebs-mode", "mode", NEEDS_TABLES),
		REFUSED_FLAG(0, "bpf-counters", "counters of the kernel are shared by perf_event_open"),
		OPT_END(),
	};
	const char **words = xreallocarray(NULL, (size_t)argc + 1, sizeof(*argv));
	int nr, ret;

	words[0] = "perf"; /* the command line of a recording; parsing changes argv */
	memcpy(words + 1, argv, (size_t)argc * sizeof(*argv));
	stat_args__init(&args);
	nr = perf__parse_options(options, usage, OPTIONS_STOP_AT_NON_OPTION, argc, argv);
	if (nr > 0 && !strcmp(argv[0], "record")) {
		args.records = true;
		o->record.host = (struct host_features_opts){ perf__version, words, argc + 1 };
		nr = perf__parse_options(options, usage, OPTIONS_STOP_AT_NON_OPTION, nr, argv);
	}
	if (nr > 0 && !args.records && !strcmp(argv[0], "report"))
		ret = stat_report(nr, argv);
	else
		ret = nr < 0 ? -nr : run(&args, nr ? (char **)argv : NULL);
	stat_args__exit(&args);
	free(words);
	return ret;
}
