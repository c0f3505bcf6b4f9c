/*
 * --overwrite: what the flight rings hold goes to the file when somebody asks for it. Nothing is copied while
 * nothing happens. The side-band has rings of its own, which are drained all the time: maps and names are
 * never overwritten.
 */
#ifndef RECORD_FLIGHT_H
#define RECORD_FLIGHT_H

#include "record/events/counters.h"
#include "record/flow/intake.h"

struct flight {
	struct strbuf copy, ordered; /* of one ring */
};

void flight__exit(struct flight *f);
/*
 * Takes what is new in the flight rings, each in the order of time. What was older than it has been
 * overwritten. The rings of the side-band are to be drained afterwards, so that it is there for all of this.
 * 0 or a negative errno.
 */
int flight__take(struct flight *f, struct counters *c, struct intake *in);

#endif
