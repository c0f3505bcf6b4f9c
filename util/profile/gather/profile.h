/*
 * The second pass over a recording: its samples, counted as rows of raw numbers (rows.h).
 *
 * What a report may ask for that the rows do not keep apart has to be said before: split. Filters
 * on what rows do not have (time, cpu) work on samples; all others are the view's (hists.h).
 * nr_threads workers take blocks from one pass; the result is the same with any number.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/system/file.h"
#include "event/tracepoint/trace_spans.h"
#include "model/session.h"
#include "profile/gather/rows.h"
#include "profile/gather/time_spans.h"
#include "unwind/unwind_stats.h"

/* What of the payloads of tracepoints rows are kept apart by. */
struct payload_cuts {
	trace_spans *by_event; /* of each evsel; none: nothing of it */
	bool big_endian;       /* payloads are as they were recorded */
};

enum profile_split { /* what rows are kept apart by, besides what they always are */
		     PROFILE_SPLIT_THREAD = 1 << 0,
		     PROFILE_SPLIT_CPU = 1 << 1,
		     /* Of branches: */
		     PROFILE_SPLIT_PREDICTION = 1 << 2,
		     PROFILE_SPLIT_IN_TX = 1 << 3,
		     PROFILE_SPLIT_ABORT = 1 << 4,
		     PROFILE_SPLIT_CYCLES = 1 << 5,
		     PROFILE_SPLIT_SAMPLE_IP = 1 << 6, /* where the sample was that the branch is of */
};

struct profile_opts {
	unsigned split; /* enum profile_split */
	bool no_chains; /* the view has no use for them */
	/*
	 * time (clock__ns): chains of later samples are as recorded, without what stack copies would say; 0:
	 * no limit
	 */
	u64 unwind_until;
	bool branches;             /* count the branches of samples in their place: branches.h */
	bool lbr_chains;           /* callers of user code are in branch stacks (--call-graph lbr) */
	const sample_words *words; /* rows are kept apart by these; NULL: none */
	const struct payload_cuts *payloads; /* NULL: nothing of any */
	const int_array *cpus;               /* only samples of these (sorted); NULL: all */
	const struct time_spans *times;      /* only samples in these; NULL: all */
	unsigned max_stack;                  /* user frames to unwind from a stack copy */
	unsigned nr_threads;                 /* 0: 1 */
};

struct profile {
	struct session *session;
	struct row_table rows;
	/* Tables of the workers after the first, merged into rows, which points into them. */
	ARRAY(struct row_table) merged;
	u64 nr_samples;                /* counted in rows */
	u64 nr_filtered;               /* not in the cpus or times asked for */
	u64 nr_unknown_event;          /* with an id that no event has */
	u64 nr_misread;                /* too short for what their event says is in them */
	struct unwind_stats unwinding; /* of stack copies, here or by the recorder; nr 0: there were none */
};

/* 0 or a negative errno with err: reading failed. Damage in the file is in reader->damage as always. */
int profile__collect(struct profile *p, struct session *s, const struct profile_opts *opts, struct err *err);
void profile__exit(struct profile *p);
/* Times of the first and the last sample, from the header or else from the samples. False: there are none. */
bool profile__sample_times(struct session *s, u64 *first, u64 *last);

#endif
