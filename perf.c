/* The command table, and what the word after `perf` means. */
#include "builtin.h"

#include "base/message/called_name.h"
#include "base/message/err.h"
#include "base/memory/mem.h"
#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "base/system/stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cmd commands[] = {
	{ "agent", cmd_agent, "Record always, and send it to a server that keeps profiles" },
	{ "annotate", cmd_annotate, "Show what the instructions and source lines of functions cost" },
	{ "archive", cmd_archive, "Pack the binaries that a recording needs, for another machine" },
	{ "buildid-cache", cmd_buildid_cache, "Manage the cache of binaries that reports look into" },
	{ "buildid-list", cmd_buildid_list, "List the build-ids of the binaries in a recording" },
	{ "config", cmd_config, "Show and set the values of configuration files" },
	{ "data", cmd_data, "Write a recording as JSON, as stock perf does" },
	{ "diff", cmd_diff, "Show what changed between recordings" },
	{ "doctor", cmd_doctor, "Show what can be recorded on this machine, and how to enable the rest" },
	{ "evlist", cmd_evlist, "List the events of a recording" },
	{ "export", cmd_export, "Write a recording for another program: flame graphs, pprof, speedscope" },
	{ "help", cmd_help, "Show the manual page of a command" },
	{ "inject", cmd_inject, "Write a recording again, with build-ids or JIT code added" },
	{ "list", cmd_list, "List the events that perf record -e can name" },
	{ "merge", cmd_merge, "Add recordings of the same events up in one small recording" },
	{ "push", cmd_push, "Send recordings to servers that keep profiles: Pyroscope, OpenTelemetry" },
	{ "record", cmd_record, "Profile a command, processes or the whole machine, into perf.data" },
	{ "report", cmd_report, "Show where the time went in a recording" },
	{ "script", cmd_script, "Print each sample of a recording" },
	{ "stat", cmd_stat, "Count events of a command, of processes or of CPUs" },
	{ "top", cmd_top, "Show what runs now, in the browser" },
	{ "version", cmd_version, "Show the version of perf and what it was built with" },
	{ NULL, NULL, NULL },
};

/* ---- perf's own options, before the command ---- */

static const char *const own_options[] = {
	"--help",      "--version",       "--paginate",    "--no-pager", "--list-cmds",
	"--list-opts", "--build-options", "--buildid-dir", NULL,
};

static int unknown_option(const char *word)
{
	struct err err = ERR_INIT;
	struct suggest s;

	suggest__init(&s, "", word);
	for (const char *const *o = own_options; *o; o++)
		suggest__offer(&s, *o);
	err__unknown(&err, "option", &s,
		     "perf --help lists the commands; the options of a command come after it");
	error__print(&err);
	err__exit(&err);
	return EXIT_USAGE;
}

static int list_commands(void)
{
	for (const struct cmd *c = commands; c->name; c++)
		if (c->run)
			printf("%s ", c->name);
	putchar('\n');
	return 0;
}

static int list_own_options(void)
{
	for (const char *const *o = own_options; *o; o++)
		printf("%s ", *o);
	putchar('\n');
	return 0;
}

/* ---- the command ---- */

static int run_word(int argc, const char **argv)
{
	const struct cmd *c = cmd__find(argv[0]);

	if (!c)
		return perf__tell_stock(argv[0], argv) ? 1 : cmd__unknown(argv[0]);
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		const char *help[] = { "help", c->name, NULL };

		return cmd_help(2, help);
	}
	if (c->run != cmd_config)
		perf__read_config(c->name);
	return c->run(argc, argv);
}

/* Handle a word before the command. Return true if that was all there is to do. */
static bool run_own_option(const char *word, int argc, const char **argv, int *status)
{
	const char *help[] = { "help", argc > 1 ? argv[1] : NULL, NULL };

	if (!strcmp(word, "--no-pager")) {
		setenv("PERF_PAGER", "cat", 1);
		return false;
	}
	if (!strcmp(word, "-p") || !strcmp(word, "--paginate"))
		return false; /* what fits is paginated anyway */
	if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
		*status = cmd_help(help[1] ? 2 : 1, help);
	} else if (!strcmp(word, "-v") || !strcmp(word, "--version")) {
		*status = cmd_version(1, (const char *[]){ "version", NULL });
	} else if (!strcmp(word, "-vv") || !strcmp(word, "--build-options")) {
		*status = cmd_version(2, (const char *[]){ "version", "--build-options", NULL });
	} else if (!strcmp(word, "--list-cmds")) {
		*status = list_commands();
	} else if (!strcmp(word, "--list-opts")) {
		*status = list_own_options();
	} else {
		*status = unknown_option(word);
	}
	return true;
}

/* --buildid-dir DIR and --buildid-dir=DIR: the one own option with a value. False if it is not that. */
static bool take_buildid_dir(int *argc, const char ***argv, int *status)
{
	const char *word = (*argv)[0], *value = NULL;
	size_t len = strlen("--buildid-dir");

	if (strncmp(word, "--buildid-dir", len) || (word[len] && word[len] != '='))
		return false;
	if (word[len]) {
		value = word + len + 1;
	} else if (*argc > 1) {
		value = (*argv)[1];
		(*argc)--;
		(*argv)++;
	}
	if (value && *value)
		setenv(PERF_BUILDID_DIR, value, 1);
	else
		*status = (error__say("--buildid-dir wants a folder"), EXIT_USAGE);
	return true;
}

/* Flush the output; if that fails, as on a full disk, exit with a failure. */
static int finish(int status)
{
	int error = fflush(stdout) ? errno : 0;

	if ((error || ferror(stdout)) && !status) {
		error__say("cannot write to standard output%s%s", error ? ": " : "",
			   error ? strerror(error) : "");
		return 1;
	}
	return status;
}

/*
 * Open the descriptors 0, 1 and 2 that are closed: else the next file would get the number, and our messages.
 */
static void occupy_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static int run(int argc, const char **argv)
{
	int status = 0;

	occupy_standard_files();
	perf__cmds = commands;
	perf__own_options = own_options;
	mem__fit_limit();
	called_name__take(argv[0]);
	for (argc--, argv++; argc && argv[0][0] == '-'; argc--, argv++) {
		if (!strcmp(argv[0], "--complete"))
			return finish(cmd_complete(argc, argv));
		if (take_buildid_dir(&argc, &argv, &status)) {
			if (status)
				return finish(status);
			continue;
		}
		if (run_own_option(argv[0], argc, argv, &status))
			return finish(status);
	}
	if (!argc) {
		cmd_help(1, (const char *[]){ "help", NULL });
		return finish(1);
	}
	return finish(run_word(argc, argv));
}

int main(int argc, const char **argv)
{
	return stack__run(run, argc, argv);
}
