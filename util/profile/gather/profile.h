/*
 * The second pass over a recording: its samples, counted as rows of raw numbers (rows.h).
 *
 * The caller says beforehand what else rows are split by (enum profile_split). Filters on what rows do not
 * contain (time, cpu) apply to samples here; all others apply to the view (hists.h). nr_threads workers take
 * blocks from one pass; the result is the same with any number.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/system/file.h"
#include "event/tracepoint/trace_spans.h"
#include "model/session.h"
#include "profile/rows/row_parts.h"
#include "profile/rows/rows.h"
#include "profile/gather/sample_context.h"
#include "profile/rows/sample_stream.h"
#include "profile/rows/time_spans.h"
#include "profile/spans/span_choice.h"
#include "profile/waits/sample_weights.h"
#include "unwind/unwind_stats.h"

/* which parts of tracepoint payloads rows are split by */
struct payload_cuts {
	trace_spans *by_event; /* by evsel; empty: nothing */
	bool big_endian;       /* byte order of the recording, and so of payloads */
};

enum profile_split { /* fields that split rows, besides those that always do */
		     PROFILE_SPLIT_THREAD = 1 << 0,
		     PROFILE_SPLIT_CPU = 1 << 1,
		     /* for branches: */
		     PROFILE_SPLIT_PREDICTION = 1 << 2,
		     PROFILE_SPLIT_IN_TX = 1 << 3,
		     PROFILE_SPLIT_ABORT = 1 << 4,
		     PROFILE_SPLIT_CYCLES = 1 << 5,
		     /* address of the sample that the branch belongs to */
		     PROFILE_SPLIT_SAMPLE_IP = 1 << 6,
};

struct profile_opts {
	unsigned split; /* enum profile_split */
	bool no_chains; /* do not keep chains */
	/* time (clock__ns): after it, do not unwind stack copies, keep the recorded chains; 0: no limit */
	u64 unwind_until;
	bool branches;             /* count the branches of samples instead of the samples: branches.h */
	bool history;              /* put branches before call chains: branch_history.h */
	bool blocks;               /* count the code between branches: code_blocks.h; periods are cycles */
	bool all_blocks;           /* of these, and of starts, also those whose cycles are not known */
	bool starts;               /* of branches: their rows also say where the code up to them begins */
	bool lbr_chains;           /* take the callers of user code from branch stacks (--call-graph lbr) */
	bool exact_leaves;         /* of these: where functions were sampled, not where they begin */
	bool stitches;             /* complete these with those of earlier samples: lbr_chains.h */
	bool last_chains;          /* events without chains take those of others: last_chains.h */
	const sample_words *words; /* rows are split by these, too; NULL: none */
	bool parts;                /* they divide rows into parts; not with payloads */
	bool by_weight;            /* add up weights, each at least 1, instead of periods */
	u64 time_quantum;          /* ns; words see times rounded down to a multiple of it; 0: the times */
	/* ns; not 0: rows have no addresses, but times: row_key.ip is the number of steps since from */
	u64 step, from;
	const struct sample_context *context; /* words need it; NULL: they do not */
	const struct payload_cuts *payloads;  /* NULL: no payloads */
	const int_array *cpus;                /* count only samples of these (sorted); NULL: all */
	const struct time_spans *times;       /* count only samples in these; NULL: all */
	const struct span_choice *spans;      /* count only samples in these; NULL: all */
	bool with_spans;                      /* count samples that are spans, too */
	u64 end;                              /* file offset: count only samples before it; 0: all */
	const struct sample_weights *weights; /* samples stand for these ns; NULL: for their periods */
	struct sample_stream *stream;         /* gets every sample that is counted; NULL: not wanted */
	bool unsorted;                        /* leave stream and rows in the order of workers */
	unsigned max_stack;                   /* limit of user frames to unwind from a stack copy */
	unsigned nr_threads;                  /* 0: 1 */
};

struct profile {
	struct session *session;
	struct row_table rows;
	ARRAY(struct arena) merged; /* of the other workers, in the order in which their rows are in rows */
	struct row_parts parts;     /* with profile_opts.parts */
	ARRAY(struct arena) merged_parts; /* of the other workers */
	u64 nr_samples;                   /* counted in rows */
	u64 nr_filtered;                  /* outside of cpus, times or spans */
	u64 nr_unknown_event;             /* their id belongs to no event */
	u64 nr_misread;                   /* too short for their event's sample_type */
	struct unwind_stats unwinding;    /* stack copies unwound here or by the recorder; nr 0: none */
};

/*
 * Count the samples of s. Return 0, or a negative errno with err if reading failed. Damage in the file is
 * recorded in reader->damage as always.
 */
int profile__collect(struct profile *p, struct session *s, const struct profile_opts *opts, struct err *err);
/*
 * Call take for each row, the newest first, and free the rows while doing so: what take makes of them needs
 * their memory. p has no rows afterwards, but their parts.
 */
void profile__take_rows(struct profile *p, void (*take)(void *ctx, const struct row *row), void *ctx);
void profile__trim(struct profile *p);      /* give memory that only collecting needed back to the system */
void profile__free_rows(struct profile *p); /* all that was counted stays */
void profile__free_parts(struct profile *p);
void profile__exit(struct profile *p);
/*
 * Find the times of the first and the last sample, from the header or else from the samples. Return false if
 * there are none.
 */
bool profile__sample_times(struct session *s, u64 *first, u64 *last);

#endif
