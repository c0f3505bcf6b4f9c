/* perf annotate: what instructions and source lines cost. */
#include "builtin.h"

#include "base/command/term.h"
#include "base/memory/mem.h"
#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "format/read/reader.h"
#include "ui/annotate/annotate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int parse_percent_type(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	static const char *const names[] = { "local-period", "local-hits", "global-period", "global-hits" };
	static const struct word_list types = WORD_LIST("type", names, 0);
	struct annotate_style *style = opt->value;
	int type = unset ? 0 : word_list__choose(&types, arg, strlen(arg), err);

	if (type < 0)
		return type;
	style->hits = type & 1;
	style->global = type & 2;
	return 0;
}

static int parse_limit(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	double *limit = opt->value;

	*limit = 0;
	return unset ? 0 : option__parse_percent(arg, limit, err);
}

#define UNSUPPORTED(l, ...)                                                            \
	{                                                                              \
		.type = OPTION_CALLBACK, .name = (l), .callback = perf__refuse_option, \
		.help = "not supported yet", __VA_ARGS__                               \
	}

/* A word names a function, or a recording if it is the name of one. */
static int take_words(struct annotate_args *a, int nr, const char **words)
{
	for (int i = 0; i < nr; i++) {
		if (!a->input && reader__is_recording(words[i])) {
			a->input = words[i];
			info("reading '%s'", words[i]);
		} else if (!a->symbol) {
			a->symbol = words[i];
		} else {
			error__say("'%s' is one word too many", words[i]);
			return EXIT_USAGE;
		}
	}
	return 0;
}

