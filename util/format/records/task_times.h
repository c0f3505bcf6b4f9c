/*
 * Times in a recording besides those of samples: when threads begin, run, stop and end, and when samples were
 * lost. Views over time and exports with times read it. 16 bytes for each switch.
 *
 * session__open fills it: opts.look = task_times__look, opts.ctx = it; then task_times__finish.
 */
#ifndef FORMAT_TASK_TIMES_H
#define FORMAT_TASK_TIMES_H

#include "base/memory/array.h"
#include "format/records/sample.h"

enum task_step_kind { TASK_ENDS, TASK_STOPS, TASK_RUNS, TASK_BEGINS };

struct task_step {
	u64 time; /* ns, by the recording's clock */
	u32 tid;
	u32 kind; /* enum task_step_kind */
};

struct lost_gap {
	u64 time; /* of the record that reports it, ns; UINT64_MAX: unknown */
	u64 nr;   /* samples */
	u32 tid;  /* of the thread that ran then */
};

struct task_times {
	ARRAY(struct task_step) steps; /* by tid, then by time */
	ARRAY(struct lost_gap) gaps;   /* by time; their sum is that of the report */
};

void task_times__look(void *ctx, const struct sample_decoder *d, const struct record *r);
/* All records were seen: sort them. lost: all lost samples; those in no gap become one without a time. */
void task_times__finish(struct task_times *t, u64 lost);
void task_times__exit(struct task_times *t);
/* Return the steps of a tid, which may have been used by several threads. */
const struct task_step *task_times__of(const struct task_times *t, u32 tid, size_t *nr);

#endif
