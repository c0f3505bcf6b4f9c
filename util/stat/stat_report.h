/* perf stat report: print the tables of a recording of perf stat record, ours or stock perf's. */
#ifndef STAT_STAT_REPORT_H
#define STAT_STAT_REPORT_H

#include "stat/stat_print.h"

struct stat_report_opts {
	const char *path; /* "-": standard input */
	struct stat_print_opts print;
	enum aggregation by;
	bool has_by; /* by was chosen; else it is that of the recording */
	int out_fd;
};

/* Print to opts->out_fd. Return 0 or a negative errno with err; what was read before damage is printed. */
int stat_report__run(const struct stat_report_opts *opts, struct err *err);

#endif
