/*
 * A row of sampling rates around the one that was asked for, so that samples are in step with nothing. The
 * rates are spread evenly between two bounds, their mean is the rate asked for, and none comes again: each
 * differs from the one before by the golden section of the range (a Kronecker sequence).
 */
#ifndef RECORD_RATE_WALK_H
#define RECORD_RATE_WALK_H

#include "base/memory/types.h"

enum {
	RATE_SPREAD = 500,    /* thousandths of the rate; the most by which a rate differs from it */
	RATE_SPREAD_MIN = 50, /* thousandths; with less room below the kernel's limit, rates do not vary */
	RATE_PLACE_BITS = 30, /* a place is a number from -2^30 (the lowest rate) to 2^30 */
};

struct rate_walk {
	u64 at; /* any number begins a row; different ones begin at different places */
};

/* Return the next place in the range of rates. */
s32 rate_walk__next(struct rate_walk *w);
/*
 * Return a number from 1 - 1/4 to 1 + 1/4 of ms, by the present place: times that are in step with
 * nothing.
 */
u32 rate_walk__about(const struct rate_walk *w, u32 ms);

/*
 * Return by how many thousandths a rate of freq Hz may vary, if the kernel allows max_freq; 0: not at all.
 * max_freq 0: unknown.
 */
u32 rate_spread__of(u64 freq, u64 max_freq);
/* Return the rate at a place, in Hz. */
u64 rate__at(u64 freq, u32 spread, s32 place);
/* Return the ns between two samples at a place; never those of freq itself, nor 0. */
u64 rate__period_at(u64 freq, u32 spread, s32 place);
/* Return the ns between two samples as the kernel computes them for freq. */
u64 rate__period(u64 freq);

#endif
