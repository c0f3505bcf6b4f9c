/* -D: when events begin to count, and when they stop again. */
#ifndef RECORD_DELAY_H
#define RECORD_DELAY_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/memory/types.h"

struct delay {
	bool is_given; /* events are off when the recording starts */
	/* Ascending, in ms from the start: there they go on, off, on ... None: only somebody else arms them.
	 */
	ARRAY(u32) edges;
};

/*
 * "100"; "-1": never; "10-20,30-40": windows, apart from each other and in order. "0" is no delay. Replaces
 * what *d was. 0, or -EINVAL with err.
 */
int delay__parse(struct delay *d, const char *text, struct err *err);
void delay__exit(struct delay *d);

#endif
