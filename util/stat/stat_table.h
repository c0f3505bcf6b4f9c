/*
 * The numbers of perf stat: for each event and row, the mean over all runs, and how far the runs differ. All
 * views print it.
 */
#ifndef STAT_TABLE_H
#define STAT_TABLE_H

#include "stat/counting.h"
#include "stat/stat_rows.h"

/* Mean of a number over runs, by Welford's method (Technometrics 4, 1962). */
struct run_mean {
	u64 nr;
	double mean, squares; /* sum of the squared distances from the mean */
};
void run_mean__add(struct run_mean *m, double x);
/* Return the standard error of the mean; 0 for a single run. */
double run_mean__error(const struct run_mean *m);
/* Return it in per cent of the mean; 0 if the mean is 0. */
double run_mean__percent(const struct run_mean *m);

struct stat_value {
	struct run_mean value;   /* as if the counters had counted all the time, in the kernel's units */
	double enabled, running; /* ns, all runs together */
	u64 nr_places;           /* counters that are open */
};

struct run_times { /* ns */
	u64 elapsed;
	u64 user, system; /* of the command */
};

struct stat_table {
	const struct counting *counting;
	const struct stat_rows *rows;
	struct stat_value *values;             /* of event e in row r: values[e * rows->v.nr + r] */
	struct run_mean elapsed, user, system; /* ns */
	ARRAY(u64) each_elapsed;               /* by run, ns */
};

void stat_table__init(struct stat_table *t, const struct counting *c, const struct stat_rows *rows);
/* Add what the counters have counted since counting__begin(), and the events of perf itself. */
void stat_table__add_run(struct stat_table *t, const struct run_times *times);
/* Forget all runs. */
void stat_table__reset(struct stat_table *t);
void stat_table__exit(struct stat_table *t);

static inline const struct stat_value *stat_table__value(const struct stat_table *t, size_t evsel, size_t row)
{
	return &t->values[evsel * t->rows->v.nr + row];
}

enum stat_state { STAT_COUNTED, STAT_NOT_COUNTED, STAT_NOT_SUPPORTED };
enum stat_state stat_table__state(const struct stat_table *t, size_t evsel, size_t row);

/* Does the event count time? Its values are ns, and are shown in msec. */
bool evsel__is_clock(const struct evsel *e);
/* Return the unit in which its values are shown, and the factor; "": a number. */
const char *evsel__unit(const struct evsel *e, double *factor);

#endif
