/*
 * One recording from start to end: open and enable the counters, describe what already runs, and drain the
 * rings to the file until the workload or the targets end, or the user stops it.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "record/recorder_opts.h"

/*
 * Record the events of l, whose attrs are completed here, with argv as workload (NULL: none). Messages for
 * the user during the recording (a fallback, a limit) go through msg. Return 0 with *result, or a negative
 * errno with err; what was written before a failure stays. Wait for a command that was started, also after a
 * failure. If exec fails, result->exit_status is 127 or 126.
 */
int recorder__run(struct evlist *l, char *const *argv, const struct recorder_opts *opts,
		  struct recorder_result *result, struct err *err);

/*
 * Open all that such a recording needs, with its fallbacks, and close it again, to find out what
 * recorder__run would do. Prints nothing. Completes the attrs and names of l as recorder__run does; this
 * process takes the place of a workload. Return 0, or the negative errno and err that recorder__run would
 * fail with.
 */
struct recorder_trial {
	bool user_only; /* the kernel was excluded from an event that asked for it */
	bool fell_back; /* cpu-clock replaced cycles */
	bool broke_up;  /* a weak group did not fit; its events are counted one by one */
	u32 rings;      /* number of rings */
	u32 pages;      /* pages of each ring; fewer than wanted if memory for rings is limited */
	u32 wanted_pages;
	u64 descriptors; /* of events */
	u64 ring_bytes;  /* of all rings, which are locked in memory */
};
int recorder__try(struct evlist *l, const struct recorder_opts *opts, struct recorder_trial *trial,
		  struct err *err);

#endif
