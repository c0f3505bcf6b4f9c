/* The command table, and what the word after `perf` means. */
#include "builtin.h"

#include "base/command/config.h"
#include "base/message/called_name.h"
#include "base/message/err.h"
#include "base/memory/mem.h"
#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "base/command/pager.h"
#include "base/command/stock_perf.h"
#include "base/command/term.h"
#include "base/system/stack.h"
#include "base/text/fit.h"
#include "model/symbolize.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUILDID_DIR "PERF_BUILDID_DIR"

const struct cmd perf__cmds[] = {
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
	{ "top", cmd_top, "Show what runs now, in the browser" },
	{ "version", cmd_version, "Show the version of perf and what it was built with" },
	{ NULL, NULL, NULL },
};

const struct cmd *cmd__find(const char *name)
{
	for (const struct cmd *c = perf__cmds; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static void print_text(struct strbuf *text)
{
	fputs(text->buf, stdout);
	strbuf__exit(text);
}

/* ---- configuration files ---- */

static struct config config; /* lives as long as the program: options point into it */

/* Read the files, and follow the keys that concern all commands. */
static void read_config(const char *command)
{
	/* What the user says in the environment, or before the command, wins. */
	static const struct {
		const char *key, *variable;
	} variables[] = {
		{ "buildid.dir", BUILDID_DIR },
		{ "buildid-cache.debuginfod", "DEBUGINFOD_URLS" },
	};
	char *pager = xasprintf("pager.%s", command);
	const struct config_entry *e;

	config__load(&config, CONFIG_BOTH);
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		if ((e = config__find(&config, variables[i].key)))
			setenv(variables[i].variable, e->value, 0);
	if ((e = config__find(&config, pager)) && config__bool(e->value) <= 0)
		setenv("PERF_PAGER", config__bool(e->value) ? e->value : "cat", 0);
	free(pager);
}

/* Keys with the name of an option (OPT_CONFIG) are set as that option would be. */
static void set_options(const struct option *opts)
{
	for (size_t i = 0; i < config.v.nr; i++) {
		const struct config_entry *e = &config.v.v[i];
		struct err err = ERR_INIT;

		if (options__set(opts, e->key, e->value, &err) == -EINVAL) {
			err__prefix(&err, "%s, line %u, is ignored", e->file, e->line);
			warning("%s", err.text.buf);
		}
		err__exit(&err);
	}
}

/* ---- options of commands ---- */

/* Print the -h text; on a terminal, lines end at its width, and long texts go through a pager. */
static void print_help(const struct option *opts, const char *const *usage)
{
	static const char lead[] = "                          ";
	struct strbuf text = STRBUF_INIT, lines = STRBUF_INIT;
	struct pager pager = PAGER_INIT;
	int columns = term__columns_of(STDOUT_FILENO);

	options__help(opts, usage, &text);
	if (term__is_tty(STDOUT_FILENO) && columns > 2 * (int)strlen(lead))
		fit__wrap(&lines, text.buf, lead, (unsigned)columns);
	else
		strbuf__add(&lines, text.buf, text.len);
	pager__start(&pager);
	print_text(&lines);
	pager__finish(&pager);
	strbuf__exit(&text);
}

int perf__parse_options(const struct option *opts, const char *const *usage, unsigned flags, int argc,
			const char **argv)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	int nr;

	if (complete__is_on()) {
		complete__print(opts, usage, flags, argc, argv);
		return -EXIT_LISTED;
	}
	set_options(opts);
	nr = options__parse(opts, argc, argv, flags, &err);
	if (nr >= 0) {
		err__exit(&err);
		return nr;
	}
	switch (nr) {
	case OPTIONS_HELP:
		print_help(opts, usage);
		break;
	case OPTIONS_LIST:
		options__list_long(opts, &text);
		print_text(&text);
		return -EXIT_LISTED;
	case OPTIONS_LIST_ALL:
		options__list(opts, &text);
		print_text(&text);
		return -EXIT_LISTED;
	default:
		error__print(&err);
	}
	err__exit(&err);
	return -EXIT_USAGE;
}

int perf__take_input(const char *cmd, int nr, const char **words, const char **input)
{
	if (nr && !*input) {
		*input = *words++;
		info("reading '%s'", *input);
		nr--;
	}
	if (nr)
		error__say("%s takes no word such as '%s'", cmd, *words);
	return nr ? EXIT_USAGE : 0;
}

int perf__parse_symfs(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	static const char *const names[] = { "hierarchy", "flat" };
	static const struct word_list layouts = WORD_LIST("layout", names, 0);
	struct symbolize_opts *symbols = opt->value;
	static char *folder; /* symfs lives as long as the program */
	const char *comma = unset || !access(arg, F_OK) ? NULL : strrchr(arg, ',');
	int layout = comma ? word_list__choose(&layouts, comma + 1, strlen(comma + 1), err) : 0;

	free(folder);
	folder = unset ? NULL : xasprintf("%.*s", (int)(comma ? comma - arg : (long)strlen(arg)), arg);
	symbols->symfs = folder;
	symbols->symfs_is_flat = layout == 1;
	return MIN(layout, 0);
}

const char *perf__default_input(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

char *perf__buildid_dir(void)
{
	const char *dir = getenv(BUILDID_DIR), *home = getenv("HOME");

	if (dir && *dir)
		return xstrdup(dir);
	return home && *home ? xasprintf("%s/.debug", home) : NULL;
}

/* ---- perf's own options, before the command ---- */

const char *const perf__own_options[] = {
	"--help",      "--version",       "--paginate",    "--no-pager", "--list-cmds",
	"--list-opts", "--build-options", "--buildid-dir", NULL,
};

static int unknown_option(const char *word)
{
	struct err err = ERR_INIT;
	struct suggest s;

	suggest__init(&s, "", word);
	for (const char *const *o = perf__own_options; *o; o++)
		suggest__offer(&s, *o);
	err__unknown(&err, "option", &s,
		     "perf --help lists the commands; the options of a command come after it");
	error__print(&err);
	err__exit(&err);
	return EXIT_USAGE;
}

bool perf__tell_stock(const char *command, const char *const *words)
{
	struct strbuf line = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (!stock_perf__has(command))
		return false;
	err__set(&err, -ENOENT, "this perf has no command '%s'; the perf of the kernel sources has it",
		 command);
	if (stock_perf__find(command, &line)) {
		for (; *words; words++) {
			strbuf__addch(&line, ' ');
			strbuf__add_shell_word(&line, *words);
		}
		err__advise(&err, "type: %s", line.buf);
	} else {
		err__advise(&err,
			    "none was found on this machine (in Debian, it is in the package linux-perf)");
	}
	error__print(&err);
	err__exit(&err);
	strbuf__exit(&line);
	return true;
}

int cmd__unknown(const char *word)
{
	struct strbuf text = STRBUF_INIT;
	struct suggest s;

	suggest__init(&s, "", word);
	for (const struct cmd *c = perf__cmds; c->name; c++)
		if (c->run)
			suggest__offer(&s, c->name);
	strbuf__addf(&text, "perf: '%s' is not a perf command.", word);
	if (s.nr) {
		strbuf__addstr(&text, " Did you mean ");
		suggest__add_to(&s, &text);
		strbuf__addch(&text, '?');
	} else {
		strbuf__addf(&text, " See '%s --help'.", called_name());
	}
	info("%s", text.buf);
	strbuf__exit(&text);
	return 1;
}

static int list_commands(void)
{
	for (const struct cmd *c = perf__cmds; c->name; c++)
		if (c->run)
			printf("%s ", c->name);
	putchar('\n');
	return 0;
}

static int list_own_options(void)
{
	for (const char *const *o = perf__own_options; *o; o++)
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
		read_config(c->name);
	return c->run(argc, argv);
}

/* Handles the words before the command; returns true when one of them was all there is to do. */
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
		setenv(BUILDID_DIR, value, 1);
	else
		*status = (error__say("--buildid-dir wants a folder"), EXIT_USAGE);
	return true;
}

/* What was printed must have arrived: a full disk is a failure. */
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

/* With 0, 1 or 2 closed the next file opened would get that number, and our messages with it. */
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
