/*
 * Return addresses that return probes have replaced on stacks (x86): the kernel puts the address of a
 * trampoline in their place, so that an unwinder sees no callers. The sample of the entry has the address, so
 * stack copies can be mended.
 */
#ifndef RECORD_SPAN_RETURNS_H
#define RECORD_SPAN_RETURNS_H

#include "event/evsel/evsel.h"
#include "format/records/record.h"

struct span_returns;

/* kernel: the events as the kernel has them, with stack copies; not owned. */
struct span_returns *span_returns__new(const struct evlist *kernel);
void span_returns__delete(struct span_returns *s); /* accepts NULL */
/* A thread is at the entry of a function with a return probe. sp: where its return address was. */
void span_returns__add(struct span_returns *s, u32 tid, u64 sp, u64 address);
void span_returns__end_thread(struct span_returns *s, u32 tid);
/* Put the addresses back into the stack copy of a sample. */
void span_returns__mend(struct span_returns *s, struct perf_event_header *h);

#endif
