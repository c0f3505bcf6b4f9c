/*
 * All that -e can name on this machine, for perf list: the events that perf knows by name, those of PMUs and
 * tracepoints, and the forms that take a number, a variable or a function.
 */
#ifndef EVENT_EVENT_LIST_H
#define EVENT_EVENT_LIST_H

#include "event/parse/parse.h"

/* In the order of the list. To add one: its row in event_list.c, its name in Documentation/perf-list.1. */
enum event_family {
	FAMILY_HW,
	FAMILY_SW,
	FAMILY_CACHE,
	FAMILY_PMU,
	FAMILY_RAW,
	FAMILY_MEM,
	FAMILY_PROBE,
	FAMILY_TRACEPOINT,
	FAMILY_PFM,
	FAMILY_NR,
};

struct listed_event {
	enum event_family family;
	const char *name;      /* as for -e; of a form: its shape */
	const char *alias;     /* another name of it, NULL: none */
	const char *type;      /* "Hardware event" */
	const char *desc;      /* one line, NULL: none */
	const char *encoding;  /* the same event by its numbers, NULL: none */
	const char *example;   /* of a form: a text for -e; NULL: the name is one */
	const struct pmu *pmu; /* loaded; NULL: none */
};

/* Not 0: stop. What it is given lives during the call. */
typedef int (*listed_event_fn)(const struct listed_event *e, void *ctx);

/*
 * Calls fn for the events of the families whose bits (1 << FAMILY_HW) are set, family by family, by name.
 * opts NULL: this machine's sysfs and tracefs. Returns what stopped fn, or 0.
 */
int event_list__for_each(unsigned families, const struct parse_opts *opts, listed_event_fn fn, void *ctx);
/* The family of a word: "hw", "hardware", "sw", "cache", "pmu", "mem"...; -ENOENT. */
int event_family__find(const char *word);

#endif
