/* What perf stat is to count, and how it prints it. */
#ifndef STAT_STAT_OPTS_H
#define STAT_STAT_OPTS_H

#include "record/target/target.h"
#include "stat/stat_file.h"
#include "stat/stat_line.h"

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

/* How the counting ended. */
struct stat_outcome {
	int signo;           /* the signal that ended it, or 0 */
	bool cannot_print;   /* writing the numbers failed, which was told */
	bool cannot_execute; /* a command could not be started: the error tells why */
};

#endif
