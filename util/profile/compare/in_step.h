/*
 * Were samples in step with the program? A clock that samples at equal distances meets the rounds of a
 * program at the same places again and again: then a function has too many or too few samples, in the same
 * way in each run. The order of the samples shows it. Documentation/comparison.md derives the method.
 */
#ifndef PROFILE_IN_STEP_H
#define PROFILE_IN_STEP_H

#include "base/memory/types.h"

#include <stddef.h>

enum {
	STEP_LAGS = 256,      /* samples; visits are compared with those that begin up to this much later */
	STEP_SCALES = 3,      /* widths at which peaks are looked for: 1, 2, 3 samples */
	STEP_REPEATS = 4,     /* number of following distances that a distance is compared with */
	STEP_MIN_VISITS = 10, /* functions with fewer visits are not counted */
};

/*
 * Counts about the visits of a function. A visit is a sequence of samples of one thread that are all in the
 * function. Counts of several recordings can be added up.
 */
struct step_counts {
	double rough[STEP_SCALES], noise[STEP_SCALES]; /* peaks of the distances; the variance by chance */
	double samples, visits;
	double distances, repeats[STEP_REPEATS]; /* from one visit to the next; equal ones */
};

/*
 * Count visits. starts: numbers of their first samples in their thread, ascending; samples: in all of
 * them.
 */
void step_counts__count(struct step_counts *s, const u32 *starts, size_t nr, double samples);
void step_counts__add(struct step_counts *to, const struct step_counts *from);
/* Do visits come at the same distances far more often than by chance? */
bool step_counts__show_rhythm(const struct step_counts *s);
/*
 * Return the variance that sampling in step adds to the logarithm of the number of samples, for all
 * recordings together, as if they all made the same error. nr: recordings that were added.
 */
double step_counts__variance(const struct step_counts *s, double nr);

#endif
