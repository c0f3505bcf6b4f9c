/*
 * The clock of records without a clockid of their own: the kernel's perf_clock, which no system call reads.
 */
#ifndef LIVE_PERF_CLOCK_H
#define LIVE_PERF_CLOCK_H

#include "base/memory/types.h"

/*
 * Now, in ns; 0 when the kernel does not let us know. Opens an event on the calling thread, has it named
 * again what it is called, and takes the time from the record of that. (man 2 perf_event_open:
 * PERF_RECORD_COMM, struct sample_id)
 */
u64 perf_clock__now(void);
/*
 * The same, with CLOCK_MONOTONIC at that moment in *monotonic: the closest of a few tries, microseconds
 * apart.
 */
u64 perf_clock__now_with(u64 *monotonic);

#endif
