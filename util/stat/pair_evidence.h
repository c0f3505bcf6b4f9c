/*
 * The statistics of two programs that run in turns: is a counter of the new one larger than that of the
 * old one? Each round runs both programs once, in an order that a coin decides (pair__old_first), so that
 * bursts, drift and rhythms of the machine concern both alike. Documentation/comparison.md derives the
 * method.
 *
 * evidence.h is for many rows of samples: it takes the change that all rows share for the machine's, knows
 * no pairs, and assumes that counts vary as samples do. With one counter a round it would find no change
 * at all. Distributions, verdicts, error rate and Hochberg's procedure are the same.
 */
#ifndef STAT_PAIR_EVIDENCE_H
#define STAT_PAIR_EVIDENCE_H

#include "base/memory/types.h"
#include "profile/compare/evidence.h"

enum {
	PAIR_MIN_ROUNDS = 3,   /* fewer have no verdict */
	PAIR_MAX_ROUNDS = 100, /* default of --until-decided */
};

/* How the rounds are made. */
struct pair_plan {
	/*
	 * --until-decided: number of rounds to end with at the latest. The verdicts are asked for at the
	 * looks (pair_plan__next_look), and are as certain as those of a fixed number of rounds. 0: a
	 * fixed number
	 */
	u32 max_rounds;
	double least_change; /* smallest change of interest; 0.01: 1% */
};

/*
 * A counter's values: old[i] and new[i] are those of round i, >= 0. NAN: not counted; leaves out the
 * round.
 */
struct pair_values {
	const double *old, *new;
};

struct pair_evidence {
	u32 nr;           /* rounds with both values */
	double mean[2];   /* of these rounds, old and new; NAN: none */
	double change;    /* new mean / old mean; INFINITY: old is 0, and new is not; 1: both are 0 */
	double low, high; /* its 95% interval; 0 and INFINITY: any change is possible; NAN: no rounds */
	double p;         /* p-value of "no change" */
	/*
	 * VERDICT_FEW (fewer than PAIR_MIN_ROUNDS), VERDICT_UNKNOWN, VERDICT_SAME (within least_change),
	 * VERDICT_FASTER (less), VERDICT_SLOWER (more)
	 */
	enum verdict verdict;
	/*
	 * for VERDICT_FEW and VERDICT_UNKNOWN: about so many more rounds decide with 80% power. They show
	 * a change of interest, or one as large as the near edge of the interval, if that is larger; or
	 * that equal programs are the same. 0: nobody knows
	 */
	double needs;
};

/*
 * Weigh the evidence of nr_rounds rounds for each counter. In 95% of comparisons no counter without a
 * change is named, however many counters there are. With max_rounds, that holds for calls at the looks
 * only.
 */
void pair_evidence__weigh(struct pair_evidence *rows, const struct pair_values *values, u32 nr_counters,
			  u32 nr_rounds, const struct pair_plan *plan);
/*
 * Return the number of rounds after which to ask for the next verdict when there have been nr_rounds: 5,
 * 8, 13, 21, ..., max_rounds. 0: there is no further look. Without max_rounds: 0.
 */
u32 pair_plan__next_look(const struct pair_plan *plan, u32 nr_rounds);
/* Is a verdict as sure as more rounds can make it: same, faster or slower? */
bool pair_evidence__is_decided(const struct pair_evidence *e);
/*
 * Does the old program run first in this round (0, 1, ...)? By chance, from seed, which should differ
 * between comparisons: no rhythm of the machine is in step with that. The first three rounds are never all
 * alike.
 */
bool pair__old_first(u64 seed, u32 round);

#endif
