/*
 * --off-cpu: where threads wait, and for how long. A context-switch event samples each switch away from a
 * thread; switch records tell when the thread runs again, and whether it was preempted.
 * record/stacks/wait_sums.h makes samples of the event "offcpu-time" of the waits.
 *
 * A switch takes the kernel about a microsecond, so what is recorded of each must be cheap. If they are
 * many (record/stacks/wait_rate.h), stack copies are small and the kernel makes no chain. Only part of the
 * stacks are unwound then: of each thread those at new places, and some of the others.
 */
#ifndef RECORD_OFF_CPU_H
#define RECORD_OFF_CPU_H

#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"
#include "format/records/lazy_record.h"
#include "record/stacks/switch_cost.h"

struct off_cpu;

/*
 * e: the event that samples switches; its records need time, tid, period and weight. kernel: the same
 * event as the kernel has it, if the recorder unwinds its stack copies, or NULL. d decodes the samples of
 * the file. None is owned. threshold in ns: waits of at least this are samples of their own. meter
 * measures how late switch records are; owned from now on; NULL: they are not.
 */
struct off_cpu *off_cpu__new(const struct evsel *e, const struct evsel *kernel,
			     const struct sample_decoder *d, u64 threshold, struct switch_cost *meter);
void off_cpu__delete(struct off_cpu *o);
/* Return the index of the event. */
u32 off_cpu__event(const struct off_cpu *o);

/*
 * Look at a SAMPLE from the kernel, before it is unwound. Take it and return true if no more than its
 * place need be known.
 */
bool off_cpu__take_known(struct off_cpu *o, struct lazy_record *r);
/*
 * Look at a SAMPLE, SWITCH, SWITCH_CPU_WIDE or EXIT record. Return true if it must not go to the file: a
 * sample of a switch, kept until the thread runs again, or a switch record of this event.
 */
bool off_cpu__take(struct off_cpu *o, struct lazy_record *r);
/* Append the samples of finished waits to out at the end of a round. */
void off_cpu__flush(struct off_cpu *o, struct strbuf *out);
/* At the end, append the samples of threads that still wait, until time (ns, of the recording's clock). */
void off_cpu__finish(struct off_cpu *o, u64 time, struct strbuf *out);

#endif
