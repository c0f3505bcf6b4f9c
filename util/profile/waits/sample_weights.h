/*
 * The time (ns) that each sample of a recording stands for, if not its period: report --blocked-by and
 * --critical-path. The profile counts samples with it, and leaves those without out.
 *
 * Both ask for spans of time of a thread, so and so many times: blocked_by.h and critical_path.h. What a
 * thread did in such a span is known by its line (time_lines.h): waits and readiness go to their samples.
 * All time in which it ran is added up, and spread evenly over its samples on the CPU in these spans. If there
 * are none, it goes to the sample in which the thread ended the waits of others, at the end of the span. What
 * has no sample at all is a sample of its own (struct lone_time). No ns is lost, so that sums are exact.
 */
#ifndef PROFILE_SAMPLE_WEIGHTS_H
#define PROFILE_SAMPLE_WEIGHTS_H

#include "profile/waits/time_lines.h"

enum weights_of { WEIGHTS_NONE, WEIGHTS_BLOCKED_BY, WEIGHTS_CRITICAL_PATH };

struct lone_time { /* ns of a thread without a sample */
	u32 pid, tid;
	bool is_ready; /* else the thread ran, or it is not known what it did */
	u64 ns;
};

struct time_count { /* something that happened so often, and took so long */
	u64 nr, ns;
};

struct weight_facts {         /* what the table does not say */
	u64 ns;               /* of all samples */
	u64 begin, end;       /* of the critical path */
	u32 pid, tid;         /* thread at whose end it begins */
	struct time_count unknown; /* blocked-by: waits whose holder is not known; path: missing wakings */
	struct time_count others;  /* waits that end a wait of a thread that was not recorded */
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
	struct evsel *ready_event, *running_event; /* of lone times */
	bool equal_names; /* threads with time have the same name */
	struct weight_facts facts;
};

struct weighing;
/* Add times * ns of what a thread did from a time to another. ended: index in lines.ended, or NOT_ENDED. */
void weighing__add(struct weighing *w, u32 line, u64 from, u64 to, u64 times, u32 ended);
/* Add ns of a thread of which nothing is recorded. */
void weighing__add_lone(struct weighing *w, u32 pid, u32 tid, bool is_ready, u64 ns);

struct weights_opts {
	enum weights_of of;
	const char *thread;            /* --thread: tid or name; NULL: not given */
	const struct wait_rule *waits;
	const bool *on_cpu;            /* by event: is it a sample of time on the CPU? */
};

/*
 * Read s, which has details of waits, and find the weights of its samples. Return 0, or a negative errno with
 * err.
 */
int sample_weights__read(struct sample_weights *w, struct session *s, const struct weights_opts *opts,
			 struct err *err);
void sample_weights__exit(struct sample_weights *w);

#endif
