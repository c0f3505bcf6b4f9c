/* What to record: which threads, on which CPUs. */
#ifndef RECORD_TARGET_H
#define RECORD_TARGET_H

#include "base/message/err.h"
#include "base/system/file.h"
#include "base/text/strbuf.h"

struct target_opts {
	const char *pids, *tids; /* comma-separated lists, NULL: not given */
	const char *user;        /* name or number */
	const char *cpus;        /* "0-3,8" */
	bool system_wide;
	bool per_thread;
	bool has_workload;
};

struct target {
	bool system_wide; /* counters are per CPU, whatever runs there */
	bool is_workload; /* the started command and nothing else */
	bool per_thread;  /* counters and rings per thread, on any CPU */
	int_array tids;   /* ascending; of a workload: its pid, set by the caller */
	int_array pids;   /* their processes */
	int_array cpus;   /* on which counters are opened; one -1 when per_thread */
	/*
	 * The online CPUs that are not in cpus (-C). A thread may map, exec or fork there before it runs on
	 * one of cpus, so the tracking event is opened there, too.
	 */
	int_array side_band_cpus;
};

/*
 * Resolves the options; of those that exclude each other the narrower holds (-p and -t, then -u, then -a),
 * with a warning. -ESRCH: none of the given processes is there; -EINVAL: not a list, nothing given; -ENOENT:
 * no such user. err says which and what to type.
 */
int target__init(struct target *t, const struct target_opts *opts, struct err *err);
/*
 * Appends what is recorded, for a person: "process 12 (sh)", "3 threads: 12 (sh), ...", "all processes on CPU
 * 0". threads: -t named them. A process that is gone has no name.
 */
void target__describe(const struct target *t, bool threads, struct strbuf *out);
void target__exit(struct target *t);

#endif
