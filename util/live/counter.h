/*
 * Opening counters: the only place that calls perf_event_open, and what to try when the kernel refuses. (man
 * 2 perf_event_open) live/checks.h explains a final refusal.
 */
#ifndef LIVE_COUNTER_H
#define LIVE_COUNTER_H

#include "event/evsel/evsel.h"

#include <sys/types.h>

/* perf_event_open with PERF_FLAG_FD_CLOEXEC. The descriptor, or a negative errno. */
int counter__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd);
/* Try to open a counter, and close it again. Return 0 or a negative errno. */
int counter__try(struct perf_event_attr attr, pid_t pid, int cpu);

/*
 * Remove from attr what this kernel does not support, one feature at a time, newest first (inherit with
 * READ, build_id, cgroup, ksymbol, bpf_event, mmap2, comm_exec, sample_id_all, exclude_guest, READ lost
 * ...), as long as opening fails with EINVAL or E2BIG. Use one struct for all counters of a recording,
 * so that each missing feature is found once.
 */
struct counter_missing {
	u32 bits; /* index into the table in counter.c */
};
/* Remove the features that are known to be missing. */
void counter_missing__apply(const struct counter_missing *m, struct perf_event_attr *attr);
/*
 * Open attr for (pid, cpu), and note missing features. Return the descriptor, or the last negative errno;
 * attr is what was opened.
 */
int counter__open_adapting(struct counter_missing *m, struct perf_event_attr *attr, pid_t pid, int cpu,
			   int group_fd);
/* As counter__open_adapting, for the tasks of a control group; fd: its open folder. */
int counter__open_for_cgroup(struct counter_missing *m, struct perf_event_attr *attr, int fd, int cpu,
			     int group_fd);
/*
 * Remove from attr the features that wanted had before a counter was opened with it, and opened had not
 * afterwards. Return whether attr had any of them.
 */
bool counter__drop_refused(struct perf_event_attr *attr, const struct perf_event_attr *wanted,
			   const struct perf_event_attr *opened);

/* The result of read(2) on a counter. */
struct counter_reading {
	u64 value;
	u64 enabled, running; /* ns; 0: not in its read_format */
	/* records lost because the ring was full, of this counter and those that inherited it */
	u64 lost;
};
/*
 * Read the counter fd, opened with read_format. If a group is read together, get the member with id. Return 0
 * or a negative errno; -ENOENT: the member is not in it.
 */
int counter__read(int fd, u64 read_format, u64 id, struct counter_reading *reading);
/* As counter__read, for words that were read already. */
int counter__parse_reading(const u64 *words, size_t nr, u64 read_format, u64 id,
			   struct counter_reading *reading);

/* Does this errno of opening cycles mean that there is no such hardware? Then record uses cpu-clock. */
bool counter__is_missing_hardware(int error);
/* Does the event occur in the kernel only, so that excluding the kernel leaves nothing? */
bool counter__is_all_kernel(const struct perf_event_attr *attr, const char *name);

enum { BREAKPOINTS_MAX = 16 }; /* registers of a processor; none has more */
/* Return how many breakpoints this process can open now; -1: they do not work here. */
int counter__free_breakpoints(void);
/* The same, or what processors usually have if that is none or unknown: opening them then reports why. */
size_t counter__breakpoints_to_try(void);

#endif
