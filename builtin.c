/* Code that all commands share: configuration files, options, inputs, and the list of commands. */
#include "builtin.h"

#include "base/command/config.h"
#include "base/command/pager.h"
#include "base/command/stock_perf.h"
#include "base/command/term.h"
#include "base/memory/mem.h"
#include "base/message/called_name.h"
#include "base/message/err.h"
#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "base/text/fit.h"
#include "model/symbolize.h"
#include "profile/keys/read_weights.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct cmd *perf__cmds;
const char *const *perf__own_options;
void (*perf__complete_options)(const struct option *opts, const char *const *usage, unsigned flags, int argc,
			       const char **argv);

/* ---- the list of commands ---- */

const struct cmd *cmd__find(const char *name)
{
	for (const struct cmd *c = perf__cmds; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
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
	if (!strncmp(word, "flame", 5)) {
		strbuf__addf(&text, " Flame graphs: g in the browser of '%s report'; '%s report --html'.",
			     called_name(), called_name());
	} else if (s.nr) {
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

/* ---- configuration files ---- */

static struct config config; /* lives as long as the program: options point into it */

void perf__read_config(const char *command)
{
	/* The environment and options before the command override the configuration files. */
	static const struct {
		const char *key, *variable;
	} variables[] = {
		{ "buildid.dir", PERF_BUILDID_DIR },
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

static void print_text(struct strbuf *text)
{
	fputs(text->buf, stdout);
	strbuf__exit(text);
}

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

	if (perf__complete_options) {
		perf__complete_options(opts, usage, flags, argc, argv);
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

int perf__parse_span(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct weights_args *w = opt->value;

	(void)err;
	w->has_span = !unset;
	w->span = unset || !*arg ? NULL : arg;
	return 0;
}

int perf__parse_color(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	static const char *const names[] = { "never", "always", "auto" };
	static const struct word_list modes = WORD_LIST("mode", names, 0);
	int mode = unset ? 0 : word_list__choose(&modes, arg, strlen(arg), err);

	if (mode >= 0)
		*(bool *)opt->value = mode == 2 ? term__has_color(STDOUT_FILENO) : mode == 1;
	return MIN(mode, 0);
}

int perf__refuse_option(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	(void)arg;
	return unset ? 0 : err__set(err, -EOPNOTSUPP, "%s", opt->help);
}

const char *perf__default_input(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

char *perf__buildid_dir(void)
{
	const char *dir = getenv(PERF_BUILDID_DIR), *home = getenv("HOME");

	if (dir && *dir)
		return xstrdup(dir);
	return home && *home ? xasprintf("%s/.debug", home) : NULL;
}
