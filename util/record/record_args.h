/*
 * The command line of perf record: option callbacks for events and for options that set several things at
 * once, with a struct record_args as value, and the settings that follow from all options together.
 */
#ifndef RECORD_RECORD_ARGS_H
#define RECORD_RECORD_ARGS_H

#include "base/command/options.h"
#include "record/options/event_args.h"
#include "record/recorder.h"

struct record_args {
	struct recorder_opts opts;
	struct event_args events;
	struct evlist switch_events;
	bool group, list, off_cpu, off_cpu_locks, off_cpu_given;
	ARRAY(const char *) spans; /* --span; not owned */
	bool timestamp_filename;
	char *stamped;        /* output name with --timestamp-filename; owned */
	bool sets_runtimes;   /* --runtimes */
	const char *runtimes; /* its list; NULL: all */
	bool asks_pythons;    /* of the processes that are recorded */
	bool no_embed, embed_source, no_cache;
	bool finds_commit; /* --label commit: the caller adds this label */
	bool dry_run, quiet;
	int verbose;
	/* Values of options that are accepted and ignored: */
	bool unused;
	unsigned unused_number;
	const char *unused_text;
};

option_callback record_args__event;
option_callback record_args__switch_output, record_args__switch_event, record_args__threads;
option_callback record_args__off_cpu, record_args__span, record_args__runtimes, record_args__label,
	record_args__synth, record_args__delay, record_args__refuse_aux;
option_callback record_args__build_id_default; /* record.build-id of a configuration file */

void record_args__init(struct record_args *args);
void record_args__exit(struct record_args *args);
/*
 * Complete opts and events after all options were parsed, with warnings for what is changed. Return 0, or
 * -EINVAL with err if options cannot be combined.
 */
int record_args__finalize(struct record_args *args, bool has_workload, struct err *err);

#endif
