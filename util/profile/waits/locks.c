#include "profile/waits/locks.h"

/* ---- who ended a wait ---- */

/* The role of a thread that woke another one by its own doing. */
static enum waker_role role__of_thread(const struct wait_detail *d, enum lock_kind kind, u32 facts)
{
	bool by_futex = d->flags & WOKEN_BY_FUTEX;

	switch (kind) {
	case LOCK_MUTEX:
	case LOCK_ONCE:
		return by_futex ? ROLE_HOLDER : ROLE_UNKNOWN;
	case LOCK_RWLOCK: /* a reader that got the lock wakes others */
		return by_futex && facts & WAKER_UNLOCKS ? ROLE_HOLDER : ROLE_UNKNOWN;
	case LOCK_CONDITION:
		return by_futex ? ROLE_SIGNALLER : ROLE_UNKNOWN;
	case LOCK_SEMAPHORE:
		return by_futex ? ROLE_POSTER : ROLE_UNKNOWN;
	case LOCK_BARRIER:
		return by_futex ? ROLE_LAST : ROLE_UNKNOWN;
	case LOCK_THREAD:
		return facts & WAKER_EXITS ? ROLE_ENDED : ROLE_UNKNOWN;
	case LOCK_KERNEL_MUTEX:
	case LOCK_KERNEL_RWLOCK:
		return facts & WAKER_UNLOCKS ? ROLE_HOLDER : ROLE_WAKER;
	default:
		return facts & WAKER_KERNEL_THREAD ? ROLE_KERNEL_THREAD : ROLE_WAKER;
	}
}

enum waker_role wait_detail__role(const struct wait_detail *d, enum lock_kind kind, u32 facts)
{
	/* the thread's own call led to the work of a soft interrupt, such as a packet for this machine */
	bool is_own = !(facts & WAKER_INTERRUPT) && facts & WAKER_SOFTIRQ && facts & WAKER_SENDS;

	if (d->flags & WOKEN_BY_HARDIRQ || (d->flags & WOKEN_BY_SOFTIRQ && !is_own))
		return ROLE_INTERRUPT;
	if (!(d->flags & WOKEN_BY_THREAD) || !d->tid)
		return ROLE_UNKNOWN;
	return role__of_thread(d, kind, facts);
}
