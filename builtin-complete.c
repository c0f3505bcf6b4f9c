/*
 * perf --complete WORD...: what may be in place of the last word, for the completion of shells
 * (tools/completion). Names of commands and options come from their tables, words of options from what their
 * callbacks accept. Other values are known by the name that -h gives them: <event>, <key[,key2...]>, <file>.
 *
 * Output: a line "WORD" or "WORD\tHELP" for each word; or one line that says kind of words that the shell
 * completes by itself by itself:
 * 	:file N		a file; its name begins at character N of the last word
 * 	:folder N	the same, folders only
 * 	:command N	the words from N on (1: the one after perf) are a command line of their own
 */
#include "builtin.h"

#include "base/memory/mem.h"
#include "base/system/file.h"
#include "base/text/mask.h"
#include "export/export_formats.h"
#include "pgo/pgo.h"
#include "live/listed_event.h"
#include "live/proc.h"
#include "profile/keys/column.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct completion {
	const char *word; /* the last word */
	size_t start;     /* offset in it of the name that is completed */
};

/* Print a name, after the text before it, if it begins with the typed text. help may be NULL. */
static void completion__offer(const struct completion *c, const char *name, const char *help)
{
	struct strbuf line = STRBUF_INIT;

	if (strncmp(name, c->word + c->start, strlen(c->word + c->start)))
		return;
	strbuf__addf(&line, "%.*s%s", (int)c->start, c->word, name);
	if (help)
		strbuf__addf(&line, "\t%.*s", (int)strcspn(help, "\n"), help);
	mask_controls(line.buf, line.len, "\t");
	puts(line.buf);
	strbuf__exit(&line);
}

/* Offer the lines of text, "NAME" or "NAME\tHELP". */
static void completion__offer_lines(const struct completion *c, char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *tab = strchr(line, '\t');

		if (tab)
			*tab++ = '\0';
		completion__offer(c, line, tab);
	}
}

/* ---- values, by kind ---- */

static int offer_event(const struct listed_event *e, void *ctx)
{
	const struct completion *c = ctx;
	const char *typed = c->word + c->start;

	if (!e->example && !strncmp(e->name, typed, strlen(typed)) && listed_event__can_open(e))
		completion__offer(c, e->name, e->desc ? e->desc : e->type);
	return 0;
}

/* An event follows the last comma or brace; no name of one is typed between the slashes of PMU/terms/. */
static void offer_events(struct completion *c)
{
	const unsigned families = ((1u << FAMILY_NR) - 1) & ~(1u << FAMILY_RAW | 1u << FAMILY_PFM);
	bool terms = false;

	for (size_t i = c->start; c->word[i]; i++) {
		if (c->word[i] == '/')
			terms = !terms;
		if (!terms && strchr(",{", c->word[i]))
			c->start = i + 1;
	}
	if (!terms)
		event_list__for_each(families, NULL, offer_event, c);
}

/* A sort key follows a comma, or a plus sign, which adds to the default. */
static void offer_keys(struct completion *c)
{
	c->start += strspn(c->word + c->start, "+");
	for (size_t i = 0; i < column_names.nr; i++)
		completion__offer(c, columns[i].name, columns[i].header + strspn(columns[i].header, " "));
}

static void offer_formats(struct completion *c)
{
	for (size_t i = 0; export_formats[i]; i++)
		completion__offer(c, export_formats[i]->name, export_formats[i]->help);
	for (size_t i = 0; pgo_formats[i]; i++)
		completion__offer(c, pgo_formats[i]->name, pgo_formats[i]->help);
}

static void offer_commands(struct completion *c)
{
	for (const struct cmd *cmd = perf__cmds; cmd->name; cmd++)
		if (cmd->run)
			completion__offer(c, cmd->name, cmd->help);
}

static void offer_limits(struct completion *c)
{
	completion__offer(c, "p50", "as long as half of the spans at most");
	completion__offer(c, "p90", "one span in 10 takes longer");
	completion__offer(c, "p99", "one span in 100 takes longer");
	completion__offer(c, "p99.9", "one span in 1,000 takes longer");
	completion__offer(c, "10ms", "a time");
}

static void offer_processes(struct completion *c)
{
	struct strbuf comm = STRBUF_INIT;
	int_array pids = { 0 };
	char pid[16];

	proc__pids(&pids);
	for (size_t i = 0; i < pids.nr; i++) {
		snprintf(pid, sizeof(pid), "%d", pids.v[i]);
		if (!file__read_linef(&comm, "/proc/%d/comm", pids.v[i]))
			completion__offer(c, pid, comm.buf);
	}
	strbuf__exit(&comm);
	array__exit(&pids);
}

