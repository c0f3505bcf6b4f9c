#include "profile/causes/span_verdicts.h"

#include "base/memory/array.h"
#include "profile/compare/distributions.h"

#include <stdlib.h>

#define ALPHA 0.05      /* of all candidates of a recording together */
#define LEAST_PART 0.1  /* of the extra time */
#define LEAST_RATIO 2.0 /* of the mean durations */
#define LARGE 3.0       /* an amount that is apart is so many times the duration of a fast span at least */

enum { LEAST_UNITS = 8 /* amounts of fewer samples may be far apart by chance */ };

/*
 * Are amounts like those of the slow spans rarer than the smaller ones of other spans, and than larger
 * ones?
 */
static bool candidate__is_apart(const struct span_case *c, const struct span_candidate *x)
{
	struct span_amounts a = { .together = span_group__together(&c->groups[SPANS_SLOW]) };
	double from = MAX(c->durations.mean[SPANS_FAST] / 2, x->unit * LEAST_UNITS);
	bool is_apart;

	for (int g = 0; g < NR_SPAN_GROUPS; g++)
		a.nr += c->groups[g].nr;
	a.v = xmalloc_large(a.nr * sizeof(*a.v));
	a.nr = 0;
	for (int g = 0; g < NR_SPAN_GROUPS; g++)
		for (u32 i = 0; i < c->groups[g].nr; i++)
			a.v[a.nr++] = (struct span_amount){ x->amounts[g][i], c->groups[g].weights[i] };
	is_apart =
		x->contrast.have_mean >= LARGE * c->durations.mean[SPANS_FAST] &&
		span_amounts__has_gap(&a, MAX(from, 2 * x->contrast.mean[SPANS_FAST]), x->contrast.have_mean);
	free(a.v);
	return is_apart;
}

static void case__compare(struct span_case *c, struct span_candidate *candidates, u32 nr)
{
	double *p = xcalloc(nr, sizeof(*p)), limit;

	for (u32 i = 0; i < nr; i++) {
		span_contrast__make(&candidates[i].contrast, c->groups, candidates[i].amounts);
		p[i] = candidates[i].contrast.p;
	}
	limit = p_values__limit(p, nr, ALPHA);
	for (u32 i = 0; i < nr; i++) {
		struct span_candidate *x = &candidates[i];

		x->part = c->durations.more > 0 ? x->contrast.more / c->durations.more : 0;
		x->is_clear = x->part >= LEAST_PART && x->contrast.p <= limit && x->contrast.low > 0 &&
			      x->contrast.nr_clusters >= SPANS_LEAST;
		x->is_apart = x->is_clear && candidate__is_apart(c, x);
		x->is_named = false;
	}
	free(p);
}

enum span_verdict span_case__judge(struct span_case *c, struct span_candidate *candidates, u32 nr)
{
	const double *durations[NR_SPAN_GROUPS];
	const struct span_candidate *most = NULL;

	for (int g = 0; g < NR_SPAN_GROUPS; g++)
		durations[g] = c->groups[g].ns;
	span_contrast__make(&c->durations, c->groups, durations);
	case__compare(c, candidates, nr);
	for (u32 i = 0; i < nr; i++)
		if (!most || candidates[i].contrast.more > most->contrast.more)
			most = &candidates[i];
	if (span_group__nr_clusters(&c->groups[SPANS_SLOW]) < SPANS_LEAST ||
	    c->groups[SPANS_FAST].nr < SPANS_LEAST)
		return SPANS_FEW;
	if (!c->is_told && c->durations.mean[SPANS_SLOW] < LEAST_RATIO * c->durations.mean[SPANS_FAST])
		return SPANS_ALIKE;
	if (!most || !most->is_clear)
		return SPANS_UNEXPLAINED;
	if (!c->is_told && !c->tail.is_detached && !most->is_apart)
		return SPANS_ORDINARY;
	for (u32 i = 0; i < nr; i++)
		candidates[i].is_named = candidates[i].is_clear;
	return SPANS_EXPLAINED;
}
