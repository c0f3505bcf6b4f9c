/*
 * What may stand in the way of a recording: each limit with its present value and what to type.
 * One table (limits.c) serves the recorder's failures and, later, a doctor command.
 */
#ifndef LIVE_LIMITS_H
#define LIVE_LIMITS_H

#include "base/strbuf.h"
#include "base/types.h"

/* /proc/sys/kernel/perf_event_paranoid; 2 when unreadable. */
int limits__paranoid(void);
/* /proc/sys/kernel/kptr_restrict; 0 when unreadable. */
int limits__kptr_restrict(void);
/* Bytes of ring memory one user may map (perf_event_mlock_kb); 516 KiB when unreadable. */
u64 limits__mlock_bytes(void);
/* The RLIMIT_MEMLOCK that rings may use on top of that; UINT64_MAX: no limit. */
u64 limits__memlock_bytes(void);
/* Bytes that a ring may have when each CPU has one and nobody else has any; UINT64_MAX: no limit. */
u64 limits__ring_bytes(void);
/* /proc/sys/kernel/perf_event_max_sample_rate, Hz; 0 when unreadable. */
u64 limits__max_sample_rate(void);
/* Raises RLIMIT_NOFILE's soft limit to the hard one; returns the limit now in force. */
u64 limits__raise_nofile(void);
/* root, or CAP_PERFMON or CAP_SYS_ADMIN effective. */
bool limits__is_privileged(void);
/* Online CPUs. */
int limits__nr_cpus(void);

#endif
