/*
 * --off-cpu: where threads wait, and for how long. A context-switch event samples each switch away from a
 * thread; switch records tell when the thread runs again, and whether it was preempted.
 * record/stacks/wait_sums.h makes samples of the event "offcpu-time" of the waits.
 *
 * A switch takes the kernel about a microsecond, so what is recorded of each must be cheap. If they are
 * many (record/stacks/wait_rate.h), stack copies are small and the kernel makes no chain. Only part of the
 * stacks are unwound then: of each thread those at new places, and some of the others.
 *
 * --off-cpu=locks: wakings (record/stacks/wakings.h) tell who ended a wait, and when. Then there are samples
 * of "ended-waits" and "ready-time", too (format/records/wait_detail.h).
 */
#ifndef RECORD_OFF_CPU_H
#define RECORD_OFF_CPU_H

#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"
#include "format/records/lazy_record.h"
#include "format/records/losses.h"
#include "record/stacks/switch_cost.h"
#include "record/stacks/wakings.h"

struct off_cpu;

struct off_cpu_opts {
	/* the events in the file, with time, tid, period and weight; of ended and ready either may be NULL */
	const struct evsel *waits, *ended, *ready;
	struct waking_fields fields;    /* of samples of ended */
	const struct sample_decoder *d; /* of samples in the file */
	/* the events as the kernel has them, if the recorder unwinds their stack copies; NULL: it does not */
	const struct evlist *kernel;
	size_t id_size; /* as in struct waker_names */
	u64 threshold;  /* ns: waits of at least this are samples of their own */
	struct switch_cost
		*meter; /* measures how late switch records are; owned from now on; NULL: they are not */
};

/* Nothing in opts but the meter is owned. */
struct off_cpu *off_cpu__new(const struct off_cpu_opts *opts);
void off_cpu__delete(struct off_cpu *o);
/* Begin a file: it has no names of threads that are not recorded. */
void off_cpu__begin_file(struct off_cpu *o);
/* Is it the event that samples switches, or that of wakings? event: its index. Any thread may ask. */
bool off_cpu__samples(const struct off_cpu *o, u32 event);

/*
 * Look at a SAMPLE from the kernel, before it is unwound. Take it and return true if no more than its
 * place need be known.
 */
bool off_cpu__take_known(struct off_cpu *o, struct lazy_record *r);
/*
 * Will the user part of the chain of the last sample that off_cpu__take_known looked at stay out of the file,
 * as far as is known? So it is with wakings in which no recorded thread had a part, and with those that an
 * interrupt did.
 */
bool off_cpu__leaves_chain_out(const struct off_cpu *o);
/*
 * Look at a SAMPLE, SWITCH, SWITCH_CPU_WIDE, FORK or EXIT record. Return true if it must not go to the file:
 * a sample of a switch, kept until the thread runs again, or a switch record of this event.
 */
bool off_cpu__take(struct off_cpu *o, struct lazy_record *r);
/*
 * Append the samples of finished waits to out at the end of a round. newest: the latest time of records that
 * went to the file.
 */
void off_cpu__flush(struct off_cpu *o, u64 newest, struct strbuf *out);
/* Note in l how long waits since the last call were, and how long those with a chain of another wait. */
void off_cpu__take_borrowed(struct off_cpu *o, struct losses *l);
/* At the end, append the samples of threads that still wait, until time (ns, of the recording's clock). */
void off_cpu__finish(struct off_cpu *o, u64 time, struct strbuf *out);

#endif
