/* perf diff: compare recordings. */
#include "builtin.h"

#include "base/memory/mem.h"
#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "ui/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const diff_usage[] = { "perf diff [<options>] [<old recording>] [<new recording>]", NULL };

static struct diff_args args;
static bool is_stock; /* an option of stock perf's table was given */
static bool ignored;  /* options without effect */
static bool method_given, order_given;

static int parse_method(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	method_given = !unset;
	return diff_stock__parse_method(opt->value, unset ? "delta-abs" : arg, err);
}

static int parse_default_method(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	int ret = parse_method(opt, arg, unset, err);

	method_given = false;
	return ret;
}

static int parse_percentage(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	static const char *const names[] = { "absolute", "relative" };
	static const struct word_list kinds = WORD_LIST("kind", names, 0);
	int kind = unset ? 0 : word_list__choose(&kinds, arg, strlen(arg), err);

	*(bool *)opt->value = kind == 1;
	return MIN(kind, 0);
}

static int not_supported(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	(void)opt;
	(void)arg;
	return unset ? 0 : err__set(err, -EOPNOTSUPP, "not supported yet");
}

static const struct option diff_options[] = {
	OPT_BOOL(0, "stock", &is_stock, "print the table of stock perf, as -c, -o, -p and -F do"),
	OPT_CALLBACK('c', "compute", &args.stock, "method",
		     "how to compare: delta-abs (default), delta, ratio or wdiff:W1,W2", parse_method),
	OPT_('o', "order", "sort by the difference of this recording (1); 0: by the first recording",
	     OPT_TYPED_(OPTION_UINT, &args.stock.order, unsigned), .arg = "n", .given = &order_given),
	OPT_BOOL('p', "period", &args.stock.period, "show the periods of both"),
	OPT_BOOL('F', "formula", &args.stock.formula, "show how each difference is computed"),
	OPT_BOOL('b', "baseline-only", &args.stock.baseline_only,
		 "leave out rows that the first recording lacks"),
	OPT_STRING('s', "sort", &args.sort, "key[,key2...]",
		   "what makes a row: keys of perf report -s (default: dso,symbol)"),
	OPT_STRING('C', "comms", &args.filter.comms, "comm[,comm...]", "keep threads with these names"),
	OPT_STRING('d', "dsos", &args.filter.dsos, "dso[,dso...]", "keep rows of these binaries"),
	OPT_STRING('S', "symbols", &args.filter.symbols, "symbol[,symbol...]",
		   "keep rows of these functions"),
	OPT_STRING(0, "cpu", &args.filter.cpus, "cpu", "keep samples of these CPUs, such as 0-3,8"),
	OPT_STRING(0, "pid", &args.filter.pids, "pid[,pid...]", "keep samples of these processes"),
	OPT_STRING(0, "tid", &args.filter.tids, "tid[,tid...]", "keep samples of these threads"),
	OPT_STRING(0, "time", &args.filter.times, "str",
		   "keep samples of this time: START,STOP in seconds, or a part such as 10%/2;\n"
		   "':' separates the times of the first, the second ... recording"),
	OPT_CALLBACK(0, "percentage", &args.relative, "relative|absolute",
		     "with filters, 100% is what is shown (relative) or all samples (absolute)",
		     parse_percentage),
	OPT_STRING('t', "field-separator", &args.stock.separator, "separator",
		   "put this between columns; not '.'"),
	OPT_CALLBACK(0, "symfs", &args.symbols, "folder[,layout]",
		     "search for binaries and debug files below this folder; layout flat: without the\n"
		     "folders they were recorded in",
		     perf__parse_symfs),
	OPT_STRING(0, "kallsyms", &args.symbols.kallsyms, "file",
		   "the kernel's symbols are in this copy of /proc/kallsyms"),
	OPT_BOOL('D', "dump-raw-trace", &args.dump, "print each record of the recordings instead"),
	OPT_UINT(0, "threads", &args.threads, "n", "read with n threads (default: one for each online CPU)"),
	OPT_BOOL('q', "quiet", &args.quiet, "print only the rows, no progress"),
	OPT_INCR('v', "verbose", &args.verbose, "say more: which files, and the paths of binaries"),
	OPT_BOOL('f', "force", &args.symbols.any_owner, "use /tmp/perf-PID.map of any owner"),
	OPT_BOOL('m', "modules", &ignored, "accepted; kernel modules always have symbols"),
	OPT_CALLBACK_(0, "cycles-hist", NULL, "not supported yet", not_supported,
		      .flags = OPTION_NOARG | OPTION_HIDDEN),
	OPT_CALLBACK_(0, "stream", NULL, "not supported yet", not_supported,
		      .flags = OPTION_NOARG | OPTION_HIDDEN),
	OPT_CONFIG(OPTION_UINT, "diff.order", &args.stock.order, unsigned),
	OPT_CONFIG_CALLBACK("diff.compute", &args.stock, parse_default_method),
	OPT_END(),
};

/* The recordings to compare: perf.data.old and perf.data unless named. */
static void take_files(int nr, const char **words)
{
	if (nr < 2)
		array__add(&args.files, "perf.data.old");
	for (int i = 0; i < nr; i++)
		array__add(&args.files, words[i]);
	if (!nr)
		array__add(&args.files, "perf.data");
}

int cmd_diff(int argc, const char **argv)
{
	char *buildid_dir;
	int nr, ret;

	args.stock.order = 1;
	mem__keep_freed();
	nr = perf__parse_options(diff_options, diff_usage, 0, argc, argv);
	if (nr < 0)
		return -nr;
	msg__set_level(args.quiet ? MSG_QUIET : args.verbose);
	take_files(nr, argv);
	args.symbols.no_made_up_names = true;
	buildid_dir = perf__buildid_dir();
	args.symbols.buildid_dir = buildid_dir;
	ret = diff__main(&args);
	array__exit(&args.files);
	free(buildid_dir);
	return ret;
}
