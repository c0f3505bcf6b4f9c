/*
 * Which lock a thread waited for, and who ended the wait: of recordings of perf record --off-cpu=locks
 * (format/records/wait_detail.h). A lock is known by the address of its futex, and by the functions on the
 * chain of the wait; who ended it by the sample of ended-waits with the same place.
 */
#ifndef PROFILE_LOCKS_H
#define PROFILE_LOCKS_H

#include "format/records/wait_detail.h"
#include "model/session.h"
#include "profile/waits/wait_kinds.h"

/* What the thread that ended a wait is to it. */
enum waker_role {
	ROLE_UNKNOWN,
	ROLE_HOLDER, /* it held the lock, and let it go */
	ROLE_SIGNALLER,
	ROLE_POSTER,
	ROLE_LAST, /* the last to arrive at a barrier */
	ROLE_ENDED,
	ROLE_WAKER, /* of a pipe, a socket, a child process, ... */
	ROLE_INTERRUPT,
	ROLE_KERNEL_THREAD,
};

/*
 * Return the role of who ended a wait for a lock of this kind (LOCK_NONE: for something else). facts: of the
 * waker's chain (enum waker_fact); 0 if it is not known. Only a role that is certain is named.
 */
enum waker_role waker_role__of(const struct wait_detail *d, enum lock_kind kind, u32 facts);

/* Return what the text of a holder begins with, such as "signalled by "; "" for ROLE_HOLDER. */
const char *waker_role__words(enum waker_role role);
/* Is the thread in the text of a holder one that held the lock? */
bool holder_text__is_holder(const char *text);

struct lock_wait {              /* what is known of a sample of offcpu-time, or of ended-waits */
	u64 time, addr, period; /* of the sample, as are tid and event (idx) */
	u32 tid, event;
	u32 lock;     /* text id: "mutex pool.lock"; 0: it is no wait for a lock */
	u32 holder;   /* text id: "worker 4711", "signalled by worker 4711", "interrupt"; 0: ended-waits */
	u32 lock_nr;  /* equal for waits for one lock, from 1 on; 0: it has no futex */
	u8 kind;      /* enum wait_kind */
	u8 lock_kind; /* enum lock_kind */
	u8 role;      /* enum waker_role, of holder_tid */
	u32 holder_pid, holder_tid; /* who ended it, if role says so; 0: not a thread */
};

struct locks {
	struct strpool texts;
	ARRAY(struct lock_wait) v; /* in the order of tid, time, addr, period, event */
};

/* Has a recording with these events details of waits? */
bool evlist__has_locks(const struct evlist *l);
/* Sort the waits, after all were added. */
void locks__sort(struct locks *l);
void locks__exit(struct locks *l); /* accepts an all-zero one */
/* Return what is known of a sample (sample__decode_head), or NULL. Thread-safe. */
const struct lock_wait *locks__find(const struct locks *l, const struct sample *s);

/* Return the name in the text of a lock: "pool.lock" of "mutex pool.lock", "worker" of "mutex of worker". */
const char *lock_text__name(const char *text);

static inline const char *locks__text(const struct locks *l, u32 text)
{
	return text < l->texts.strings.nr ? strpool__get(&l->texts, text) : "";
}

#endif
