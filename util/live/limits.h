/* Limits that a recording adapts to or raises by itself. What they prevent is explained by live/checks.h. */
#ifndef LIVE_LIMITS_H
#define LIVE_LIMITS_H

#include "base/memory/types.h"

/* Bytes that a ring may have when each CPU has one and nobody else has any; UINT64_MAX: no limit. */
u64 limits__ring_bytes(void);
/* /proc/sys/kernel/perf_event_max_sample_rate, Hz; 0 when unreadable. */
u64 limits__max_sample_rate(void);
/* Raises RLIMIT_NOFILE's soft limit to the hard one; returns the limit now in force. */
u64 limits__raise_nofile(void);
/* Online CPUs. */
int limits__nr_cpus(void);

#endif
