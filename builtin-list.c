/* perf list: show the events that -e accepts. */
#include "builtin.h"

#include "base/message/called_name.h"
#include "base/text/glob.h"
#include "base/text/mask.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "base/command/pager.h"
#include "event/parse/event_list.h"
#include "event/pmu/pmu.h"
#include "event/tracepoint/tracefs.h"
#include "live/checks.h"
#include "live/listed_event.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_COLUMNS = 50, DESC_COLUMNS = 79, DESC_INDENT = 8 };

struct list_args {
	bool desc, long_desc, details, json, raw_dump, all, deprecated;
	const char *unit, *cputype, *output;
	const char **words;
	int nr_words;
	struct strbuf tracefs;
	bool tracefs_asked;

	unsigned families;   /* families named on the command line */
	bool first;          /* nothing has been printed yet */
	size_t hidden;       /* events that this machine cannot open */
	struct suggest near; /* names near to the first word */
	struct arena near_names;
};

/* ---- which events to show ---- */

static char *lower_case(const char *s)
{
	char *copy = xstrdup(s);

	for (char *p = copy; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

/*
 * Match a word with a colon as a pattern for the whole name (sched:sched_*), any other as a part of the
 * name.
 */
static bool name__matches(const char *name, const char *word)
{
	char *low = lower_case(name), *pattern = lower_case(word), *part = xasprintf("*%s*", pattern);
	bool match = glob__match(strchr(word, ':') ? pattern : part, low);

	free(low);
	free(pattern);
	free(part);
	return match;
}

static bool event__is_wanted(const struct list_args *args, const struct listed_event *e)
{
	if (args->unit && (!e->pmu || !pmu__is_meant(e->pmu, args->unit)))
		return false;
	if (!args->nr_words || args->families & 1u << e->family)
		return true;
	for (int i = 0; i < args->nr_words; i++) {
		if (event_family__find(args->words[i]) >= 0)
			continue;
		if (name__matches(e->name, args->words[i]) ||
		    (e->alias && name__matches(e->alias, args->words[i])))
			return true;
	}
	return false;
}

/* Omit the many vendor events unless they are asked for. */
static unsigned wanted_families(struct list_args *args)
{
	unsigned all = (1u << FAMILY_NR) - 1;
	bool patterns = false;

	for (int i = 0; i < args->nr_words; i++) {
		int family = event_family__find(args->words[i]);

		if (family >= 0)
			args->families |= 1u << family;
		else
			patterns = true;
	}
	if (!args->nr_words)
		return all & ~(1u << FAMILY_PFM);
	return patterns ? all : args->families;
}

/* ---- text ---- */

static void print_masked(const char *s, size_t len)
{
	char *masked = xmemdup(s, len + 1);

	mask_controls(masked, len, NULL);
	fwrite(masked, 1, len, stdout);
	free(masked);
}

/* Print "       [text, broken into lines]" */
static void print_description(const char *text)
{
	size_t column = DESC_INDENT;
	const char *p = text;

	printf("%*s[", DESC_INDENT - 1, "");
	while (*p) {
		size_t len = strcspn(p, " \n\t");

		if (column > DESC_INDENT && column + len + 1 > DESC_COLUMNS) {
			printf("\n%*s", DESC_INDENT, "");
			column = DESC_INDENT;
		} else if (column > DESC_INDENT) {
			putchar(' ');
			column++;
		}
		print_masked(p, len);
		column += len;
		p += len;
		p += strspn(p, " \n\t");
	}
	printf("]\n");
}

/* Append the fields of a tracepoint from its format file. */
static void add_fields(struct list_args *args, const char *name, struct strbuf *text)
{
	const char *colon = strchr(name, ':');
	struct strbuf format = STRBUF_INIT;
	char *system, *save = NULL;

	if (!args->tracefs_asked)
		tracefs__find(&args->tracefs, NULL);
	args->tracefs_asked = true;
	system = xasprintf("%.*s", (int)(colon - name), name);
	if (args->tracefs.len && !tracefs__event_format(args->tracefs.buf, system, colon + 1, &format)) {
		for (char *line = strtok_r(format.buf, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			char *field = strstr(line, "field:"), *end = field ? strchr(field, ';') : NULL;

			if (!end || strstr(line, " common_"))
				continue;
			*end = '\0';
			strbuf__addf(text, "%s%s", text->len ? "; " : "", field + strlen("field:"));
		}
	}
	free(system);
	strbuf__exit(&format);
}

static void print_details(struct list_args *args, const struct listed_event *e)
{
	struct strbuf fields = STRBUF_INIT;

	if (e->desc && (args->desc || args->long_desc))
		print_description(e->desc);
	if (e->example && (args->desc || args->long_desc || args->details))
		printf("%*se.g. -e '%s'\n", DESC_INDENT, "", e->example);
	if (args->long_desc && e->family == FAMILY_TRACEPOINT)
		add_fields(args, e->name, &fields);
	if (fields.len)
		print_description(fields.buf);
	if (args->details && e->encoding) {
		printf("%*s", DESC_INDENT, "");
		print_masked(e->encoding, strlen(e->encoding));
		putchar('\n');
	}
	strbuf__exit(&fields);
}

/* Print "  name OR alias      [Hardware event]" as stock perf, for scripts that parse it. */
static void print_event(struct list_args *args, const struct listed_event *e, bool can_open)
{
	char *names = e->alias ? xasprintf("%s OR %s", e->name, e->alias) : xstrdup(e->name);
	char *line = xasprintf("  %-*s [%s]%s", NAME_COLUMNS, names, e->type,
			       can_open ? "" : " (not on this machine)");

	print_masked(line, strlen(line));
	putchar('\n');
	free(line);
	free(names);
	print_details(args, e);
}

/* ---- JSON ---- */

static const char *unit_of(const struct listed_event *e)
{
	static const char *const units[FAMILY_NR] = {
		[FAMILY_HW] = "cpu",         [FAMILY_SW] = "software",           [FAMILY_CACHE] = "cpu",
		[FAMILY_MEM] = "breakpoint", [FAMILY_TRACEPOINT] = "tracepoint",
	};

	return e->pmu ? e->pmu->name : units[e->family];
}

static void add_json_field(struct strbuf *sb, const char *name, const char *value)
{
	if (!value)
		return;
	strbuf__addf(sb, "\n\t\"%s\": ", name);
	strbuf__add_json(sb, value);
	strbuf__addch(sb, ',');
}

static void print_json(struct list_args *args, const struct listed_event *e, bool can_open)
{
	struct strbuf fields = STRBUF_INIT, out = STRBUF_INIT;

	if (e->family == FAMILY_TRACEPOINT)
		add_fields(args, e->name, &fields);
	add_json_field(&out, "Unit", unit_of(e));
	add_json_field(&out, "EventName", e->name);
	add_json_field(&out, "EventAlias", e->alias);
	add_json_field(&out, "EventType", e->type);
	add_json_field(&out, "BriefDescription", e->desc);
	add_json_field(&out, "PublicDescription", fields.len ? fields.buf : NULL);
	add_json_field(&out, "Encoding", e->encoding);
	add_json_field(&out, "Example", e->example);
	printf("%s{%s\n\t\"Available\": %s\n}", args->first ? "" : ",\n", out.buf,
	       can_open ? "true" : "false");
	strbuf__exit(&fields);
	strbuf__exit(&out);
}

/* ---- the list ---- */

static int list_event(const struct listed_event *e, void *ctx)
{
	struct list_args *args = ctx;
	bool can_open;

	if (!event__is_wanted(args, e)) {
		suggest__offer(&args->near, arena__strdup(&args->near_names, e->name));
		if (e->alias)
			suggest__offer(&args->near, arena__strdup(&args->near_names, e->alias));
		return 0;
	}
	/* As in stock perf, one line replaces the many PMU formats by default. */
	if (e->family == FAMILY_RAW && e->pmu && !args->nr_words && !args->json && !args->details &&
	    !args->long_desc)
		return 0;
	can_open = listed_event__can_open(e);
	args->hidden += !can_open;
	if (!can_open && !args->all && !args->json && e->family != FAMILY_PMU)
		return 0;
	if (args->raw_dump && !e->example) {
		print_masked(e->name, strlen(e->name));
		putchar(' ');
	} else if (args->json) {
		print_json(args, e, can_open);
	} else if (!args->raw_dump) {
		print_event(args, e, can_open || e->family == FAMILY_PMU);
	}
	args->first = false;
	return 0;
}

static int tell_no_match(const struct list_args *args)
{
	struct strbuf words = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (args->unit)
		strbuf__addf(&words, "'--unit %s'", args->unit);
	for (int i = 0; i < args->nr_words; i++)
		strbuf__addf(&words, "%s'%s'", words.len ? ", " : "", args->words[i]);
	err__set(&err, -ENOENT, "nothing matches %s", words.buf);
	err__suggest(&err, &args->near);
	strbuf__reset(&words);
	if (args->nr_words == 1 && strchr(args->words[0], ':')) /* those of tracefs may be out of sight */
		checks__explain_lookup(args->words[0], tracefs__find(&words, NULL), &err);
	error__print(&err);
	err__exit(&err);
	strbuf__exit(&words);
	return 1;
}

static int list_events(struct list_args *args)
{
	struct pager pager = PAGER_INIT;
	unsigned families = wanted_families(args);

	args->first = true;
	suggest__init(&args->near, "", args->nr_words ? args->words[0] : "");
	event_family__offer(&args->near);
	if (!args->output && !args->json && !args->raw_dump)
		pager__start(&pager);
	if (pager.pid && !args->nr_words)
		printf("\nList of pre-defined events (to be used in -e):\n\n");
	if (args->json)
		printf("[\n");
	event_list__for_each(families, NULL, list_event, args);
	if (args->json)
		printf("\n]\n");
	if (args->raw_dump)
		putchar('\n');
	pager__finish(&pager);
	if (args->first && args->hidden && !args->json && !args->raw_dump)
		info("%zu events have such a name, but this machine cannot open them: '%s list --all' "
		     "shows them",
		     args->hidden, called_name());
	else if (args->first && !args->hidden && (args->nr_words || args->unit))
		return tell_no_match(args);
	return 0;
}

int cmd_list(int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf list [<options>] [hw|sw|cache|pmu|raw|mem|probe|tracepoint|pfm|<event>]", NULL
	};
	struct list_args args = { .tracefs = STRBUF_INIT, .near_names = ARENA_INIT };
	const struct option options[] = {
		OPT_BOOL('a', "all", &args.all, "also list, with a mark, what this machine cannot open"),
		OPT_STRING(0, "cputype", &args.cputype, "type", "only events of cpu_TYPE, as core or atom"),
		OPT_BOOL('d', "desc", &args.desc, "print what each event means"),
		OPT_BOOL(0, "deprecated", &args.deprecated, "list deprecated events too (there are none)"),
		OPT_BOOL(0, "details", &args.details, "print what the names stand for"),
		OPT_BOOL('j', "json", &args.json, "print JSON"),
		OPT_BOOL('v', "long-desc", &args.long_desc,
			 "print longer descriptions: fields of tracepoints, terms of PMUs"),
		OPT_STRING('o', "output", &args.output, "file", "write to this file"),
		OPT_BOOL(0, "raw-dump", &args.raw_dump, "print the names alone, in one line"),
		OPT_STRING(0, "unit", &args.unit, "PMU", "only events of this PMU"),
		OPT_END(),
	};
	char *cpu = NULL;
	int nr = perf__parse_options(options, usage, 0, argc, argv), ret;

	if (nr < 0)
		return -nr;
	args.words = argv;
	args.nr_words = nr;
	if (args.cputype)
		args.unit = cpu = xasprintf("cpu_%s", args.cputype);
	if (args.output && !freopen(args.output, "w", stdout)) {
		error__say("cannot write '%s': %s", args.output, strerror(errno));
		return 1;
	}
	ret = list_events(&args);
	strbuf__exit(&args.tracefs);
	arena__exit(&args.near_names);
	free(cpu);
	return ret;
}
