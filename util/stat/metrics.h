/* Columns that perf stat computes from several counts: rates, and ratios of two events. */
#ifndef STAT_METRICS_H
#define STAT_METRICS_H

#include "stat/stat_table.h"

enum { METRICS_MAX = 2 };

struct metric {
	double value;
	const char *format; /* printf's, for the value */
	const char *unit;
	bool is_ratio; /* of two events, rather than a rate */
};

/*
 * Set what is computed for an event in a row. Return how many: 0 to METRICS_MAX. Both counts of a ratio are
 * of the same row, of the same privilege levels (":u"), and of the same control group.
 */
unsigned metrics__find(const struct stat_table *t, size_t evsel, size_t row,
		       struct metric found[METRICS_MAX]);

#endif
