/*
 * perf stat: count the events of a command, of processes or of CPUs, once, in intervals or in several runs,
 * and print the table.
 */
#ifndef STAT_STAT_H
#define STAT_STAT_H

#include "stat/stat_opts.h"

/*
 * Count, and print to opts->out_fd. argv: the command; NULL: none. Return the exit status of perf, with
 * *outcome; or a negative errno with err.
 */
int stat__run(struct stat_opts *opts, struct evlist *l, char *const *argv, struct stat_outcome *outcome,
	      struct err *err);

#endif
