/* perf diff: compare recordings. */
#include "builtin.h"

#include "base/memory/mem.h"
#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "base/text/number.h"
#include "browser/compare_browser.h"
#include "export/compare_page.h"
#include "merge/baseline.h"
#include "profile/compare/compare_args.h"
#include "ui/diff.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const diff_usage[] = { "perf diff [<options>] [<old recording>] [<new recording>]",
					  "perf diff [<options>] <old recordings> -- <new recordings>",
					  "perf diff [<options>] --baseline <folder> <new recordings>",
					  NULL };

static struct diff_args args = {
	.least_change = 0.01,
	.write_page = compare_page__write,
	.browser.mouse = true,
};
static bool tui = true; /* show a browser where there is a terminal; tui.diff of perf config */
static bool tui_given;
static diff_files old_files, new_files; /* --old, --new */
static const char *baseline_folder;     /* --baseline */
static unsigned baseline_keep;          /* --baseline-add; 0: not given */
static bool adds_to_baseline;
static bool ignored;                                                /* options without effect */
static bool order_given, method_given, period_given, formula_given; /* options of stock perf's table */
static bool inlines = true;

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

static int parse_file(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	diff_files *files = opt->value;

	(void)err;
	if (unset)
		files->nr = 0;
	else
		array__add(files, arg);
	return 0;
}

static const char *page_output; /* -o FILE, of --html */

/* "-o N" of stock perf's tables; with --html, "-o FILE", as in report. */
static int parse_order(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	u64 n = 0;

	(void)err;
	page_output = NULL;
	if (!unset && !number__parse(arg, 0, UINT_MAX, &n))
		page_output = arg;
	order_given = !unset && !page_output;
	*(unsigned *)opt->value = unset ? 1 : (unsigned)n;
	return 0;
}

static int parse_fail_on(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	(void)opt;
	args.limit.is_on = !unset;
	args.limit.slower = 0;
	args.limit.needs_touched = false;
	return unset ? 0 : fail_on__parse(arg, &args.limit.slower, &args.limit.needs_touched, err);
}

static int parse_least_change(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	return least_change__parse(unset ? LEAST_CHANGE_DEFAULT : arg, opt->value, err);
}

