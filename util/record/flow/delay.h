/* -D: when events start counting, and when they stop. */
#ifndef RECORD_DELAY_H
#define RECORD_DELAY_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/memory/types.h"

struct delay {
	bool is_given; /* events are disabled when the recording starts */
	/*
	 * Times at which events are enabled, disabled, enabled..., in ms from the start, ascending. Empty:
	 * only a command enables them.
	 */
	ARRAY(u32) edges;
};

/*
 * Parse text into *d, replacing its content: a delay such as "100" (ms), "-1" for never, or windows in order
 * that do not overlap, such as "10-20,30-40". "0" is no delay. Return 0, or -EINVAL with err.
 */
int delay__parse(struct delay *d, const char *text, struct err *err);
void delay__exit(struct delay *d);

#endif
