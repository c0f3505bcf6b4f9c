/*
 * perf stat --repeat-with: run two programs in turns, and say for each counter whether they differ. The
 * statistics are those of pair_evidence.h.
 */
#ifndef STAT_STAT_PAIR_H
#define STAT_STAT_PAIR_H

#include "stat/stat_opts.h"

struct stat_pair_opts {
	const char *other;   /* the new program; the old one is that of the command line */
	u32 max_rounds;      /* --until-decided; 0: as many rounds as -r says */
	u32 warmup;          /* rounds before the first that counts */
	double least_change; /* smallest change of interest; 0.01: 1% */
	bool json, markdown;
	bool fails_on_slower; /* return STAT_SLOWER if the new program is slower by this part */
	double slower;
	bool bisects;    /* return an enum bisect_status; bad is slower by .slower, or by least_change if 0 */
	bool has_events; /* -e: the named events decide, too, not the elapsed time alone */
};

enum { STAT_SLOWER = 2 }; /* exit status of --fail-on slower */

/*
 * Run argv and the other program, opts->nr_runs times each, and print the comparison. Return the exit status:
 * the first one of a program that is not 0, else that of --fail-on or --bisect; or a negative errno with err.
 */
int stat_pair__run(struct stat_opts *opts, const struct stat_pair_opts *pair, struct evlist *l, char **argv,
		   struct stat_outcome *outcome, struct err *err);

#endif
