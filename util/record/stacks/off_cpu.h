/*
 * --off-cpu: where threads wait, and for how long. A context-switch event samples each switch away from a
 * thread, with its call chain; switch records tell when the thread runs again, and whether it was preempted.
 * Together they make a sample of the event "offcpu-time", with the duration in ns as period.
 */
#ifndef RECORD_OFF_CPU_H
#define RECORD_OFF_CPU_H

#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"
#include "format/records/lazy_record.h"

struct off_cpu;

/*
 * e: the event that samples switches; its records need time, tid and period. d decodes the samples of the
 * file. Neither is owned.
 */
struct off_cpu *off_cpu__new(const struct evsel *e, const struct sample_decoder *d);
void off_cpu__delete(struct off_cpu *o);

/*
 * Look at a SAMPLE, SWITCH, SWITCH_CPU_WIDE or EXIT record. Return true if it must not go to the file: a
 * sample of a switch, kept until the thread runs again, or a switch record of this event.
 */
bool off_cpu__take(struct off_cpu *o, struct lazy_record *r);
/* Append the samples of finished waits to out at the end of a round, in order of their ends. */
void off_cpu__flush(struct off_cpu *o, struct strbuf *out);
/* At the end, append the samples of threads that still wait, until time (ns, of the recording's clock). */
void off_cpu__finish(struct off_cpu *o, u64 time, struct strbuf *out);

#endif
