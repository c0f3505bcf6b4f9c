/* Targets of a recording: which threads, on which CPUs. */
#ifndef RECORD_TARGET_H
#define RECORD_TARGET_H

#include "base/message/err.h"
#include "base/system/file.h"
#include "base/text/strbuf.h"

struct target_opts {
	const char *pids, *tids; /* comma-separated lists; NULL: not given */
	const char *user;        /* name or number */
	const char *cpus;        /* "0-3,8" */
	bool system_wide;
	bool per_thread;
	bool has_workload;
};

struct target {
	bool system_wide; /* one counter per CPU counts every task there */
	bool is_workload; /* record the started command only */
	bool per_thread;  /* counters and rings per thread, on any CPU */
	int_array tids;   /* ascending; the caller sets it to the pid of a workload */
	int_array pids;   /* the processes of tids */
	int_array cpus;   /* CPUs on which counters are opened; a single -1 with per_thread */
	/*
	 * The online CPUs that are not in cpus (-C). A thread may map, exec or fork there before it runs on
	 * one of cpus, so the tracking event is opened there, too.
	 */
	int_array side_band_cpus;
	bool has_cpu_list; /* -C */
};

/*
 * Resolve the options. If options exclude each other, the narrower one wins (-p and -t, then -u, then -a),
 * with a warning. Return 0; -ESRCH: none of the given processes exists; -EINVAL: not a valid list, or
 * nothing given; -ENOENT: no such user. err has the reason and what to type.
 */
int target__init(struct target *t, const struct target_opts *opts, struct err *err);
/*
 * Append a description for the user: "process 12 (sh)", "3 threads: 12 (sh), ...", "all processes on CPU 0".
 * threads: -t named them. A process that has ended is listed without a name.
 */
void target__describe(const struct target *t, bool threads, struct strbuf *out);
void target__exit(struct target *t);

#endif
