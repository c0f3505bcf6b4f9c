/*
 * The commands. To add one, say `perf count`:
 *	1. write builtin-count.c with int cmd_count(int argc, const char **argv): an option table,
 *	   perf__parse_options(), and one call into util/ (the Makefile finds the file by itself);
 *	2. declare cmd_count below and add its row to the table in perf.c;
 *	3. write Documentation/perf-count.1 and name it in perf.1; a test holds its options
 *	   against the option table;
 *	4. write tests/shell/count*.sh.
 * Documentation/howto-add-a-command.md is the same with an example.
 *
 * argv[0] is the command's name. The return value is the exit status: 0 done, 129 wrong usage,
 * or what the command's man page says. Only these files and perf.c print results and end the process.
 */
#ifndef BUILTIN_H
#define BUILTIN_H

#include "base/command/options.h"

/* As stock perf's. EXIT_LISTED: after --list-opts. */
enum { EXIT_USAGE = 129, EXIT_LISTED = 130 };

struct cmd {
	const char *name;
	int (*run)(int argc, const char **argv);
	const char *help; /* one line for `perf help` */
};

extern const struct cmd *perf__cmds; /* the table of perf.c, which sets it; ends with an empty row */
const struct cmd *cmd__find(const char *name);
/* Say that there is no such command, and which ones are near. Return 1. */
int cmd__unknown(const char *name);

extern const char *const *perf__own_options; /* before the command; ends with NULL; perf.c sets it */

extern const char perf__version[]; /* "0.2", "0.2.dev.g1234567": see tools/version */

#define PERF_BUILDID_DIR "PERF_BUILDID_DIR" /* the environment's variable */

/* Read the configuration files, and follow the keys that concern all commands. Once, before the command. */
void perf__read_config(const char *command);
/*
 * Parse the options of a command, after the values of configuration files. Return the number of remaining
 * words, moved to argv[0...]; or, after printing the -h text or the error, a negative number nr: the command
 * ends with `return -nr`.
 */
int perf__parse_options(const struct option *opts, const char *const *usage, unsigned flags, int argc,
			const char **argv);

/* Run perf --complete WORD...: print the words that may replace the last one. Return 0. */
int cmd_complete(int argc, const char **argv);
/* While it runs a command, perf__parse_options calls this, and the command ends; else NULL. */
extern void (*perf__complete_options)(const struct option *opts, const char *const *usage, unsigned flags,
				      int argc, const char **argv);

/*
 * If this program lacks a command that stock perf has, print that, and the line to type: the path of such a
 * perf and words (ends with NULL). Return false for all other commands.
 */
bool perf__tell_stock(const char *command, const char *const *words);

/*
 * Make a word the input if there is none yet, with a note. Commands call this if they read a recording and
 * take no other words. Return 0, or EXIT_USAGE after an error message that names cmd ("perf inject").
 */
int perf__take_input(const char *cmd, int nr, const char **words, const char **input);

/* The colours of browsers in configuration files, for the option table; a: a struct browser_args */
#define OPT_CONFIG_COLORS(a)                                                           \
	OPT_CONFIG(OPTION_STRING, "colors.top", &(a).top, const char *),               \
		OPT_CONFIG(OPTION_STRING, "colors.medium", &(a).medium, const char *), \
		OPT_CONFIG(OPTION_STRING, "colors.normal", &(a).normal, const char *), \
		OPT_CONFIG(OPTION_STRING, "colors.root", &(a).root, const char *)

/*
 * The options of commands that may count only the time in spans; w: a struct weights_args. span_help: what
 * --span does.
 */
#define SPAN_HELP "keep time in spans (record --span); name: which, if the recording has several"
#define OPT_SPANS(w, span_help)                                                                           \
	OPT_CALLBACK_OPTARG(0, "span", &(w), "name", span_help, perf__parse_span, ""),                    \
		OPT_STRING(0, "slower", &(w).slower, "limit",                                             \
			   "keep time in spans (record --span) that took at least so long, such as p99\n" \
			   "or 20ms"),                                                                    \
		OPT_STRING(0, "faster", &(w).faster, "limit",                                             \
			   "keep time in spans that took at most so long, such as p50 or 1ms")

/* Parse --span[=NAME] as a callback of the option; its value is a struct weights_args. */
int perf__parse_span(const struct option *opt, const char *arg, bool unset, struct err *err);

struct symbolize_opts;
/*
 * Parse "--symfs DIRECTORY[,LAYOUT]" as a callback of the option; its value is a struct symbolize_opts.
 * LAYOUT: flat or hierarchy.
 */
int perf__parse_symfs(const struct option *opt, const char *arg, bool unset, struct err *err);

/* Parse "never", "always" or "auto" as a callback; its value is a bool. */
int perf__parse_color(const struct option *opt, const char *arg, bool unset, struct err *err);
/*
 * Refuse an option of stock perf that this program does not have, with the option's help as the error. A
 * callback.
 */
int perf__refuse_option(const struct option *opt, const char *arg, bool unset, struct err *err);

/*
 * Return the file to read when the command line names none: standard input if that is a pipe, or perf.data.
 */
const char *perf__default_input(void);

/* Print which binaries of a recording lack symbols, why, and what to type. Return the exit status. */
int perf__explain_names(const char *path);

/*
 * Return the folder of the build-id cache: perf --buildid-dir, PERF_BUILDID_DIR, or $HOME/.debug; NULL
 * without any of these. The caller frees it.
 */
char *perf__buildid_dir(void);

int cmd_agent(int argc, const char **argv);
int cmd_annotate(int argc, const char **argv);
int cmd_archive(int argc, const char **argv);
int cmd_buildid_cache(int argc, const char **argv);
int cmd_buildid_list(int argc, const char **argv);
int cmd_config(int argc, const char **argv);
int cmd_data(int argc, const char **argv);
int cmd_diff(int argc, const char **argv);
int cmd_doctor(int argc, const char **argv);
int cmd_evlist(int argc, const char **argv);
int cmd_export(int argc, const char **argv);
int cmd_help(int argc, const char **argv);
int cmd_inject(int argc, const char **argv);
int cmd_list(int argc, const char **argv);
int cmd_merge(int argc, const char **argv);
int cmd_push(int argc, const char **argv);
int cmd_record(int argc, const char **argv);
int cmd_report(int argc, const char **argv);
int cmd_script(int argc, const char **argv);
int cmd_stat(int argc, const char **argv);
int cmd_top(int argc, const char **argv);
int cmd_version(int argc, const char **argv);

#endif
