/* -G: events that count the tasks of a control group only. */
#ifndef RECORD_EVENT_CGROUPS_H
#define RECORD_EVENT_CGROUPS_H

#include "base/message/err.h"
#include "event/evsel/evsel.h"

/*
 * Opens the groups that arg names, with commas between, for the events of l from *next on, one each; an empty
 * name leaves an event out. A single name is for all of them. *next moves behind them. 0 or a negative errno
 * with err.
 */
int event_cgroups__add(struct evlist *l, size_t *next, const char *arg, struct err *err);
/* Whether any event has one. */
bool event_cgroups__any(const struct evlist *l);

#endif
