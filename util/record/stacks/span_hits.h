/*
 * Samples of the places where spans begin and end (perf record --span), as the kernel writes them: as small
 * as possible, the same for probes, tracepoints and breakpoints.
 */
#ifndef RECORD_SPAN_HITS_H
#define RECORD_SPAN_HITS_H

#include "format/records/record.h"

/* Return the sample fields, and the registers, that such samples have. */
u64 span_hit__fields(void);
u64 span_hit__regs(void);
/* Return the fields of the samples of spans in the file. The first ones are the same. */
u64 span_sample__fields(void);

struct span_hit {
	u64 id;   /* of the counter */
	u64 ip;   /* memory address */
	u64 time; /* ns */
	u64 sp;   /* user stack pointer; 0: unknown */
	u64 word; /* on the stack, at sp; 0: not recorded */
	u32 pid, tid, cpu;
};

/* Get the fields of a sample. Return false if it is too short. */
bool span_hit__read(struct span_hit *hit, const struct perf_event_header *h);

#endif
