/*
 * What probes change of a thread, as its samples have it: without this, such samples have no callers.
 *
 * A return probe (x86) puts the address of a trampoline in the place of the return address. The sample of the
 * entry has the address, so stack copies can be mended.
 *
 * The kernel executes a copy of the instruction that a probe replaced, in a page that it maps as "[uprobes]".
 * A thread there is at the place of its last probe.
 */
#ifndef RECORD_PROBED_STACKS_H
#define RECORD_PROBED_STACKS_H

#include "event/evsel/evsel.h"
#include "format/records/lazy_record.h"

struct probed_stacks;

/* l: the events whose samples have stack copies; not owned. */
struct probed_stacks *probed_stacks__new(const struct evlist *l);
void probed_stacks__delete(struct probed_stacks *s); /* accepts NULL */
/* A thread is at the entry of a function with a return probe. sp: where its return address was. */
void probed_stacks__add_return(struct probed_stacks *s, u32 tid, u64 sp, u64 address);
void probed_stacks__end_thread(struct probed_stacks *s, u32 tid);
/* A thread is at a probe. */
void probed_stacks__see_probe(struct probed_stacks *s, u32 tid, u64 ip);
/* Look at a map record: it may be of such a page. */
void probed_stacks__see_map(struct probed_stacks *s, const struct perf_event_header *h);
/* Put the addresses back into the registers and the stack copy of a sample. */
void probed_stacks__mend(struct probed_stacks *s, struct lazy_record *lazy);

#endif
