/*
 * Where the time of spans goes: how long the thread of a span was on the CPU in it, was ready without
 * running, and waited, for which reason. Of recordings that know when threads waited (perf record
 * --off-cpu=locks).
 *
 *	span_times__read(&t, session, &err);
 *	span_cursor__init(&c, &t);
 *	for (each span of a span_set, in its order)
 *		span_cursor__seek(&c, span), c.parts: the times in it, which add up to its duration
 */
#ifndef PROFILE_SPAN_TIMES_H
#define PROFILE_SPAN_TIMES_H

#include "profile/spans/span_set.h"
#include "profile/waits/locks.h"
#include "profile/waits/time_lines.h"

#define READY_WORDS "ready, not running" /* as span_reason__add_words has it */

enum { SPAN_ON_CPU, SPAN_READY, SPAN_FIRST_WAIT }; /* the first reasons: indices in span_times.reasons */

struct span_reason {  /* what time of a span passes with */
	u8 kind;      /* enum wait_kind; WAIT_NONE: on the CPU; WAIT_RUNNABLE: ready */
	u8 lock_kind; /* enum lock_kind */
	u16 role;     /* enum waker_role of the holder */
	u32 lock;     /* text id in locks.texts: "mutex db_lock"; 0: the wait was for no lock */
	u32 holder;   /* text id: "flush_log 4711", "signalled by worker 4711"; 0: not known */
	u32 tid;      /* of the holder; 0: not a thread */
};

struct span_times {
	struct time_lines lines;
	struct locks locks;
	ARRAY(struct span_reason) reasons; /* each is there once */
	ARRAY(u32) of_waits;               /* index in reasons, by index in lines.waits */
	struct hash_table by_reason;
};

struct span_part {
	u32 reason; /* index in span_times.reasons */
	u64 ns;     /* more than 0 */
};

struct span_cursor {
	const struct span_times *times;
	ARRAY(struct span_part) parts; /* of the span sought last, in the order of reason */
	u64 *ns;                       /* by reason */
	u32 tid, line;                 /* of that span */
	size_t at;                     /* its first wait in the line, or the one after it */
};

/*
 * Read when the threads of a recording waited, and why. Return 0, or a negative errno with err; -ENOENT: the
 * recording does not know when threads waited. Exit t in any case.
 */
int span_times__read(struct span_times *t, struct session *s, struct err *err);
void span_times__exit(struct span_times *t);

void span_cursor__init(struct span_cursor *c, const struct span_times *t);
void span_cursor__exit(struct span_cursor *c);
/* Set c->parts to what the time of the span passed with. Fastest in the order of span_set.v. */
void span_cursor__seek(struct span_cursor *c, const struct span *s);

/* Append who ended the waits, without the number of the thread: "flush_log"; nothing if it is not known. */
void span_reason__add_holder_name(const struct span_reason *r, const struct locks *l, struct strbuf *sb);
/*
 * Append what a reason is: "on the CPU", "ready, not running", "sleep", "mutex db_lock, held by flush 4711".
 * Names are not masked.
 */
void span_reason__add_words(const struct span_reason *r, const struct locks *l, struct strbuf *sb);

#endif
