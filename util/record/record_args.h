/*
 * What perf record's command line says: the callbacks of its option table that are about events or several
 * things at once, whose value is a struct record_args, and what all options together come to.
 */
#ifndef RECORD_RECORD_ARGS_H
#define RECORD_RECORD_ARGS_H

#include "base/command/options.h"
#include "record/recorder.h"

struct record_args {
	struct recorder_opts opts;
	struct evlist events, switch_events;
	size_t last_event;  /* the events of the last -e begin here */
	size_t next_cgroup; /* from this one on they have no -G yet */
	bool group, list, off_cpu;
	bool timestamp_filename;
	char *stamped; /* the output's name with --timestamp-filename; owned */
	bool no_embed, no_cache;
	bool dry_run, quiet;
	int verbose;
	/* Of options that do nothing: */
	bool unused;
	unsigned unused_number;
	const char *unused_text;
};

option_callback record_args__event, record_args__pfm_event, record_args__filter, record_args__cgroup;
option_callback record_args__switch_output, record_args__switch_event, record_args__threads;
option_callback record_args__synth, record_args__delay, record_args__refuse_aux;

void record_args__init(struct record_args *args);
void record_args__exit(struct record_args *args);
/*
 * Completes opts and events after all options were parsed. Warns of what is changed. 0, or -EINVAL with err:
 * which options do not go together.
 */
int record_args__settle(struct record_args *args, bool has_workload, struct err *err);

#endif
