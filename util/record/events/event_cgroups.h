/* -G: events that count only the tasks of a control group. */
#ifndef RECORD_EVENT_CGROUPS_H
#define RECORD_EVENT_CGROUPS_H

#include "base/message/err.h"
#include "event/evsel/evsel.h"

/*
 * Open the comma-separated groups in arg, one for each event of l from *next on; an empty name skips an
 * event. A single name applies to all of them. Move *next past these events. Return 0 or a negative errno
 * with err.
 */
int event_cgroups__add(struct evlist *l, size_t *next, const char *arg, struct err *err);
/* Return whether any event has a control group. */
bool event_cgroups__any(const struct evlist *l);

#endif