static const struct option diff_options[] = {
	OPT_GROUP("What to compare"),
	OPT_CALLBACK(0, "old", &old_files, "file", "an old recording; may be given several times",
		     parse_file),
	OPT_CALLBACK(0, "new", &new_files, "file", "a new recording; may be given several times", parse_file),
	OPT_STRING(0, "baseline", &baseline_folder, "folder",
		   "the old recordings are those in this folder; all that are named are new"),
	OPT_(0, "baseline-add",
	     "with --baseline: unless something is slower, add the new recordings to the folder,\n"
	     "and keep the last n that were added",
	     OPT_TYPED_(OPTION_UINT, &baseline_keep, unsigned), .arg = "n", .given = &adds_to_baseline),
	OPT_CALLBACK_OPTARG(
		0, "span", &args.spans, "name",
		"compare how long the calls of a function took (record --span); name: which, if the\n"
		"recordings have several",
		perf__parse_span, ""),
	OPT_STRING('e', "event", &args.event, "event",
		   "compare what this event counted (default: the first)"),
	OPT_STRING(0, "per", &args.per, "event|n",
		   "divide costs by what was counted of an event, such as instructions, or by a number\n"
		   "(default: by run, or by second of recordings without a command)"),
	OPT_CALLBACK(0, "least-change", &args.least_change, "percent",
		     "changes of less than this part of the total are not of interest (1)",
		     parse_least_change),
	OPT_STRING_OPTARG(0, "git", &args.git.commits, "old..new",
			  "mark functions that the change between these commits touched (default: the\n"
			  "commits that the recordings name, record --label commit=NAME)",
			  ""),
	OPT_STRING(0, "git-dir", &args.git.dir, "folder", "the repository of --git is in this folder (.)"),

	OPT_GROUP("Form, and for scripts"),
	OPT_BOOL_SET(0, "tui", &tui, &tui_given,
		     "browse the comparison (default on a terminal; --no-tui: text)"),
	OPT_CALLBACK(
		0, "fail-on", NULL, "slower[:percent][,touched]",
		"exit with status 2 if a function is slower (by so much), or the total of several runs;\n"
		"touched: a function that the change touched (--git)",
		parse_fail_on),
	OPT_BOOL(0, "bisect", &args.limit.bisect,
		 "exit as git bisect run wants it: 0 good, 1 a function (of -S) or the total is slower (by\n"
		 "what --fail-on says), 125 cannot tell"),
	OPT_BOOL(0, "json", &args.json, "print the comparison as JSON (Documentation/diff-schema.json)"),
	OPT_BOOL(0, "markdown", &args.markdown,
		 "print one table in Markdown, for a comment on a change (GitHub, GitLab)"),
	OPT_BOOL(0, "folded", &args.folded,
		 "print each stack with its old and new cost, for difference flame graphs"),
	OPT_STRING_OPTARG(0, "html", &args.page, "file",
			  "write a page for any browser (perf.html): difference flame graph, functions",
			  "perf.html"),
	OPT_BOOL(0, "full-names", &args.full_names, "on a terminal, too, show whole names"),
	OPT_BOOL(0, "mouse", &args.browser.mouse, "let the browser have the mouse (default)"),
	OPT_BOOL('q', "quiet", &args.quiet, "print only the rows, no progress"),
	OPT_INCR('v', "verbose", &args.verbose, "say more: which files, and the paths of binaries"),
	OPT_BOOL('D', "dump-raw-trace", &args.dump, "print each record of the recordings instead"),

	OPT_GROUP("Rows and filters"),
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

	OPT_GROUP("As in stock perf"),
	OPT_BOOL(0, "stock", &args.is_stock, "print the table of stock perf, as -c, -o, -p, -F and -s do"),
	OPT_CALLBACK('c', "compute", &args.stock, "method",
		     "how to compare: delta-abs (default), delta, ratio, wdiff:W1,W2, or cycles",
		     parse_method),
	OPT_CALLBACK('o', "order", &args.stock.order, "n",
		     "sort by the difference of this recording (1); 0: by the first recording;\n"
		     "with --html, -o FILE: the file to write",
		     parse_order),
	OPT_BOOL_SET('p', "period", &args.stock.period, &period_given, "show the periods of both"),
	OPT_BOOL_SET('F', "formula", &args.stock.formula, &formula_given,
		     "show how each difference is computed"),
	OPT_BOOL('b', "baseline-only", &args.stock.baseline_only,
		 "leave out rows that the first recording lacks"),
	OPT_BOOL(0, "cycles-hist", &args.stock.cycles_hist,
		 "with -c cycles: how sure the difference is, and how far the cycles vary"),
	OPT_BOOL(0, "stream", &args.streams,
		 "compare what ran before samples most often, as their branch stacks tell (record -b)"),
	OPT_STRING('t', "field-separator", &args.stock.separator, "separator",
		   "put this between columns; not '.'"),

	OPT_GROUP("Files and symbols"),
	OPT_CALLBACK(0, "symfs", &args.symbols, "folder[,layout]",
		     "search for binaries and debug files below this folder; layout flat: without the\n"
		     "folders they were recorded in",
		     perf__parse_symfs),
	OPT_STRING(0, "kallsyms", &args.symbols.kallsyms, "file",
		   "the kernel's symbols are in this copy of /proc/kallsyms"),
	OPT_BOOL(0, "inline", &inlines, "inlined functions are functions of their own (default)"),
	OPT_BOOL('f', "force", &args.symbols.any_owner, "use /tmp/perf-PID.map of any owner"),
	OPT_UINT(0, "threads", &args.threads, "n", "read with n threads (default: one for each online CPU)"),

	OPT_BOOL('m', "modules", &ignored, "accepted; kernel modules always have symbols"),
	OPT_CONFIG(OPTION_BOOL, "tui.diff", &tui, bool),
	OPT_CONFIG_COLORS(args.browser),
	OPT_CONFIG(OPTION_UINT, "diff.order", &args.stock.order, unsigned),
	OPT_CONFIG_CALLBACK("diff.compute", &args.stock, parse_default_method),
	OPT_END(),
};

