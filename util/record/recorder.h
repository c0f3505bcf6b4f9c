/*
 * One recording from start to end: counters are opened and armed, what is there already is described, the
 * rings are drained to the file until the workload, the targets or the user end it.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "format/records/losses.h"
#include "record/host/affinity.h"
#include "record/options/attr_opts.h"
#include "record/flow/delay.h"
#include "record/host/host_features.h"
#include "record/flow/switch_output.h"
#include "record/target/target.h"

struct recorder_opts {
	struct attr_opts attrs;
	struct target_opts target;
	struct host_features_opts host;
	const char *output; /* path or "-" */
	u32 pages;          /* of each ring */
	u64 max_size;       /* bytes of the file, 0: no limit */
	/* rings are left alone until one of them holds as much, but for half a second at most */
	u64 flush_bytes;
	enum affinity_mode affinity;
	int realtime;      /* priority (SCHED_FIFO) of the thread that empties the rings; 0: none wanted */
	u64 write_buffer;  /* bytes of records that may wait to be written */
	int compression;   /* of the file, as in struct writer_opts */
	u64 unwind_buffer; /* bytes of samples that may wait to be unwound */
	struct delay delay;
	bool threads;        /* --threads: a thread and a file for each ring */
	const char *control; /* as control__open; NULL: nobody controls */
	bool exclude_self;
	struct switch_output switch_output;
	unsigned switch_max_files;    /* 0: all are kept */
	struct evlist *switch_events; /* one of these happens: a new file; their attrs are completed */
	unsigned synth_left_out;      /* as inventory.left_out */
	bool tail_synthesize;         /* what runs is described at the end, not at the beginning */
	bool keep_old;                /* do not move an existing file out of the way */
	bool no_build_id_table;       /* -B, --buildid-mmap */
	bool store_names;             /* the caller appends the names when the file is complete */
	/* at once, when the command goes on; NULL: only by __run */
	int (*tell_failure)(const struct err *err);
	const char *build_id_cache; /* where to leave a copy of kallsyms; NULL: nowhere */
};

struct recorder_result {
	u64 bytes;      /* of the file */
	u64 unpacked;   /* ... before they were compressed */
	u64 blocked_ms; /* that emptying the rings waited for the disk */
	u64 samples;
	struct losses losses; /* of the last file; the caller's to exit, whatever recorder__run returned */
	u64 wakeups;
	u64 chains, smaller, no_copy; /* as in struct unwind_stats */
	bool interrupted;             /* by a signal; signo says which */
	int signo;
	bool at_max_size;
	bool wants_names;    /* store_names, and the file (or files) can take names and has samples */
	bool failure_told;   /* by opts->tell_failure */
	int priority_before; /* ours; the recorder has raised it if it may, and leaves it so */
	/* of a row, the caller's to __exit; none: there is one, with the name of the options */
	struct left_files files;
	int exit_status; /* the workload's, as a shell shows it; 0 without one */
};

/*
 * Records l (its attrs are completed here) with argv as workload (NULL: none). Messages for the user on the
 * way (a fallback, a limit) go through msg. Returns 0 with *result, or a negative errno with err; what was
 * written up to a failure stays. A command that was started is waited for, also after a failure. exec
 * failures set result->exit_status to 127 or 126.
 */
int recorder__run(struct evlist *l, char *const *argv, const struct recorder_opts *opts,
		  struct recorder_result *result, struct err *err);

/*
 * Opens all that such a recording takes, with its fallbacks, and closes it again: what recorder__run would
 * come to. Prints nothing. l's attrs and names are settled as there; a workload is played by this process. 0,
 * or the negative errno and err that recorder__run would fail with.
 */
struct recorder_trial {
	bool user_only; /* the kernel was left out of an event that would have had it */
	bool fell_back; /* cpu-clock stands for cycles */
	bool broke_up;  /* a weak group did not fit: its events are counted one by one */
	u32 rings;      /* how many */
	u32 pages;      /* of each; fewer than wanted where memory for rings is short */
};
int recorder__try(struct evlist *l, const struct recorder_opts *opts, struct recorder_trial *trial,
		  struct err *err);

#endif