int cmd_annotate(int argc, const char **argv)
{
	static const char *const usage[] = { "perf annotate [<options>] [<function>]", NULL };
	struct annotate_args a = { 0 };
	struct annotate_style *style = &a.style;
	struct symbolize_opts *sym = &a.symbols;
	bool stdio, tui, modules, group = true, source = true;
	const char *ignored;
	char *buildid_dir;
	int verbose = 0, nr, ret;
	const struct option options[] = {
		OPT_GROUP("What to show"),
		OPT_STRING('i', "input", &a.input, "file",
			   "recording to read (default: perf.data; - is standard input)"),
		OPT_STRING('s', "symbol", &a.symbol, "function", "show this function"),
		OPT_STRING('d', "dsos", &a.filter.dsos, "dso[,dso...]", "show functions of these binaries"),
		OPT_STRING('C', "cpu", &a.filter.cpus, "cpu", "count samples of these CPUs, such as 0-3,8"),
		OPT_SPANS(a.spans, SPAN_HELP),
		OPT_BOOL('l', "print-line", &style->lines, "begin with the most expensive source lines"),
		OPT_BOOL(0, "source", &source, "show source lines between instructions (default)"),
		OPT_BOOL(0, "asm-raw", &style->raw, "show the bytes of instructions"),
		OPT_BOOL(0, "stdio2", &style->arrows, "print plain text with jumps as arrows and loops"),
		OPT_CALLBACK(0, "percent-limit", &a.limit, "percent",
			     "leave out functions with a smaller part of all samples", parse_limit),
		OPT_BOOL(0, "skip-missing", &a.skip_missing, "leave out functions whose code is not found"),
		OPT_BOOL(0, "group", &group, "show events as columns of one table (default)"),

		OPT_GROUP("Numbers"),
		OPT_BOOL('n', "show-nr-samples", &style->samples, "show numbers of samples, not percentages"),
		OPT_BOOL(0, "show-total-period", &style->period, "show sums of periods, not percentages"),
		OPT_CALLBACK(0, "percent-type", style, "type",
			     "what is 100%: local-period (default), local-hits: of the function;\n"
			     "global-period, global-hits: of all samples",
			     parse_percent_type),

		OPT_GROUP("Form"),
		OPT_BOOL(0, "stdio", &stdio, "print plain text (always)"),
		OPT_CALLBACK_LASTARG(
			0, "stdio-color", &style->color, "mode",
			"colour large percentages: always, never or auto (on a terminal; default)",
			perf__parse_color, "always"),
		OPT_STRING('M', "disassembler-style", &a.syntax, "style", "x86: intel, or att (default)"),
		OPT_BOOL('P', "full-paths", &style->full_paths, "show the folders of files"),
		OPT_BOOL('q', "quiet", &style->quiet, "print no notes"),
		OPT_INCR('v', "verbose", &verbose, "say more: why symbols are missing"),
		OPT_BOOL('D', "dump-raw-trace", &a.dump, "print each record, in hexadecimal and decoded"),

		OPT_GROUP("Files and symbols"),
		OPT_CALLBACK(0, "symfs", sym, "folder[,layout]",
			     "look for binaries, debug files and sources below this folder; layout flat: for "
			     "files\n"
			     "without the folders they were recorded in",
			     perf__parse_symfs),
		OPT_STRING(0, "prefix", &a.sources.prefix, "prefix",
			   "look for source files here: put this before their paths"),
		OPT_UINT(0, "prefix-strip", &a.sources.strip, "n",
			 "with --prefix: take n folders off the paths first"),
		OPT_STRING('k', "vmlinux", &sym->vmlinux, "file",
			   "the kernel's code and symbols are in this file"),
		OPT_BOOL(0, "ignore-vmlinux", &sym->ignore_vmlinux, "do not search for a vmlinux"),
		OPT_(0, "debuginfod",
		     "ask the servers in DEBUGINFOD_URLS for debug files and sources, for this long at most "
		     "(60)",
		     OPT_TYPED_(OPTION_UINT, &a.debuginfod_seconds, unsigned), .arg = "seconds",
		     .flags = OPTION_OPTARG, .defval = "60"),
		OPT_BOOL_INV(0, "demangle", &sym->no_demangle, "show names as in the source (default)"),
		OPT_BOOL(0, "demangle-kernel", &sym->demangle_kernel, "demangle names of the kernel, too"),
		OPT_BOOL('f', "force", &sym->any_owner, "use /tmp/perf-PID.map of any owner"),

		OPT_STRING(0, "objdump", &a.objdump, "path",
			   "the objdump to run for instructions that libcapstone does not know"),

		OPT_BOOL(0, "tui", &tui, "accepted; prints plain text"),
		OPT_BOOL(0, "gtk", &tui, "accepted; prints plain text"),

		/* Options of stock perf without effect */
		OPT_BOOL('m', "modules", &modules, "accepted; kernel modules always have symbols"),
		OPT_BOOL(0, "skip-empty", &modules, "accepted; events without samples are left out"),
		OPT_STRING(0, "addr2line", &ignored, "path", "accepted; no other program is needed"),
		UNSUPPORTED("itrace", .arg = "opts", .flags = OPTION_HIDDEN | OPTION_OPTARG),
		UNSUPPORTED("data-type", .arg = "name", .flags = OPTION_HIDDEN | OPTION_OPTARG),
		UNSUPPORTED("type-stat", .flags = OPTION_HIDDEN | OPTION_NOARG),
		UNSUPPORTED("insn-stat", .flags = OPTION_HIDDEN | OPTION_NOARG),
		UNSUPPORTED("code-with-type", .flags = OPTION_HIDDEN | OPTION_NOARG),
		OPT_END(),
	};

	mem__keep_freed();
	style->color = term__has_color(STDOUT_FILENO);
	nr = perf__parse_options(options, usage, 0, argc, argv);
	if (nr < 0)
		return -nr;
	msg__set_level(style->quiet ? MSG_QUIET : verbose);
	a.no_group = !group;
	style->no_source = !source;
	ret = take_words(&a, nr, argv);
	if (ret)
		return ret;
	a.input = a.input && *a.input ? a.input : perf__default_input();
	buildid_dir = perf__buildid_dir();
	sym->buildid_dir = buildid_dir;
	ret = annotate__main(&a);
	free(buildid_dir);
	return ret;
}
