/* --switch-on, --switch-off: the times between one event and another. */
#ifndef PROFILE_SWITCHED_H
#define PROFILE_SWITCHED_H

#include "model/session.h"
#include "profile/rows/time_spans.h"

struct switch_opts {
	const char *on, *off; /* names of events; NULL: none */
	bool show;            /* count the events that switch, too */
};

/*
 * Find the times in which samples count: from each event on to the next event off; without on, from the
 * beginning. Samples are read in a pass of their own. Return 0, or a negative errno with err: an event is
 * unknown, the recording has no times, or reading failed.
 */
int switched__find(struct time_spans *spans, struct session *s, const struct switch_opts *opts,
		   struct err *err);

#endif