/*
 * Take the recordings to compare: words before and after "--" are old and new ones. If there is no "--", the
 * first word is the old one, or perf.data.old if there is only one word. nr_after: number of words after
 * "--", negative if there was none. Return 0 or EXIT_USAGE.
 */
static int take_files(int nr, const char **words, int nr_after)
{
	int nr_old = nr_after >= 0 ? nr - nr_after : MIN(nr, 1);
	bool has_names = old_files.nr || new_files.nr;

	if (has_names ? nr || !old_files.nr || !new_files.nr : nr_after >= 0 && (!nr_old || !nr_after)) {
		error__say("name old and new recordings: %s diff OLD... -- NEW...", called_name());
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < old_files.nr; i++)
		array__add(&args.files, old_files.v[i]);
	for (size_t i = 0; i < new_files.nr; i++)
		array__add(&args.files, new_files.v[i]);
	args.nr_old = has_names ? (u32)old_files.nr : (u32)MAX(nr_old, 1);
	if (!has_names && nr < 2 && access("perf.data.old", F_OK)) {
		error__say("name two recordings: %s diff OLD NEW; there is no perf.data.old to compare with",
			   called_name());
		return EXIT_USAGE;
	}
	if (!has_names && nr < 2)
		array__add(&args.files, "perf.data.old");
	for (int i = 0; i < nr; i++)
		array__add(&args.files, words[i]);
	if (!has_names && !nr)
		array__add(&args.files, "perf.data");
	args.is_stock |= !has_names && nr > 2 && nr_after < 0;
	return 0;
}

/*
 * Return the words with "--git OLD..NEW" as one word, which the caller frees: an option whose value may be
 * missing takes it after '='. *argc: their number.
 */
static const char **join_commits(int *argc, const char **argv, char **joined)
{
	const char **words = xcalloc((size_t)*argc + 1, sizeof(*words));
	int nr = 0;

	for (int i = 0; i < *argc; i++) {
		bool is_pair = !strcmp(argv[i], "--git") && i + 1 < *argc && strstr(argv[i + 1], "..") &&
			       access(argv[i + 1], F_OK) && !*joined;

		if (is_pair)
			*joined = xasprintf("--git=%s", argv[++i]);
		words[nr++] = is_pair ? *joined : argv[i];
	}
	*argc = nr;
	return words;
}

static int count_words_after_dashes(int argc, const char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - i - 1;
	return -1;
}

/* Should the comparison be text? A script that asks for an exit status does not want a browser. */
static bool wants_text(void)
{
	return args.json || args.folded || args.markdown || args.page || args.is_stock || args.dump ||
	       args.quiet || args.limit.is_on || args.limit.bisect || args.spans.has_span;
}

/* ---- --baseline ---- */

static void baseline_is_read(void *arg)
{
	baseline__unlock(arg);
}

/* Add the new recordings, unless they are slower. */
static int baseline_is_compared(void *arg, bool is_slower, struct err *err)
{
	const struct merge_opts opts = { .buildid_dir = args.symbols.buildid_dir,
					 .nr_threads = args.threads };

	if (!baseline_keep)
		return 0;
	if (is_slower) {
		info("--baseline-add: something is slower: nothing was added to '%s'", baseline_folder);
		return 0;
	}
	return baseline__add(arg, args.files.v + args.nr_old, (u32)args.files.nr - args.nr_old, baseline_keep,
			     &opts, err);
}

