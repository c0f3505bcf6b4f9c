/*
 * The recording of perf stat record: attrs with the ids of all counters, THREAD_MAP, CPU_MAP, STAT_CONFIG;
 * then for each interval, and at the end, a STAT record for each counter and a STAT_ROUND. Counts are sums
 * since the beginning. stat_report.h reads it. (Layouts: tools/lib/perf/include/perf/event.h of the kernel)
 */
#ifndef STAT_STAT_FILE_H
#define STAT_STAT_FILE_H

#include "record/host/host_features.h"
#include "stat/counting.h"
#include "stat/stat_rows.h"

struct stat_file_opts {
	const char *path; /* "-": standard output, as a stream */
	struct host_features_opts host;
	enum aggregation by;
	int cache_level;
	u32 interval_ms;
};

/* Tags of a STAT_CONFIG record. */
enum { STAT_CONFIG_AGGREGATION, STAT_CONFIG_INTERVAL, STAT_CONFIG_SCALE, STAT_CONFIG_CACHE_LEVEL };
enum { STAT_ROUND_INTERVAL, STAT_ROUND_FINAL };

/*
 * Numbers of aggregations in a STAT_CONFIG record. From 4 on, they are older in a file without
 * STAT_CONFIG_CACHE_LEVEL.
 */
u64 aggregation__number(enum aggregation by);
/* Return the aggregation of a number; AGGREGATE_ALL if it is unknown. */
enum aggregation aggregation__find(u64 number, bool is_old);

struct stat_file;
/*
 * Create the file, after an older one was moved to PATH.old, and describe the counters, which are open.
 * Return 0 or a negative errno with err.
 */
int stat_file__open(struct stat_file **f, const struct stat_file_opts *opts, struct counting *c,
		    struct err *err);
/*
 * Add what the counters have read. time: ns since the beginning. What was added stays readable if perf is
 * killed. Return 0 or a negative errno with err.
 */
int stat_file__add_round(struct stat_file *f, const struct counting *c, u64 time, bool is_final,
			 struct err *err);
/* Complete the file. Return 0 or a negative errno with err. */
int stat_file__finish(struct stat_file *f, struct err *err);
void stat_file__delete(struct stat_file *f);

#endif
