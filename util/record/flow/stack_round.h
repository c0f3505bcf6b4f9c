/* The beginning of a round over the ring buffers, for drains that unwind stacks. */
#ifndef RECORD_STACK_ROUND_H
#define RECORD_STACK_ROUND_H

#include "record/events/counters.h"
#include "base/text/strbuf.h"
#include "format/records/sample.h"

/*
 * Call counters__begin_round. Append the side-band of all rings, which stays in the rings, for
 * stack_samples__begin_round.
 */
void stack_round__begin(struct counters *c, struct strbuf *side_band);

/*
 * Decode a sample that a cursor of ring returned, with keeps_ids. Its id may be another one than in the file:
 * rename it in the copy (ring__rename_ids_in). Return as sample__decode.
 */
int stack_round__decode(const struct ring *ring, const struct sample_decoder *d, const struct record *r,
			struct sample *s);

#endif
