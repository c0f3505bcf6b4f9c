/*
 * --off-cpu: where threads wait, and for how long. A context-switch event samples each switch away from a
 * thread, with its call chain; switch records say when the thread runs again and whether it was merely
 * preempted. The two make one sample of the event "offcpu-time", whose period is the time between, in ns.
 */
#ifndef RECORD_OFF_CPU_H
#define RECORD_OFF_CPU_H

#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"
#include "format/records/lazy_record.h"

struct off_cpu;

/* e: the event that samples switches; its records have time, tid and period. d decodes the file's samples. */
struct off_cpu *off_cpu__new(const struct evsel *e, const struct sample_decoder *d);
void off_cpu__delete(struct off_cpu *o);

/*
 * Look at a SAMPLE, SWITCH, SWITCH_CPU_WIDE or EXIT record on its way to the file. Return true for one that
 * does not go to the file: a sample of a switch, kept until the thread runs again, or a switch record of this
 * event.
 */
bool off_cpu__take(struct off_cpu *o, struct lazy_record *r);
/* At the end of a round: appends the samples of waits that are over, in the order of their ends. */
void off_cpu__flush(struct off_cpu *o, struct strbuf *out);
/* At the end: those of threads that still wait, up to time (ns, of the recording's clock). */
void off_cpu__finish(struct off_cpu *o, u64 time, struct strbuf *out);

#endif
