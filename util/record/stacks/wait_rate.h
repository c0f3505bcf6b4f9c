/* Tells whether threads switch so often that --off-cpu must make do with small stack copies. */
#ifndef RECORD_WAIT_RATE_H
#define RECORD_WAIT_RATE_H

#include "base/memory/types.h"

struct wait_rate {
	u64 nr;       /* switches since the last look; the caller counts them */
	u64 since_ms; /* time of that */
	bool is_high;
};

/*
 * Return, at the end of a round, whether the rate is high. It counts as high until it is much lower for a
 * while.
 */
bool wait_rate__is_high(struct wait_rate *w, u64 now_ms);

#endif
