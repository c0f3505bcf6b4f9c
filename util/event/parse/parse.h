/*
 * The -e language: a list of events and groups.
 *
 *	list     event or group, separated by commas
 *	group    [NAME]{event,event...}[:modifiers]
 *	event    EVENT[:modifiers] or EVENT/term,term=value.../[modifiers]
 *	EVENT    the name of a hardware, software or cache event, or of one that a PMU lists in sysfs;
 *	         rNNN, the processor's own event by its number;
 *	         PMU/term,.../ with terms of the PMU's format, or one of its events; the PMU may be a
 *	         pattern;
 *	         SYSTEM:TRACEPOINT, both may be patterns;
 *	         mem:..., uprobe:..., kprobe:... (event/evsel/event_request.h);
 *	         a name that libpfm4 knows, if perf was built with it
 *
 * The forms are rows of a table in parse.c, the terms in parse_terms.c, the modifiers in parse_modifiers.c.
 * To add one: add its row there, a line in Documentation/perf-list.1 and its texts in tests/events.
 */
#ifndef EVENT_PARSE_H
#define EVENT_PARSE_H

#include "base/message/err.h"
#include "event/evsel/evsel.h"

struct parse_opts {
	const char *sysfs;   /* "/sys", or a directory with the same layout */
	const char *tracefs; /* NULL: where it is mounted */
};

/*
 * Append the events of text to l, with attr.type, config, bp_*, exclude_*, precise_ip etc. The evsel is
 * named as written (with the PMU's own name if the text means several); groups have their leader; settings
 * of the event that are not in attr are in the evsel. attr.sample_type has the bits that the event itself
 * needs. Return 0, or a negative errno with err: the error, the text with the word marked, and similar known
 * names; l is then unchanged.
 */
int parse_events(struct evlist *l, const char *text, struct err *err);
/*
 * Add to l, which must be empty, the default event: cycles, as precisely as possible. Its name does not
 * include the precision, as in stock perf.
 */
void parse_default_event(struct evlist *l);
/* As parse_events, with another sysfs or tracefs; opts NULL: this machine's. */
int parse_events_with(struct evlist *l, const char *text, const struct parse_opts *opts, struct err *err);
/*
 * Remove nr letters p from the modifiers at the end of e's name: "cycles:ppp" -> "cycles:p". A name without
 * modifiers stays as it is.
 */
void evsel__name_less_precise(struct evsel *e, unsigned nr);
/* Add the modifier u to e's name: "cycles" -> "cycles:u", "sched:sched_switch" -> "sched:sched_switch:u". */
void evsel__name_user_only(struct evsel *e);
/* As parse_events, for a list of libpfm4's names. -ENOTSUP: libpfm4 is not built in or not installed. */
int parse_pfm_events(struct evlist *l, const char *text, struct err *err);

#endif
