#include "profile/compare/in_step.h"

#include "base/memory/mem.h"

#include <math.h>
#include <string.h>

/* Standard deviations from chance; bursts and phases, which are not a rhythm, reach 5. */
#define RHYTHM 6.0
/* Average samples of a visit above which a function runs for longer than the sampling period. */
#define LONG_VISIT 1.15

enum { MAX_VISITS = 8192 }; /* visits that are compared with each other; more would give the same result */

/* Count by distance the visits that begin less than STEP_LAGS samples after another one. */
static void count_lags(u32 *lags, const u32 *starts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t k = i + 1; k < nr && starts[k] - starts[i] < STEP_LAGS; k++)
			lags[starts[k] - starts[i]]++;
}

/*
 * Add up how far frequent distances stand out from their neighbours. If only chance is at work, a distance is
 * on average as frequent as its neighbours, and the numbers vary as independent ones do. Slopes, as from
 * functions that come in bursts, do not count.
 */
static void step_counts__find_peaks(struct step_counts *s, const u32 *lags)
{
	for (u32 scale = 0; scale < STEP_SCALES; scale++) {
		u32 width = scale + 1;

		for (u32 i = 2 + width; i < STEP_LAGS - width; i++) {
			double n = lags[i], beside = ((double)lags[i - width] + lags[i + width]) / 2;

			s->rough[scale] += n * (n - 1 - beside);
			s->noise[scale] += 2.5 * n * n + n;
		}
	}
}

void step_counts__count(struct step_counts *s, const u32 *starts, size_t nr, double samples)
{
	u32 lags[STEP_LAGS] = { 0 };

	*s = (struct step_counts){ .samples = samples, .visits = (double)nr };
	if (nr < STEP_MIN_VISITS)
		return;
	count_lags(lags, starts, MIN(nr, (size_t)MAX_VISITS));
	step_counts__find_peaks(s, lags);
	s->distances = (double)nr - 1;
	for (u32 later = 1; later <= STEP_REPEATS; later++)
		for (size_t i = 0; i + 1 + later < nr; i++)
			s->repeats[later - 1] +=
				starts[i + 1] - starts[i] == starts[i + 1 + later] - starts[i + later];
}

void step_counts__add(struct step_counts *to, const struct step_counts *from)
{
	for (u32 i = 0; i < STEP_SCALES; i++) {
		to->rough[i] += from->rough[i];
		to->noise[i] += from->noise[i];
	}
	for (u32 i = 0; i < STEP_REPEATS; i++)
		to->repeats[i] += from->repeats[i];
	to->samples += from->samples;
	to->visits += from->visits;
	to->distances += from->distances;
}

bool step_counts__show_rhythm(const struct step_counts *s)
{
	for (u32 i = 0; i < STEP_SCALES; i++)
		if (s->rough[i] > RHYTHM * sqrt(s->noise[i]) && s->noise[i] > 0)
			return true;
	return false;
}

double step_counts__variance(const struct step_counts *s, double nr)
{
	double repeats = 0, group, each;

	if (!(s->samples > 0))
		return 0;
	for (u32 i = 0; i < STEP_REPEATS; i++)
		repeats = MAX(repeats, s->repeats[i]);
	/* visits that follow each other at equal distances make the same error */
	group = s->distances > repeats ? s->distances / (s->distances - repeats) : s->distances + 1;
	group = MIN(group, MAX(s->visits / nr, 1.0));
	/*
	 * The error of a visit: a part f of a sampling period more than a whole number of them gives one
	 * sample more or none, with the variance f (1 - f), which is 1/6 on average; a visit shorter than
	 * a period gives one or none.
	 */
	each = s->samples > LONG_VISIT * s->visits ? 0.25
						   : 1; /* of a visit: one sample more or less; one or none */
	return group * each * s->visits * nr / (s->samples * s->samples);
}
