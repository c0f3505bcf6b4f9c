/*
 * Changes a running recording at the times of -D and by commands of --control. It enables and disables
 * events itself, and passes other requests to the recorder.
 */
#ifndef RECORD_STEERING_H
#define RECORD_STEERING_H

#include "record/flow/control.h"
#include "record/events/counters.h"
#include "record/flow/delay.h"

enum {
	STEERING_STOP = 1,
	STEERING_SNAPSHOT = 2, /* requested by a command that waits for an answer */
	STEERING_DUMP = 4,     /* the same, requested in any other way */
};

struct steering {
	const struct delay *delay;
	size_t next_edge; /* index of the next edge of the delay */
	u64 dump_every;   /* ms between requests of STEERING_DUMP; 0: not by time */
	u64 next_dump;
	u64 start; /* ms, when the workload was started or the setup was complete; 0: not yet */
	struct counters *counters;
	const struct evlist *l;
	struct control *control; /* NULL: none */
	unsigned wishes; /* STEERING_* flags of pending requests; the recorder clears them when done */
};

/* Initialize *s. It does not own its arguments. */
void steering__init(struct steering *s, struct counters *counters, const struct evlist *l,
		    const struct delay *delay);
void steering__exit(struct steering *s);
/* Open the control channel. control: as in control__open; NULL: none. */
int steering__open(struct steering *s, const char *control, struct err *err);
/* Start the clock of the delay. Times are in ms of any steady clock. */
void steering__start(struct steering *s, u64 now);
/* Return how long to wait, in ms, at most most. */
int steering__timeout(const struct steering *s, u64 now, u64 most);
/* Perform all actions that are due. */
void steering__step(struct steering *s, u64 now);
/* Execute the commands that arrived. Return false at the end of the input. */
bool steering__obey(struct steering *s);
/* Acknowledge the snapshot to the command that requested it. */
void steering__snapshot_done(struct steering *s);

#endif
