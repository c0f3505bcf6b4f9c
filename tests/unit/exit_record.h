/* An EXIT record of a process, as the kernel writes it. */
#ifndef EXIT_RECORD_H
#define EXIT_RECORD_H

#include "format/records/record.h"

struct exit_event {
	struct perf_event_header header;
	u32 pid, ppid, tid, ptid;
	u64 time;
};

static inline struct exit_event exit_event__of(u32 pid)
{
	return (struct exit_event){ { PERF_RECORD_EXIT, 0, sizeof(struct exit_event) }, pid, 1, pid, 1, 0 };
}

#endif
