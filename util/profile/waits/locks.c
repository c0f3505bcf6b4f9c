#include "profile/waits/locks.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

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
		return by_futex || facts & WAKER_EXITS ? ROLE_ENDED : ROLE_UNKNOWN;
	case LOCK_KERNEL_MUTEX:
	case LOCK_KERNEL_RWLOCK:
		return facts & WAKER_UNLOCKS ? ROLE_HOLDER : ROLE_WAKER;
	default:
		return facts & WAKER_KERNEL_THREAD || (d->flags & WOKEN_BY_KERNEL && !(facts & WAKER_DIES))
			       ? ROLE_KERNEL_THREAD
			       : ROLE_WAKER;
	}
}

enum waker_role waker_role__of(const struct wait_detail *d, enum lock_kind kind, u32 facts)
{
	/* the thread's own call led to the work of a soft interrupt, such as a packet for this machine */
	bool is_own = !(facts & WAKER_INTERRUPT) && facts & WAKER_SOFTIRQ && facts & WAKER_SENDS;

	if (d->flags & WOKEN_BY_HARDIRQ || (d->flags & WOKEN_BY_SOFTIRQ && !is_own))
		return ROLE_INTERRUPT;
	if (!(d->flags & WOKEN_BY_THREAD) || !d->tid)
		return ROLE_UNKNOWN;
	return role__of_thread(d, kind, facts);
}

const char *waker_role__words(enum waker_role role)
{
	static const char *const words[] = {
		[ROLE_UNKNOWN] = "unknown",
		[ROLE_HOLDER] = "",
		[ROLE_SIGNALLER] = "signalled by ",
		[ROLE_POSTER] = "posted by ",
		[ROLE_LAST] = "last to arrive: ",
		[ROLE_ENDED] = "ended: ",
		[ROLE_WAKER] = "woken by ",
		[ROLE_INTERRUPT] = "interrupt",
		[ROLE_KERNEL_THREAD] = "kernel thread ",
	};

	return words[role];
}

bool holder_text__is_holder(const char *text)
{
	for (int role = ROLE_UNKNOWN; role <= ROLE_KERNEL_THREAD; role++) {
		const char *words = waker_role__words((enum waker_role)role);

		if (role != ROLE_HOLDER && !strncmp(text, words, strlen(words)))
			return false;
	}
	return *text;
}

/* ---- waits ---- */

static int compare_waits(const void *x, const void *y)
{
	const struct lock_wait *a = x, *b = y;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->period != b->period)
		return a->period < b->period ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

void locks__sort(struct locks *l)
{
	if (l->v.nr)
		qsort(l->v.v, l->v.nr, sizeof(*l->v.v), compare_waits);
}

bool evlist__has_locks(const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (evsel__wait_event(l->evsels.v[i]) == WAIT_EVENT_OFF_CPU &&
		    l->evsels.v[i]->attr.sample_type & PERF_SAMPLE_RAW)
			return true;
	return false;
}

void locks__exit(struct locks *l)
{
	if (l->texts.strings.nr)
		strpool__exit(&l->texts);
	array__exit(&l->v);
}

const struct lock_wait *locks__find(const struct locks *l, const struct sample *s)
{
	const struct lock_wait at = {
		.time = s->time, .addr = s->addr, .period = s->period, .tid = s->tid, .event = s->evsel->idx
	};
	enum wait_event event = l->v.nr ? evsel__wait_event(s->evsel) : WAIT_EVENT_NONE;

	if (event != WAIT_EVENT_OFF_CPU && event != WAIT_EVENT_ENDED)
		return NULL;
	return bsearch(&at, l->v.v, l->v.nr, sizeof(*l->v.v), compare_waits);
}

const char *lock_text__name(const char *text)
{
	for (int i = LOCK_NONE + 1; i < LOCK_NR_KINDS; i++) {
		const char *kind = lock_kind__name((enum lock_kind)i);
		size_t len = strlen(kind);

		if (strncmp(text, kind, len) != 0 || text[len] != ' ')
			continue;
		text += len + 1;
		return !strncmp(text, "of ", 3) || !strncmp(text, "in ", 3) ? text + 3 : text;
	}
	return text;
}
