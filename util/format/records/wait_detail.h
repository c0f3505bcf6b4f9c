/*
 * What perf record --off-cpu=locks knows of a wait beyond its place and time: in the RAW data of samples of
 * the three events that such a recording has. Programs that do not know them show bytes.
 *
 *	offcpu-time	a thread waited. tid, chain: it; period: ns; weight: number of waits; addr: the futex,
 *			0: none; other: who woke it; spans: each of the waits
 *	ended-waits	a thread ended waits of others. tid, chain: it, when it woke them; 0 in an interrupt;
 *			period: ns that the others waited; weight: number of waits; addr: the futex;
 *			other: who was woken last; no spans
 *	ready-time	a thread was ready to run and did not, after it was created, woken or preempted; no
 *			chain; period: ns; weight: how often; spans: not those after a waking
 *
 * Layout, in the byte order of the recording: u32 magic, futex_op, flags, pid, tid, nr_spans; u64 place; then
 * for each span three numbers (LEB128): ns from its end to the sample's time, from begin to end, and from
 * woken to end; then zeros up to a multiple of 8 with the word of the size before it.
 */
#ifndef FORMAT_WAIT_DETAIL_H
#define FORMAT_WAIT_DETAIL_H

#include "base/memory/array.h"
#include "base/memory/cursor.h"
#include "base/text/strbuf.h"

#include <stdbool.h>

struct evsel;

#define WAIT_DETAIL_MAGIC 0x54494157u /* "WAIT" read as a little-endian word */
#define NO_FUTEX UINT32_MAX

/* How a thread was woken. The bits are not set if it is not known who woke it. */
enum waking_flag {
	WOKEN_BY_FUTEX = 1,   /* by a system call that wakes waiters of the same futex */
	WOKEN_BY_HARDIRQ = 2, /* by an interrupt: other is who was interrupted */
	WOKEN_BY_SOFTIRQ = 4, /* in a soft interrupt, which may be part of what other did */
	WOKEN_BY_KERNEL = 16, /* other is a thread of the kernel, or a task that exits */
	WOKEN_BY_THREAD = 8,  /* other is known */
};

struct wait_span { /* ns, of the recording's clock */
	u64 begin;
	u64 woken; /* from here on the thread was ready; end: it is not known when */
	u64 end;   /* the thread runs */
};

struct wait_detail {
	/* second argument of futex(2), with FUTEX_PRIVATE_FLAG; NO_FUTEX: unknown, or no futex */
	u32 futex_op;
	u32 flags;    /* enum waking_flag */
	u32 pid, tid; /* other */
	u64 place; /* of who woke: equal in a wait and in the sample of ended-waits with the chain; 0: none */
	u32 nr_spans;
	/* the spans, encoded; in the record */
	struct cursor spans;
	u64 time; /* of the sample */
};

enum wait_event { WAIT_EVENT_NONE, WAIT_EVENT_OFF_CPU, WAIT_EVENT_ENDED, WAIT_EVENT_READY };

/* Which of the three is the event? By its name; offcpu-time need not have details. */
enum wait_event evsel__wait_event(const struct evsel *e);

/*
 * Decode the RAW data of a sample with this time (ns). swap: the recording has the other byte order. Return
 * false if it is no such detail. d points into data.
 */
bool wait_detail__decode(struct wait_detail *d, const void *data, size_t size, u64 time, bool swap);
/* Decode the next span. Return false after the last one, or if it is not in the data. */
bool wait_detail__next(struct wait_detail *d, struct wait_span *span);
/*
 * Append the RAW field of a sample with this time (ns): its size in a word, and d with these spans, which end
 * at time at the latest.
 */
void wait_detail__encode(const struct wait_detail *d, const struct wait_span *spans, u32 nr, u64 time,
			 struct strbuf *out);

#endif
