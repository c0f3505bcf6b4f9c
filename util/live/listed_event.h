/* Which of the events that perf knows can be opened on this machine, for lists of them. */
#ifndef LIVE_LISTED_EVENT_H
#define LIVE_LISTED_EVENT_H

#include "event/parse/event_list.h"

/*
 * Try to open the event, without the kernel if need be. Tracepoints that are listed count as available:
 * opening thousands would take seconds. The same for forms of events (e->example).
 */
bool listed_event__can_open(const struct listed_event *e);

#endif
