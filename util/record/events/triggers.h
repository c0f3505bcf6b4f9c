/* --switch-output-event: events that are not recorded, but start a new file when they happen. */
#ifndef RECORD_TRIGGERS_H
#define RECORD_TRIGGERS_H

#include "record/events/counters.h"

struct triggers {
	struct evlist *l; /* not owned */
	struct counters counters;
};

/*
 * Open the events of l, disabled, for the same target as the recording. l may be empty. Return 0 or a
 * negative errno with err.
 */
int triggers__open(struct triggers *t, struct evlist *l, const struct target *target, bool inherit,
		   struct err *err);
void triggers__enable(struct triggers *t);
/* Discard what arrived so far. A descriptor becomes readable again with the next event. */
void triggers__drain(struct triggers *t);
void triggers__exit(struct triggers *t);

#endif
