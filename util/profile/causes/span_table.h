/*
 * The table of the spans of one event (report --span): their quantiles, how many took how long, where the
 * time of all, of the fast and of the slow ones goes, and the slowest ones.
 */
#ifndef PROFILE_SPAN_TABLE_H
#define PROFILE_SPAN_TABLE_H

#include "profile/causes/span_times.h"

enum table_group { GROUP_ALL, GROUP_FAST, GROUP_SLOW, NR_TABLE_GROUPS };

enum { NR_SLOWEST = 10, NR_SPAN_QUANTILES = 4 };
extern const double span_quantiles[NR_SPAN_QUANTILES]; /* 0.5: the median */

struct span_row {                  /* time of spans with one reason */
	struct span_reason reason; /* of a part: with holder; else without */
	bool is_part;              /* time of the row before that is none: the waits that one thread ended */
	u32 nr_threads;            /* of a part: threads of this name that ended them */
	u64 ns[NR_TABLE_GROUPS];   /* times steps, as all that follows */
};

struct span_bucket { /* durations from begin to below the begin of the next one */
	u64 begin;
	u64 nr;
};

struct slow_span {
	struct span span;
	u32 comm;                /* name of its thread, in machine.names; COMM_UNKNOWN */
	struct span_reason most; /* what most of its time passed with; not set without span_times */
	u64 most_ns;
};

struct span_table {
	const struct span_set *set;
	const struct span_times *times; /* NULL: the recording does not know when threads waited */
	u64 limits[NR_TABLE_GROUPS];    /* ns: fast ones took at most this, slow ones at least; all: 0 */
	u64 nr[NR_TABLE_GROUPS], ns[NR_TABLE_GROUPS];
	u64 quantiles[NR_SPAN_QUANTILES]; /* ns */
	u64 max;
	ARRAY(struct span_row)
	rows;                 /* on the CPU, ready, then waits, the longest first; their ns are all ns */
	struct strpool names; /* of holders, without the numbers of threads */
	ARRAY(struct span_bucket) buckets;
	ARRAY(struct slow_span) slowest; /* the slowest first */
};

/* times: NULL if they are not known. All that is given must live as long as t. */
void span_table__init(struct span_table *t, const struct span_set *set, const struct span_times *times,
		      const struct machine *m, const struct span_limit *fast, const struct span_limit *slow);
void span_table__exit(struct span_table *t);

/*
 * Append what a row is, as above its parts or as a part: "mutex db_lock", "held by flush_log 4711". Not
 * masked.
 */
void span_table__add_row_words(const struct span_table *t, const struct span_row *r, struct strbuf *sb);

/* Append a number of spans for each second: "296 a second". */
void spans__add_rate(struct strbuf *sb, double rate);

static inline double span_table__mean(const struct span_table *t, enum table_group g, u64 ns)
{
	return t->nr[g] ? (double)ns / (double)t->nr[g] : 0;
}

#endif
