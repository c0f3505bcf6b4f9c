/*
 * Who ended a wait: the sample of sched:sched_waking or sched:sched_wakeup whose payload names the thread
 * that waited. Equal wakers (thread name, call chain) are one row.
 */
#ifndef PROFILE_WAKERS_H
#define PROFILE_WAKERS_H

#include "event/tracepoint/trace_format.h"
#include "profile/rows/rows.h"
#include "model/session.h"

struct waking {
	u64 time;
	u32 tid; /* of the thread that is woken */
	u32 row;
};

struct wakers {
	struct row_table rows;
	ARRAY(struct waking) wakings; /* in the order of tid, time */
};

/*
 * Read the wakings of s, whose tracepoints have these formats. Return 0; -ENOENT if no event records them; or
 * another negative errno, with err.
 */
int wakers__read(struct wakers *w, struct session *s, struct trace_formats *formats, struct err *err);
void wakers__exit(struct wakers *w);
/* Return 1 + the index in rows of who ended a wait; 0: unknown, or the sample is no wait. */
u64 wakers__of(const struct wakers *w, const struct sample *s);

#endif
