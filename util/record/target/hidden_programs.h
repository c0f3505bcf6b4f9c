/*
 * Programs whose events the kernel ended when they were executed: a program that its caller may not
 * trace (setuid, setgid, file capabilities, not readable) is not dumpable, and the kernel closes the
 * counters of a task that executes one. The records show it: EXIT follows the COMM record of the exec,
 * without a map in between, although the task runs on.
 *
 * Only for counters that follow tasks: those on CPUs stay.
 */
#ifndef RECORD_HIDDEN_PROGRAMS_H
#define RECORD_HIDDEN_PROGRAMS_H

#include "base/text/strbuf.h"

#include <linux/perf_event.h>

enum { HIDDEN_EXECS = 16, HIDDEN_COMM = 16 };

struct hidden_programs {
	bool is_on;
	u64 nr;                 /* how many were seen */
	char name[HIDDEN_COMM]; /* of the first one; masked */
	/* The latest execs without a map so far; pid 0: a free place. */
	struct hidden_exec {
		u32 pid, tid;
		char comm[HIDDEN_COMM];
	} execs[HIDDEN_EXECS];
	u32 next; /* place of the next exec */
};

/* Look at a COMM, MMAP, MMAP2, EXIT or LOST record. */
void hidden_programs__see(struct hidden_programs *p, const struct perf_event_header *h);
/* Add the programs that another one has seen. */
void hidden_programs__add(struct hidden_programs *p, const struct hidden_programs *other);
/*
 * Append lines with their newlines: what was not recorded, why, and what to type. Nothing if nothing is
 * missing.
 */
void hidden_programs__tell(const struct hidden_programs *p, struct strbuf *out);

#endif
