/* Random numbers for calibrations: one generator (splitmix64) that is the same everywhere, distributions. */
#ifndef TESTS_DIFF_RANDOM_H
#define TESTS_DIFF_RANDOM_H

#include "base/memory/types.h"

#include <math.h>

static u64 state = 1; /* the seed, then the generator's */

static inline u64 next_random(void)
{
	u64 x = state += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static inline size_t below(size_t limit)
{
	return next_random() % limit;
}

static inline double uniform(void) /* of (0, 1) */
{
	return ((double)(next_random() >> 11) + 0.5) / 9007199254740992.0;
}

static inline double between(double from, double to)
{
	return from + (to - from) * uniform();
}

static inline double log_between(double from, double to)
{
	return exp(between(log(from), log(to)));
}

static inline double gauss(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

#endif
