/*
 * The command line of perf stat: option callbacks, with a struct stat_args as value, and the settings that
 * follow from all options together.
 */
#ifndef STAT_STAT_ARGS_H
#define STAT_STAT_ARGS_H

#include "base/command/options.h"
#include "record/options/event_args.h"
#include "stat/stat_opts.h"
#include "stat/stat_pair.h"

struct stat_args {
	struct stat_opts opts;
	struct event_args events;
	ARRAY(const char *) texts; /* of each -e, in order */
	const char *each_cgroup;   /* --for-each-cgroup */
	int detail;                /* number of -d */
	bool group;
	const char *separator, *output;
	bool records; /* perf stat record: output is the recording */
	bool append, json, no_big_num, big_num;
	unsigned log_fd; /* 0: standard error */
	bool no_csv_summary;
	struct stat_pair_opts pair; /* other NULL: a single program */
	bool repeat_given;
	bool no_scale;
	/* Options that are accepted without effect: */
	bool unused;
	const char *unused_text;
};

option_callback stat_args__event;
option_callback stat_args__delay, stat_args__cache, stat_args__aggregate;
option_callback stat_args__until_decided, stat_args__fail_on, stat_args__least_change;

void stat_args__init(struct stat_args *args);
void stat_args__exit(struct stat_args *args);
/*
 * Complete opts and events after all options were parsed, and open the output. Return 0, or a negative errno
 * with err if options cannot be combined.
 */
int stat_args__finalize(struct stat_args *args, bool has_command, struct err *err);

#endif
