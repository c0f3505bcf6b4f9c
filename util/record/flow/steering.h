/*
 * What makes a running recording change its course: the edges of -D, and commands of --control. It arms and
 * disarms events by itself; what else is wanted is left to the recorder.
 */
#ifndef RECORD_STEERING_H
#define RECORD_STEERING_H

#include "record/flow/control.h"
#include "record/events/counters.h"
#include "record/flow/delay.h"

enum {
	STEERING_STOP = 1,
	STEERING_SNAPSHOT = 2, /* by a command, which waits for its answer */
	STEERING_DUMP = 4,     /* the same, by anything else */
};

struct steering {
	const struct delay *delay;
	size_t next_edge; /* of it */
	u64 dump_every;   /* ms; 0: not by time */
	u64 next_dump;
	u64 start; /* when the workload was let go, or everything was set up, ms; 0: not yet */
	struct counters *counters;
	const struct evlist *l;
	struct control *control; /* NULL: none */
	unsigned wishes; /* STEERING_*: what was asked for; the recorder takes them out when they are done */
};

/* Nothing of it is owned. */
void steering__init(struct steering *s, struct counters *counters, const struct evlist *l,
		    const struct delay *delay);
void steering__exit(struct steering *s);
/* control: as control__open; NULL: none. */
int steering__open(struct steering *s, const char *control, struct err *err);
/* The clock of the delay begins. Times are in ms, of any clock that runs evenly. */
void steering__start(struct steering *s, u64 now);
/* How long to wait at most, no more than most. */
int steering__timeout(const struct steering *s, u64 now, u64 most);
/* Does what is due. */
void steering__step(struct steering *s, u64 now);
/* Carries out what came in. False: nothing will come any more. */
bool steering__obey(struct steering *s);
/* Tells those who asked for it that the snapshot is taken. */
void steering__snapshot_done(struct steering *s);

#endif
