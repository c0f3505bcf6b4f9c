/*
 * The -e language: a list of events and groups.
 *
 *	list     event or group, with commas between
 *	group    [NAME]{event,event...}[:modifiers]
 *	event    EVENT[:modifiers] or EVENT/term,term=value.../[modifiers]
 *	EVENT    the name of a hardware, software or cache event, or of one that a PMU lists in sysfs;
 *	         rNNN, the processor's own event by its number;
 *	         PMU/term,.../ with what the PMU's format knows, or one of its events; the PMU may be a
 *	         pattern;
 *	         SYSTEM:TRACEPOINT, both may be patterns;
 *	         mem:..., uprobe:..., kprobe:... (event/evsel/event_request.h);
 *	         a name that libpfm4 knows, where perf was built with it
 *
 * The forms are rows of a table in parse.c, the terms of one in parse_terms.c, the modifiers of one in
 * parse_modifiers.c. To add one of these: its row there, its line in Documentation/perf-list.1, its texts in
 * tests/events.
 */
#ifndef EVENT_PARSE_H
#define EVENT_PARSE_H

#include "base/message/err.h"
#include "event/evsel/evsel.h"

struct parse_opts {
	const char *sysfs;   /* "/sys", or a folder that looks like it */
	const char *tracefs; /* NULL: where it is mounted */
};

/*
 * Appends the events of text to l: attr.type, config, bp_*, exclude_*, precise_ip and the like are set, the
 * evsel is named as written (with the PMU's own name where several were meant), groups have their leader,
 * what is per event and no attr is in the evsel. attr.sample_type has what the event itself needs. 0, or a
 * negative errno with err: what is wrong, the text with the word marked, and the nearest known names; l is
 * then as before.
 */
int parse_events(struct evlist *l, const char *text, struct err *err);
/* Add to l, which is empty, what is recorded when no event is named: cycles, as precisely as possible. As in
 * stock perf, the name does not say how precisely. */
void parse_default_event(struct evlist *l);
/* The same with another sysfs or tracefs; opts NULL: this machine's. */
int parse_events_with(struct evlist *l, const char *text, const struct parse_opts *opts, struct err *err);
/*
 * Takes nr of the letters p out of the modifiers at the end of e's name: "cycles:ppp" -> "cycles:p". A name
 * that does not end in modifiers stays as it is.
 */
void evsel__name_less_precise(struct evsel *e, unsigned nr);
/* As parse_events, for a list of libpfm4's names. -ENOTSUP when perf was built without it. */
int parse_pfm_events(struct evlist *l, const char *text, struct err *err);

#endif
