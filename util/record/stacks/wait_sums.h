/*
 * Makes the samples of --off-cpu out of waits. A wait of at least the threshold is a sample of its own;
 * shorter ones are added up by thread and place (and cause), until the end of the round. Only part of the
 * waits have a call chain. The others borrow one of a wait at the same place that was also longer, or also
 * shorter, than the threshold: the newest one, or, at a place with several chains, the newest of those that
 * took about as long. Who waits there may tell how long it takes.
 */
#ifndef RECORD_WAIT_SUMS_H
#define RECORD_WAIT_SUMS_H

#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"
#include "format/records/sample.h"
#include "format/records/wait_detail.h"

/*
 * The point at which a thread waits: the instruction and stack pointer in user space; kernel threads have the
 * kernel's ip and 0.
 */
struct wait_place {
	u64 ip, sp;
	u32 tid;
};

/* What waits have in common that are added up, if the event's samples have details. */
struct wait_cause {
	u64 futex; /* its address; 0: none */
	u32 futex_op;
	u32 flags; /* enum waking_flag */
	u32 pid, tid;
	u64 waking_place; /* the id of the place of who woke; 0: unknown */
};

struct wait {
	struct wait_place place;
	u32 pid;
	u64 end, ns;
	struct perf_event_header *sample; /* with the call chain; owned (malloc); NULL: not unwound */
	/* with details: */
	struct wait_cause cause;
	struct wait_span span; /* end 0: none is recorded */
};

struct borrowed_waits {
	u64 all_ns; /* of all waits */
	u64 ns;     /* of those that borrowed a chain at a place with several chains */
};

struct wait_sums;

/* Return a number that tells places apart; not 0. */
u64 wait_place__id(const struct wait_place *p);

/*
 * Make empty sums. e: the event of the samples in the file, decoded by d; neither is owned. threshold: ns,
 * waits from here on are not added up. If e's request asks for it, samples have details
 * (format/records/wait_detail.h), and waits are also added up by cause.
 */
struct wait_sums *wait_sums__new(const struct evsel *e, const struct sample_decoder *d, u64 threshold);
void wait_sums__delete(struct wait_sums *s);

/* Return how long waits were since the last call, and how long those with borrowed chains. */
struct borrowed_waits wait_sums__take_borrowed(struct wait_sums *s);
/* Return whether a wait at the place had a call chain. */
bool wait_sums__knows(const struct wait_sums *s, const struct wait_place *place);
/* Add a wait, and take its sample. Append complete samples to out. Waits come in the order of their ends. */
void wait_sums__add(struct wait_sums *s, const struct wait *w, struct strbuf *out);
/*
 * Append the sums to out, in the order of their last waits. Places without any call chain may keep theirs
 * for some rounds, but not with at_end. time: all waits up to here have been added (ns).
 */
void wait_sums__flush(struct wait_sums *s, u64 time, bool at_end, struct strbuf *out);

#endif
