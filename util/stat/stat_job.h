/* Counting one run of perf stat: open the counters, start the command, wait, read. */
#ifndef STAT_STAT_JOB_H
#define STAT_STAT_JOB_H

#include "record/flow/control.h"
#include "record/target/workload.h"
#include "stat/stat_opts.h"

struct stat_job {
	struct stat_opts *opts;
	struct evlist *l;
	char *const *argv;
	struct target target;
	struct counting counting;
	struct stat_rows rows;
	struct stat_table table, interval; /* of the runs, and of the last interval */
	struct signals_before before;
	struct workload command;
	struct control *control;
	int signal_fd;
	struct stat_outcome outcome;
	u64 start, next_interval, end; /* ns of the monotonic clock; end 0: no timeout */
	u64 enable_at;                 /* of -D; 0: not waiting */
	u64 nr_intervals;
	struct stat_file *file; /* of perf stat record; NULL: none */
	struct err file_error;
	bool is_over;
	bool is_terminated; /* the command, by --timeout, --interval-count or a command of --control */
};

/*
 * Find the target, and choose counters and rows. argv: the command; NULL: none. Return 0 or a negative errno
 * with err.
 */
int stat_job__init(struct stat_job *j, struct stat_opts *opts, struct evlist *l, char *const *argv,
		   struct err *err);
void stat_job__exit(struct stat_job *j);
/*
 * Count once, with the commands before and after, print the intervals, and add the run to the table. Return 0
 * or a negative errno with err.
 */
int stat_job__run(struct stat_job *j, struct err *err);
/* Append the words of a command, masked, with blanks between them. */
void command__add_words(char *const *argv, struct strbuf *out);
/* Write out to the output, unless perf is to be quiet, and exit out. */
void stat_job__print(struct stat_job *j, struct strbuf *out);

#endif
