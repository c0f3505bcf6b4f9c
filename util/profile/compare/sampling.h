/*
 * How recordings were sampled. Samples take time themselves, which is part of what was measured: where the
 * two sides of a comparison were sampled in different ways, that may explain a difference of their totals.
 */
#ifndef PROFILE_SAMPLING_H
#define PROFILE_SAMPLING_H

#include "base/text/strbuf.h"
#include "model/session.h"

struct sampling {
	bool has_freq;  /* rate is a frequency in Hz, not a period */
	bool unwinds;   /* the recorder made call chains of stack copies */
	bool has_spans; /* of --span */
	bool is_cut;    /* the end of the recording is missing, which would say that it did */
	u64 rate;
	u64 fields;     /* bits of sample_type that cost time: chains, stacks, branches, registers */
	u32 stack_size; /* bytes of --call-graph dwarf */
	u32 nr_events;  /* that are sampled by frequency or period */
	u32 nr_waits;   /* events of --off-cpu */
	u32 nr_each;    /* others of which each occurrence is a sample: spans, tracepoints, breakpoints */
	double part;    /* of the cost that its samples may take, at most; above 1: any */
};

struct sampling_gap {
	struct strbuf why; /* what differs, such as "999 Hz and 4000 Hz"; empty: nothing */
	/* by side: the part of its total that its samples may take, and the other side's do not; 1: any */
	double part[2];
};

/*
 * Find how a session was sampled. event: the one that is compared. samples_per_second: of it, for events with
 * a period.
 */
struct sampling sampling__of(const struct session *s, const struct evsel *event, double samples_per_second);
/* Add what is different between a recording of the old side and one of the new side. */
void sampling_gap__add(struct sampling_gap *gap, const struct sampling *old, const struct sampling *new);

#endif
