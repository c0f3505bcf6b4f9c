/*
 * Counts what a file has not got: from the counters themselves, which the kernel keeps the number of dropped
 * records for (Linux 6.0), and from what passed through.
 */
#ifndef RECORD_LOSS_COUNT_H
#define RECORD_LOSS_COUNT_H

#include "format/records/losses.h"
#include "record/events/counters.h"
#include "record/events/tally.h"
#include "unwind/unwind_stats.h"

struct loss_count {
	u64 last_round;   /* ms; 0: none yet */
	u64 longest_wait; /* between two rounds, ms */
	ARRAY(u64) told;  /* by counter: what files before this one were told of */
};

void loss_count__exit(struct loss_count *lc);
/* A round over the rings begins, or the first wait for one. */
void loss_count__round(struct loss_count *lc, u64 now_ms);
/*
 * The rings have been drained, and the events are off: fills l (which the caller exits), and appends to
 * records what of it goes to the file for all readers, LOST_SAMPLES for each counter. chains: of the stacks
 * that the recorder unwound, or NULL. What happens later counts for the next file.
 */
void loss_count__take(struct loss_count *lc, const struct counters *c, const struct evlist *e,
		      const struct tally *t, const struct unwind_stats *chains, struct losses *l,
		      struct strbuf *records);

#endif
