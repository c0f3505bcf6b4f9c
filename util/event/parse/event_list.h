/*
 * All events that -e can name on this machine, for perf list: those that perf knows by name, those of PMUs
 * and tracepoints, and the forms that take a number, a variable or a function.
 */
#ifndef EVENT_EVENT_LIST_H
#define EVENT_EVENT_LIST_H

#include "base/text/suggest.h"
#include "event/parse/parse.h"

/*
 * In the order of the list. To add one: add a row to event_list.c and its name to Documentation/perf-list.1.
 */
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
	const char *name;      /* as for -e; for a form: its syntax */
	const char *alias;     /* another name, or NULL */
	const char *type;      /* "Hardware event" */
	const char *desc;      /* one line, or NULL */
	const char *encoding;  /* the same event by numbers, or NULL */
	const char *example;   /* for a form: an example for -e; NULL: use the name */
	const struct pmu *pmu; /* loaded; NULL: not a PMU's event */
};

/* Return nonzero to stop. e and its strings are valid during the call only. */
typedef int (*listed_event_fn)(const struct listed_event *e, void *ctx);

/*
 * Call fn for the events of the families whose bits (1 << FAMILY_HW) are set, by family and name. opts NULL:
 * this machine's sysfs and tracefs. Return the nonzero value that stopped fn, or 0.
 */
int event_list__for_each(unsigned families, const struct parse_opts *opts, listed_event_fn fn, void *ctx);
/* Return the family of a word: "hw", "hardware", "sw", "cache", "pmu", "mem"...; -ENOENT: none. */
int event_family__find(const char *word);
void event_family__offer(struct suggest *s); /* the names of all families */

#endif
