/*
 * Idle waits: a thread waits because it has nothing to do, not because something keeps it from its work.
 * Nothing in a recording says so; these rules decide:
 *
 *  - The wait for a thread or a child process to end is idle: what is waited for is in the table, too.
 *  - A wait of a kind in which threads wait for work (poll, accept, a signal ...: wait_kinds.h) is idle if
 *    the thread spends at least half of its recorded time in it, at this place with these callers. A sleep
 *    is idle if it is also repeated: at least IDLE_SLEEPS times.
 *  - A CPU's idle thread (tid 0) is idle when it runs.
 */
#ifndef PROFILE_IDLE_H
#define PROFILE_IDLE_H

#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "profile/waits/wait_kinds.h"

struct view;
struct fold;

enum { IDLE_SLEEPS = 3 };

struct thread_time {
	u32 tid;
	u64 ns; /* on the CPU and waiting */
};

struct idle {
	ARRAY(struct thread_time) threads;
	struct hash_table by_tid;
};

/* Are waits of a thread at one place, so many and so long, idle? thread_ns: all of the thread's time. */
bool wait__is_idle(enum wait_kind kind, u64 nr, u64 ns, u64 thread_ns);

void idle__exit(struct idle *idle);
/* Add time to a thread's. */
void idle__count(struct idle *idle, u32 tid, u64 ns);
/* Return the time of a thread, ns. */
u64 idle__of_thread(const struct idle *idle, u32 tid);
/* Give the leaf of a fold's chain a place of its own, which is idle. */
void fold__mark_idle(struct fold *f, struct view *v);
/*
 * Mark the folds of v that are idle waits. Set v->idle_ns to the time of those that the totals count. With
 * --no-idle, drop all idle folds. is_in_sums: do the totals count a fold?
 */
void view__mark_idle(struct view *v, const struct idle *idle,
		     bool (*is_in_sums)(struct view *v, const struct fold *f));

#endif