static const struct value_kind {
	const char *name; /* the beginning of the option's value in -h */
	bool list;        /* of several values, the last one is completed */
	void (*offer)(struct completion *c);
	const char *shell; /* what the shell completes */
} value_kinds[] = {
	{ .name = "event", .offer = offer_events },
	{ .name = "key", .list = true, .offer = offer_keys },
	{ .name = "format", .offer = offer_formats },
	{ .name = "limit", .offer = offer_limits },
	{ .name = "command", .offer = offer_commands },
	{ .name = "pid", .list = true, .offer = offer_processes },
	{ .name = "file", .shell = "file" },
	{ .name = "recording", .shell = "file" },
	{ .name = "old recording", .shell = "file" },
	{ .name = "path", .shell = "file" },
	{ .name = "program", .shell = "file" },
	{ .name = "folder", .shell = "folder" },
	{ .name = "directory", .shell = "folder" },
};

/*
 * name: the value's name in -h, such as "key[,key2...]"; its beginning counts. Return NULL if it is unknown.
 */
static const struct value_kind *value_kind__find(const char *name)
{
	size_t len = strcspn(name, "[,.>|=");

	for (size_t i = 0; i < ARRAY_SIZE(value_kinds); i++)
		if (!strncmp(value_kinds[i].name, name, len) && !value_kinds[i].name[len])
			return &value_kinds[i];
	return NULL;
}

static void completion__skip_list(struct completion *c)
{
	const char *comma = strrchr(c->word + c->start, ',');

	if (comma)
		c->start = (size_t)(comma + 1 - c->word);
}

static void offer_kind(struct completion *c, const struct value_kind *kind)
{
	if (kind->list)
		completion__skip_list(c);
	if (kind->offer)
		kind->offer(c);
	else
		printf(":%s %zu\n", kind->shell, c->start);
}

/* "a|b|c" */
static void offer_alternatives(struct completion *c, const char *text, size_t len)
{
	char *copy = xasprintf("%.*s", (int)len, text);

	for (char *p = copy; *p; p++)
		if (*p == '|')
			*p = '\n';
	completion__offer_lines(c, copy);
	free(copy);
}

static void offer_value(struct completion *c, const struct option *o)
{
	const char *name = o->arg ? o->arg : "";
	const struct value_kind *kind = value_kind__find(name);
	struct strbuf words = STRBUF_INIT;

	if (kind) {
		offer_kind(c, kind);
	} else if (strchr(name, '|') && !strchr(name, '[')) {
		offer_alternatives(c, name, strlen(name));
	} else {
		option__list_words(o, c->word + c->start, &words);
		completion__skip_list(c);
		completion__offer_lines(c, words.buf);
	}
	strbuf__exit(&words);
}

/* ---- words that are no options: the usage line says what they are ---- */

/*
 * Offer the words of a text in brackets: "[<recording>]", "[hw|sw|<event>]". All are of one kind, so the
 * first is enough. Return false if that is unknown.
 */
static bool offer_words_of_usage(struct completion *c, const char *usage)
{
	const char *word = strchr(strchr(usage, ' ') + 1, ' '); /* after "perf COMMAND" */
	bool found = false;

	if (word && isalpha((unsigned char)word[1])) { /* "perf data convert" */
		offer_alternatives(c, word + 1, strcspn(word + 1, " "));
		return true;
	}
	for (const char *p = usage; *p; p++) {
		size_t len = strcspn(p + 1, "]> ");

		if (*p == '<' && value_kind__find(p + 1)) {
			offer_kind(c, value_kind__find(p + 1));
			return true;
		}
		if (*p == '[' && memchr(p, '|', len)) {
			const char *names = memchr(p, '<', len); /* of other values, last */

			offer_alternatives(c, p + 1, names ? (size_t)(names - p - 1) : len);
			found = true;
		}
	}
	return found;
}

static void complete(const struct option *opts, const char *const *usage, unsigned flags, int argc,
		     const char **argv)
{
	struct option_place place = options__place(opts, argc, argv, flags);
	struct completion c = { .word = argv[argc - 1], .start = place.start };
	struct strbuf names = STRBUF_INIT;

	if (place.value_of) {
		offer_value(&c, place.value_of);
	} else if (*c.word == '-' && !place.no_option) {
		options__complete(opts, c.word, &names);
		completion__offer_lines(&c, names.buf);
	} else if (flags & OPTIONS_STOP_AT_NON_OPTION) {
		printf(":command %d\n", place.other + 1);
	} else {
		while (*usage && !offer_words_of_usage(&c, *usage))
			usage++;
	}
	strbuf__exit(&names);
}

/* ---- the command line ---- */

int cmd_complete(int argc, const char **argv)
{
	struct completion c = { .word = argc > 1 ? argv[argc - 1] : "" };
	const struct cmd *cmd;

	for (; argc > 2 && argv[1][0] == '-'; argc--, argv++) { /* perf's own options */
		if (strcmp(argv[1], "--buildid-dir"))
			continue;
		if (argc == 3)
			puts(":folder 0");
		argc--;
		argv++;
	}
	if (argc == 2 && *c.word == '-') {
		for (const char *const *o = perf__own_options; *o; o++)
			completion__offer(&c, *o, NULL);
	} else if (argc == 2) {
		offer_commands(&c);
	}
	if (argc <= 2)
		return 0;
	cmd = cmd__find(argv[1]);
	if (!cmd)
		return 0;
	perf__complete_options = complete;
	cmd->run(argc - 1, argv + 1);
	return 0;
}
