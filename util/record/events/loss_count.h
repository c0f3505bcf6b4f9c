/*
 * Count the losses of a file: from the counters, for which the kernel counts lost records (Linux 6.0), and
 * from the records that passed.
 */
#ifndef RECORD_LOSS_COUNT_H
#define RECORD_LOSS_COUNT_H

#include "format/records/losses.h"
#include "record/events/counters.h"
#include "record/events/tally.h"

struct loss_count {
	u64 last_round;   /* ms; 0: none yet */
	u64 longest_wait; /* ms; longest time between two rounds */
	ARRAY(u64) told;  /* lost records of each counter that were reported in previous files */
};

void loss_count__exit(struct loss_count *lc);
/* Note that a round over the rings begins, or the first wait for one. */
void loss_count__round(struct loss_count *lc, u64 now_ms);
/*
 * Fill l, which the caller exits, after the rings were drained and the events disabled. Append the records
 * about it for the file to records: a LOST_SAMPLES for each counter. Later losses count for the next file.
 */
void loss_count__take(struct loss_count *lc, struct counters *c, const struct evlist *e,
		      const struct tally *t, struct losses *l, struct strbuf *records);

#endif
