/* How far the cycles of a block vary, for perf diff --cycles-hist. */
#ifndef PROFILE_CYCLES_NOISE_H
#define PROFILE_CYCLES_NOISE_H

#include "profile/side_by_side/side_by_side.h"

enum { CYCLES_BARS = 8 };

struct cycles_noise {
	/* standard error of the difference of both averages, in per cent of the difference */
	double error;
	/*
	 * Histogram of the cycles in both recordings, each weighs half: parts of the largest bar. The first
	 * bar is of the fewest cycles, the last one of the most.
	 */
	double bars[CYCLES_BARS];
};

/*
 * Compute it. Return false if that is impossible: the averages are equal, or the block ran only once in one
 * of the recordings.
 */
bool cycles_noise__find(struct cycles_noise *n, const struct block_cycles *old,
			const struct block_cycles *new);

#endif
