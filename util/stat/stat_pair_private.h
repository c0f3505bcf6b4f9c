/* Shared by the files of perf stat --repeat-with: stat_pair.c runs, stat_pair_text.c prints. */
#ifndef STAT_STAT_PAIR_PRIVATE_H
#define STAT_STAT_PAIR_PRIVATE_H

#include "stat/pair_evidence.h"
#include "stat/stat_job.h"
#include "stat/stat_pair.h"

enum { OLD, NEW };
enum { TIME_ELAPSED, TIME_USER, TIME_SYSTEM, NR_TIMES }; /* counters after those of the events */

typedef ARRAY(double) values;

struct pair_counter {
	const char *name, *unit;
	double factor; /* of values, to the unit */
	bool decides;  /* --until-decided and --fail-on look at it */
	bool is_time;
	bool is_missing; /* this machine has no such event */
	values side[2];
	struct pair_evidence evidence;
};

struct stat_pair {
	const struct stat_pair_opts *opts;
	struct stat_job job;
	char **argv;
	char *programs[2];
	ARRAY(struct pair_counter) counters;
	u32 nr_rounds; /* that count */
	int status;    /* first exit status of a program that is not 0 */
	u32 nr_failed[2];
};

/* Append the comparison as text, JSON or Markdown. */
void stat_pair__add(const struct stat_pair *p, struct strbuf *out);

#endif
