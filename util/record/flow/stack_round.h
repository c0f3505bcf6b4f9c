/* The beginning of a round over the ring buffers, for drains that unwind stacks. */
#ifndef RECORD_STACK_ROUND_H
#define RECORD_STACK_ROUND_H

#include "record/events/counters.h"
#include "base/text/strbuf.h"

/*
 * Call counters__begin_round. Append the side-band of all rings, which stays in the rings, for
 * stack_samples__begin_round.
 */
void stack_round__begin(struct counters *c, struct strbuf *side_band);

#endif
