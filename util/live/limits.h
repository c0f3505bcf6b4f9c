/* Limits that a recording adapts to or raises itself. live/checks.h explains what they prevent. */
#ifndef LIVE_LIMITS_H
#define LIVE_LIMITS_H

#include "base/memory/types.h"
#include "base/system/file.h"

/* Bytes for each ring if each CPU has one and no other process has any; UINT64_MAX: no limit. */
u64 limits__ring_bytes(void);
/* /proc/sys/kernel/perf_event_max_sample_rate, Hz; 0 when unreadable. */
u64 limits__max_sample_rate(void);
/* Raise RLIMIT_NOFILE's soft limit to the hard one, and return the limit in force. */
u64 limits__raise_nofile(void);
/* Return the number of online CPUs. */
int limits__nr_cpus(void);
/*
 * Set *cpus, which is empty, to the numbers of the online CPUs, at least one, ascending. If /sys is missing,
 * as in a bare chroot, they count up from 0. The caller frees it with array__exit.
 */
void limits__online_cpus(int_array *cpus);

#endif
