/*
 * Options that name events, and that say something about the events before them: callbacks for an option
 * table, with a struct event_args as value.
 */
#ifndef RECORD_EVENT_ARGS_H
#define RECORD_EVENT_ARGS_H

#include "base/command/options.h"
#include "event/evsel/evsel.h"

struct event_args {
	struct evlist list;
	size_t last;        /* index of the first event of the last -e */
	size_t next_cgroup; /* index of the first event without a -G */
};

void event_args__init(struct event_args *args);
void event_args__exit(struct event_args *args);
/* Add the events of -e; text NULL: of an -e without any. Return 0 or a negative errno with err. */
int event_args__add(struct event_args *args, const char *text, struct err *err);
option_callback event_args__pfm_event, event_args__filter, event_args__cgroup;

#endif
