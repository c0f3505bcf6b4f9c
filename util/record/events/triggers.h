/* --switch-output-event: events that are not recorded; that one happens is a reason to begin a new file. */
#ifndef RECORD_TRIGGERS_H
#define RECORD_TRIGGERS_H

#include "record/events/counters.h"

struct triggers {
	struct evlist *l; /* not owned */
	struct counters counters;
};

/* Opens them, switched off, for the same target as the recording. l may be empty. 0 or a negative errno with
 * err. */
int triggers__open(struct triggers *t, struct evlist *l, const struct target *target, bool inherit,
		   struct err *err);
void triggers__enable(struct triggers *t);
/* Forgets what came so far: their descriptors are readable again when something comes. */
void triggers__drain(struct triggers *t);
void triggers__exit(struct triggers *t);

#endif
