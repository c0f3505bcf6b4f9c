/* What a recording is asked for, and its result. */
#ifndef RECORD_RECORDER_OPTS_H
#define RECORD_RECORDER_OPTS_H

#include "format/records/losses.h"
#include "unwind/unwind_stats.h"
#include "record/host/affinity.h"
#include "record/events/levels.h"
#include "record/options/attr_opts.h"
#include "record/flow/delay.h"
#include "record/host/host_features.h"
#include "record/flow/switch_output.h"
#include "record/hotspot/unread_memory.h"
#include "record/target/hidden_programs.h"
#include "record/target/target.h"

struct kept_files;

struct recorder_opts {
	struct attr_opts attrs;
	struct target_opts target;
	struct host_features_opts host;
	const char *output;    /* path or "-" */
	bool output_is_chance; /* "-" because standard output is a pipe, not because of -o */
	bool is_told;          /* an equal run before this one printed the notes */
	u32 pages;             /* pages of each ring */
	bool pages_given;      /* by the user: rings may take any amount of memory in all */
	u64 max_size;          /* bytes of the file; 0: no limit */
	/* drain when a ring holds this many bytes, and at least every half second */
	u64 flush_bytes;
	enum affinity_mode affinity;
	int realtime;    /* SCHED_FIFO priority of the thread that drains the rings; 0: none */
	int compression; /* level for the file, as in struct writer_opts */
	/* bytes that may wait: of records to be written, of samples to be unwound */
	u64 write_buffer, unwind_buffer;
	struct delay delay;
	unsigned off_cpu_thresh; /* ms; waits of at least this are samples of their own */
	bool threads;            /* --threads: a thread and a file for each ring */
	const char *control;     /* as in control__open; NULL: no control */
	bool exclude_self;
	struct switch_output switch_output;
	/* with switch_output: gets the files, which are then in memory only; NULL: they go to disk */
	const struct slice_taker *slices;
	/* start a new file when one of these events happens; their attrs are completed */
	struct evlist *switch_events;
	unsigned synth_left_out; /* as inventory.left_out */
	bool tail_synthesize;    /* describe running processes at the end, not at the beginning */
	bool keep_old;           /* do not move an existing file out of the way */
	bool no_build_id_table;  /* -B, --buildid-mmap */
	bool store_names;        /* the caller appends names when the file is complete */
	/* Report an error at once if the command continues; NULL: only __run reports it. */
	int (*tell_failure)(const struct err *err);
	const char *build_id_cache; /* folder for a copy of kallsyms; NULL: no copy */
};

struct recorder_result {
	u64 bytes;      /* of the file */
	u64 unpacked;   /* bytes of the file before compression */
	u64 blocked_ms; /* time in ms that draining waited for the disk */
	u64 samples;
	u64 side_band; /* number of records besides samples, in the file with most */
	/* losses of the last file; the caller exits it, whatever recorder__run returns */
	struct losses losses;
	u64 wakeups;
	struct unwind_stats chains; /* of the last file; to be exited like losses */
	struct levels_used levels;
	struct strbuf spans;           /* lines about spans (--span); to be exited like losses */
	struct hidden_programs hidden; /* programs whose events the kernel ended */
	struct unread_memory unread;   /* Java processes without names */
	bool interrupted;              /* ended by signal signo */
	int signo;
	bool at_max_size;
	/* store_names is set, the file (or files) can take names, and there are samples */
	bool wants_names;
	bool failure_told; /* by opts->tell_failure */
	/* nice value of perf before the recorder raised its priority, which stays raised */
	int priority_before;
	/*
	 * the files of --switch-output, to be exited by the caller; empty: one file, with the name in the
	 * options
	 */
	struct left_files files;
	/* the recorded binaries, for storing names; owned by the caller; NULL: none */
	struct kept_files *kept;
	int exit_status; /* of the workload, as a shell shows it; 0 without a workload */
};

#endif
