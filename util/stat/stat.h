/*
 * perf stat: count the events of a command, of processes or of CPUs, once, in intervals or in several runs,
 * and print the table.
 */
#ifndef STAT_STAT_H
#define STAT_STAT_H

#include "record/flow/delay.h"
#include "record/target/target.h"
#include "stat/stat_file.h"
#include "stat/stat_print.h"

struct stat_opts {
	struct target_opts target;
	struct counting_opts counting;
	struct stat_print_opts print;
	enum aggregation by;
	int cache_level; /* of AGGREGATE_CACHE; 0: the last */
	u64 nr_runs;     /* -r; 0: until a signal */
	unsigned interval_ms, interval_count, timeout_ms;
	bool clears_screen; /* --interval-clear */
	bool summary;
	bool syncs;
	int delay_ms; /* -1: events stay off until a command of --control enables them */
	bool has_delay;
	const char *before, *after; /* commands around each run; NULL: none */
	const char *control;
	struct stat_file_opts record; /* perf stat record; path NULL: no recording */
	int out_fd;
	bool is_quiet;
	bool explains; /* say below the table why numbers are missing */
	int verbose;
};

/*
 * Count, and print to opts->out_fd. argv: the command; NULL: none. Return the exit status of perf, with
 * *signo: the signal that ended the counting, or 0; or a negative errno with err.
 */
int stat__run(struct stat_opts *opts, struct evlist *l, char *const *argv, int *signo, struct err *err);

#endif
