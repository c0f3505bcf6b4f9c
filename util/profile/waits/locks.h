/*
 * Which lock a thread waited for, and who held it: of recordings of perf record --off-cpu=locks
 * (format/records/wait_detail.h).
 */
#ifndef PROFILE_LOCKS_H
#define PROFILE_LOCKS_H

#include "format/records/wait_detail.h"
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
enum waker_role wait_detail__role(const struct wait_detail *d, enum lock_kind kind, u32 facts);

#endif
