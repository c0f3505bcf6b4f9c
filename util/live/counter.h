/*
 * Opening counters: the one place that calls perf_event_open, and what to try when the kernel says
 * no. (man 2 perf_event_open) live/checks.h explains a no that stays.
 */
#ifndef LIVE_COUNTER_H
#define LIVE_COUNTER_H

#include "event/evsel/evsel.h"

#include <sys/types.h>

/* perf_event_open with PERF_FLAG_FD_CLOEXEC. The descriptor, or a negative errno. */
int counter__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd);

/*
 * Takes out of attr what this kernel does not know, one feature after the other, newest first (inherit with
 * READ, build_id, cgroup, ksymbol, bpf_event, mmap2, comm_exec, sample_id_all, exclude_guest, clockid, READ
 * lost ...), as long as opening fails with EINVAL (or E2BIG). One struct lives through the opening of all
 * counters of a recording, so each missing feature is found once.
 */
struct counter_missing {
	u32 bits; /* of the table in counter.c */
};
/* Applies what is known to be missing. */
void counter_missing__apply(const struct counter_missing *m, struct perf_event_attr *attr);
/* Opens attr for (pid, cpu), learning what is missing. The descriptor, or the last negative errno; attr is
 * what was opened. */
int counter__open_adapting(struct counter_missing *m, struct perf_event_attr *attr, pid_t pid, int cpu,
			   int group_fd);
/* The same for the tasks of a control group, whose folder is open as fd. */
int counter__open_for_cgroup(struct counter_missing *m, struct perf_event_attr *attr, int fd, int cpu,
			     int group_fd);

/* What read(2) of a counter says. */
struct counter_reading {
	u64 value;
	u64 enabled, running; /* ns; 0: not in its read_format */
	/* records of it, and of those that inherited it, for which its ring had no room */
	u64 lost;
};
/*
 * Reads the counter fd, which was opened with read_format; of a group's, which are read together, the one
 * with id. 0 or a negative errno; -ENOENT: nothing is said of it.
 */
int counter__read(int fd, u64 read_format, u64 id, struct counter_reading *reading);
/* The same of words that were read. */
int counter__parse_reading(const u64 *words, size_t nr, u64 read_format, u64 id,
			   struct counter_reading *reading);

/* Whether an errno of opening the default event (cycles) means that there is no such hardware here: then
 * cpu-clock serves. */
bool counter__is_missing_hardware(int error);
/* Whether nothing is left of an event when the kernel is left out: it happens there only. */
bool counter__is_all_kernel(const struct perf_event_attr *attr, const char *name);

#endif
