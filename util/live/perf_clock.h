/* The clock of records without a clockid: the kernel's perf_clock, which no system call reads. */
#ifndef LIVE_PERF_CLOCK_H
#define LIVE_PERF_CLOCK_H

#include "base/memory/types.h"

/*
 * Return the time now in ns, or 0 if the kernel does not allow it. Opens an event on the calling thread,
 * sets the thread's name to what it is, and takes the time of the COMM record. (man 2 perf_event_open:
 * PERF_RECORD_COMM, struct sample_id)
 */
u64 perf_clock__now(void);
/*
 * As perf_clock__now, with CLOCK_MONOTONIC of the same moment in *monotonic; the closest of a few tries,
 * microseconds apart.
 */
u64 perf_clock__now_with(u64 *monotonic);

#endif