/* Take the files of the folder as old ones, and words, or perf.data, as new ones. */
static int take_baseline(struct baseline *b, int nr, const char **words, int nr_after)
{
	struct err err = ERR_INIT;
	int ret;

	if (old_files.nr || new_files.nr || nr_after >= 0) {
		error__say("--baseline: the folder has the old recordings; name the new ones only");
		return EXIT_USAGE;
	}
	ret = baseline__open(b, baseline_folder, baseline_keep, &err);
	for (size_t i = 0; i < b->files.nr && !ret; i++) {
		array__add(&args.files, b->files.v[i]);
		for (int w = 0; w < nr; w++)
			if (file__is_same(words[w], b->files.v[i]))
				ret = err__set(&err, -EINVAL, "'%s' is in the baseline", words[w]);
	}
	args.nr_old = (u32)args.files.nr;
	for (int i = 0; i < nr; i++)
		array__add(&args.files, words[i]);
	if (!nr)
		array__add(&args.files, "perf.data");
	args.baseline.has_read = baseline_is_read;
	args.baseline.has_compared = baseline_is_compared;
	args.baseline.ctx = b;
	args.new_is_one = true;
	if (ret)
		error__print(&err);
	err__exit(&err);
	return !ret ? 0 : args.limit.bisect ? BISECT_UNKNOWN : 1;
}

/* There is nothing to compare with yet. */
static int begin_baseline(struct baseline *b)
{
	struct err err = ERR_INIT;
	int ret;

	info("--baseline: '%s' has no recordings yet: nothing was compared", baseline_folder);
	baseline__unlock(b);
	ret = baseline_is_compared(b, false, &err);
	if (ret)
		error__print(&err);
	err__exit(&err);
	return args.limit.bisect ? BISECT_UNKNOWN : ret ? 1 : 0;
}

int cmd_diff(int argc, const char **argv)
{
	int nr_after = count_words_after_dashes(argc, argv), nr, ret;
	char *buildid_dir = NULL, *joined = NULL;
	const char **words = join_commits(&argc, argv, &joined);
	struct baseline baseline = { .lock_fd = -1 };

	args.stock.order = 1;
	mem__keep_freed();
	nr = perf__parse_options(diff_options, diff_usage, 0, argc, words);
	if (nr < 0)
		return -nr;
	if (page_output && !args.page) {
		error__say("-o: '%s' is not a number; a file needs --html", page_output);
		return EXIT_USAGE;
	}
	if (page_output)
		args.page = page_output;
	msg__set_level(args.quiet ? MSG_QUIET : args.verbose);
	args.is_stock |= order_given || method_given || period_given || formula_given || args.sort ||
			 args.stock.separator || args.stock.baseline_only || args.streams ||
			 args.stock.cycles_hist;
	args.baseline.adds = adds_to_baseline;
	if (adds_to_baseline && (!baseline_folder || !baseline_keep)) {
		error__say(baseline_keep ? "--baseline-add needs --baseline FOLDER"
					 : "--baseline-add: keep one recording or more");
		return EXIT_USAGE;
	}
	if (baseline_folder && args.is_stock) {
		error__say("--baseline is not for stock perf's table");
		return EXIT_USAGE;
	}
	ret = baseline_folder ? take_baseline(&baseline, nr, words, nr_after)
			      : take_files(nr, words, nr_after);
	if (ret)
		goto out;
	args.no_inlines = !inlines;
	args.symbols.no_made_up_names = args.is_stock;
	if (tui && !wants_text() && browser__has_terminal(false, tui_given, "the comparison is text"))
		args.browse = compare_browser__run;
	buildid_dir = perf__buildid_dir();
	args.symbols.buildid_dir = buildid_dir;
	ret = baseline_folder && !args.nr_old ? begin_baseline(&baseline) : diff__main(&args);
out:
	baseline__exit(&baseline);
	array__exit(&args.files);
	array__exit(&old_files);
	array__exit(&new_files);
	free(buildid_dir);
	free(words);
	free(joined);
	return ret;
}
