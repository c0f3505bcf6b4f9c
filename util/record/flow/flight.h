/*
 * --overwrite: write the content of the flight rings to the file on request. The kernel overwrites them;
 * nothing is copied in between. The side-band has its own rings, which are drained all the time, so that
 * maps and names are never overwritten.
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
 * Write the new records of each flight ring, in time order. Older records have been overwritten. Drain the
 * rings of the side-band afterwards, so that it covers all of these records. Return 0 or a negative errno.
 */
int flight__take(struct flight *f, struct counters *c, struct intake *in);

#endif
