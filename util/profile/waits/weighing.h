/*
 * Adding up what is asked for of threads, and giving it to their samples: sample_weights.h.
 */
#ifndef PROFILE_WEIGHING_H
#define PROFILE_WEIGHING_H

#include "profile/waits/time_lines.h"

enum weights_of { WEIGHTS_NONE, WEIGHTS_BLOCKED_BY, WEIGHTS_CRITICAL_PATH, WEIGHTS_SPANS };

enum lone_kind {
	LONE_RAN,
	LONE_READY,
	LONE_NOT_RECORDED, /* it is not known what the thread did */
};

struct lone_time { /* ns of a thread without a sample */
	u32 pid, tid;
	enum lone_kind kind;
	u64 ns;
};

struct time_count { /* something that happened so often, and took so long */
	u64 nr, ns;
};

struct weight_facts {              /* what the table does not say */
	u64 ns;                    /* of all samples */
	u64 begin, end;            /* of the critical path */
	u32 pid, tid;              /* thread at whose end it begins */
	struct time_count unknown; /* blocked-by: waits whose holder is not known; path: missing wakings */
	struct time_count others;  /* waits that threads ended that were not recorded */
	struct time_count circles; /* wakings that contradict each other */
	u64 uncovered;             /* ns of the path before its first thread began */
	struct time_count vague;   /* waits that the recording has no times of */
	u64 ready;                 /* blocked-by: until those who waited ran, after they had been woken */
};

struct sample_weights {
	enum weights_of of;
	u64 *ns; /* by number of the sample */
	struct time_lines lines;
	ARRAY(struct lone_time) lone;
	struct hash_table by_lone;
	struct evsel *lone_events[3]; /* by enum lone_kind */
	bool equal_names;             /* threads with time have the same name */
	struct weight_facts facts;
};

/*
 * What was asked for of a thread. How often a span or a sample is wanted is noted where that changes: sums of
 * all numbers before give it.
 */
struct line_sums {
	u64 *spans, *runs;                /* by index + 1 of them; NULL: nothing asked for yet */
	u64 ran;                          /* ns in which it ran without ending a wait */
	size_t at_span, at_run, at_ready; /* looked up last: the next lookup is often near */
};

struct weighing {
	struct sample_weights *weights;
	struct line_sums *lines; /* by line */
	u64 *ended;              /* ns in which threads ran up to there; by index in lines.ended */
};

/* weights has its lines. */
void weighing__init(struct weighing *w, struct sample_weights *weights);
void weighing__exit(struct weighing *w);
/* Add times * ns of what a thread did from a time to another. ended: index in lines.ended, or NOT_ENDED. */
void weighing__add(struct weighing *w, u32 line, u64 from, u64 to, u64 times, u32 ended);
/* Add ns of a thread of which nothing is recorded. */
void weighing__add_lone(struct weighing *w, u32 pid, u32 tid, enum lone_kind kind, u64 ns);
/* Set the weights of samples, and their sum: all is added. */
void weighing__finish(struct weighing *w);

#endif
