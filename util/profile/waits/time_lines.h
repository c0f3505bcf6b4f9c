/*
 * What the threads of a recording did over time (perf record --off-cpu=locks): a thread's waits, who ended
 * them, and when it was ready without running. In between it ran. Read in a pass of its own; a tid that is
 * used again goes on with the line of the earlier thread.
 */
#ifndef PROFILE_TIME_LINES_H
#define PROFILE_TIME_LINES_H

#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "format/records/wait_detail.h"
#include "model/session.h"

enum { NO_LINE = UINT32_MAX, NOT_ENDED = UINT32_MAX };

struct line_span {
	u64 begin, woken, end; /* as in struct wait_span */
	u64 before;            /* ns in the spans of the thread before this one */
	u32 wait;              /* index in time_lines.waits */
};

struct line_point { /* a sample */
	u64 time;
	u32 number; /* among all samples of the recording, in the order of the file */
};

/* What a record of another kind says of a thread. */
enum line_mark_kind {
	MARK_BEGINS, /* it is created, and need not run at once */
	MARK_RUNS,   /* it did something itself */
	MARK_ENDS,
};

struct line_mark {
	u64 time;
	enum line_mark_kind kind;
};

struct line_birth {
	u64 time;
	u32 parent; /* line of the thread that forked; NO_LINE: unknown */
};

struct time_line {
	u32 pid, tid;
	bool is_recorded;                 /* what it did; of others only what they did to those is recorded */
	bool was_there;                   /* when the recording began */
	u64 first, last;                  /* times of its records */
	u64 exit;                         /* 0: it did not end */
	ARRAY(struct line_span) spans;    /* in the order of time, without overlaps */
	ARRAY(struct line_point) runs;    /* samples on the CPU; in the order of time, as all below */
	ARRAY(struct line_point) readies; /* samples of ready-time */
	ARRAY(struct line_birth) births;
	ARRAY(struct line_mark) marks;
};

struct line_wait {        /* a sample of waits, or of preemptions */
	u64 place, woken; /* as in struct wait_detail; the last time when it was woken */
	u32 number;
	u32 waker_pid, waker_tid;
	u32 waker; /* line; NO_LINE: unknown, or nothing is recorded of it */
	u32 ended; /* index in time_lines.ended of the sample in which the waker ended it, or NOT_ENDED */
	u32 lock;  /* number of the lock that the waker held; 0: none is known */
	u8 flags;  /* enum waking_flag */
	u8 kind;   /* enum wait_kind; WAIT_NONE: not known */
	bool is_ready;
	bool is_not_recorded; /* not a wait: time of which it is not known what the thread did */
	bool is_unknown;      /* for a lock whose holder is not known */
};

struct child_exit { /* a process has ended */
	u64 time;
	u32 parent; /* pid */
	u32 line;   /* of its last thread */
};

struct ended_wait { /* a sample of ended-waits */
	u64 place, time;
	u32 line, number;
};

struct numbered_block { /* where a block of the file is, and the number of its first sample */
	u64 offset, unpacked;
	u32 segment, first;
};

struct time_lines {
	ARRAY(struct time_line) v;
	struct hash_table by_tid;
	ARRAY(struct line_wait) waits;
	ARRAY(struct ended_wait) ended;      /* in the order of line, place, time */
	ARRAY(struct child_exit) children;   /* in the order of parent, time */
	ARRAY(struct numbered_block) blocks; /* in the order of the file */
	u32 nr_samples;
	struct hash_table by_lock;
	u64_array locks;     /* identities, by number - 1 */
	u64 begin, end;      /* of all records */
	u32 main;            /* line of the first program that was executed; NO_LINE: none */
	u64_array losses;    /* times at which records were missing before; in order */
	u64 run_ns;          /* time between samples of a thread that runs; 0: not known */
	u64 nr_vague, vague; /* waits without a time for each, and their ns */
};

struct wait_judgement { /* of a sample of waits */
	u8 kind;        /* enum wait_kind */
	bool is_held;   /* who ended the waits held the lock that they were for */
	bool is_unheld; /* they were for a lock, but it is not known who held it */
	u64 lock; /* equal in all waits for the same lock; 0: not known whether others waited for it, too */
};

/* Judges waits: fills in an empty judgement. */
struct wait_rule {
	void (*judge)(void *ctx, const struct sample *s, const struct wait_detail *d,
		      struct wait_judgement *j);
	void *ctx;
};

/* Knows no more than the system call: only mutexes wait in this way, but not only they. */
extern const struct wait_rule plain_wait_rule;

/* Does l have the events of perf record --off-cpu=locks? */
bool evlist__has_wait_details(const struct evlist *l);
/* Does it say when each wait began and ended? Also without the right to record who ended it. */
bool evlist__has_wait_times(const struct evlist *l);
/* Is it known of a recording what its threads did at each time? */
bool session__has_wait_times(const struct session *s);
/*
 * Read s. on_cpu: is the event a sample of time on the CPU, by its idx.
 * Return 0, or a negative errno with err.
 */
int time_lines__read(struct time_lines *t, struct session *s, const bool *on_cpu,
		     const struct wait_rule *rule, struct err *err);
void time_lines__exit(struct time_lines *t);
/* Return the index of a thread's line; NO_LINE: there is none. */
u32 time_lines__find(const struct time_lines *t, u32 tid);
/* Return the first sample of the block; false: there is no such block. */
bool time_lines__first(const struct time_lines *t, const struct block *b, u32 *number);

/* Return the last child of a process that ended in (from, to], or NULL. */
const struct child_exit *time_lines__child(const struct time_lines *t, u32 pid, u64 from, u64 to);

static inline u64 line_span__ns(const struct line_span *s)
{
	return s->end - s->begin;
}

#endif
