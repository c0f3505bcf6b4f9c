/*
 * Recordings of perf record --off-cpu=locks, and of spans (--span), whose threads do what a test says. Times
 * are in ns from START on.
 */
#ifndef TESTS_WAITS_IMAGE_H
#define TESTS_WAITS_IMAGE_H

#include "format/read/features.h"
#include "format/records/span_detail.h"
#include "format/records/wait_detail.h"
#include "image.h"

#include <linux/futex.h>
#include <stdlib.h>

enum { ON_CPU, WAITS, ENDED, READY, NR_EVENTS, MOST_EVENTS = NR_EVENTS + 4 };
enum { RUN_NS = 250 }; /* between samples of a thread that runs */
enum { PRIVATE_WAIT = FUTEX_WAIT | FUTEX_PRIVATE_FLAG, BY_FUTEX = WOKEN_BY_THREAD | WOKEN_BY_FUTEX };

#define START 1000000000ull
#define WAITS_PID 10u
#ifdef __aarch64__
#define WAITS_REGS (3ull << 31) /* sp, pc */
#else
#define WAITS_REGS (3ull << 7)
#endif

struct waits_image {
	struct image im;
	struct perf_event_attr attrs[MOST_EVENTS];
	const char *const *names;
	u32 nr_events;
	u32 nr_samples;
	u64 type; /* of sample_type: what its samples have in addition */
	/* with PERF_SAMPLE_CALLCHAIN: the chain of the samples that follow, which waits__chain sets */
	u64 chain[16], nr_chain;
	u64 copied_ip; /* with PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER: in the registers */
};

static const char *const waits_names[NR_EVENTS] = { "cpu-clock", "offcpu-time", "ended-waits", "ready-time" };

/* A recording with other events: the first is a clock, and the others have RAW data. type: as in w */
IMAGE_FN void waits__begin_typed(struct waits_image *w, const char *const *names, u32 nr, u64 type)
{
	size_t ids = 104 + nr * 128;

	if (nr < 1 || nr > MOST_EVENTS)
		abort();
	*w = (struct waits_image){ .names = names, .nr_events = nr, .type = type };
	image__init(&w->im, false);
	image__file_header(&w->im, nr, 112, 0);
	for (u32 i = 0; i < nr; i++) {
		w->attrs[i] =
			image__cpu_clock(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | type |
					 (i == ON_CPU ? 0 : PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT));
		w->attrs[i].sample_id_all = 1;
		if (type & PERF_SAMPLE_STACK_USER) {
			w->attrs[i].sample_regs_user = WAITS_REGS;
			w->attrs[i].sample_stack_user = 8;
		}
		if (i != ON_CPU)
			w->attrs[i].config = PERF_COUNT_SW_BPF_OUTPUT;
		image__attr_entry(&w->im, &w->attrs[i], 112, ids + 8 * i, 8);
	}
	for (u32 i = 0; i < nr; i++)
		image__u64(&w->im, 100 + i);
	image__put_u64(&w->im, 40, w->im.b.len);
}

IMAGE_FN void waits__begin_events(struct waits_image *w, const char *const *names, u32 nr)
{
	waits__begin_typed(w, names, nr, 0);
}

IMAGE_FN void waits__begin(struct waits_image *w)
{
	waits__begin_events(w, waits_names, NR_EVENTS);
}

static void waits__trailer(struct waits_image *w, u32 tid, u64 time)
{
	image__u32(&w->im, WAITS_PID);
	image__u32(&w->im, tid);
	image__u64(&w->im, time ? START + time : 0);
	image__u64(&w->im, 100);
	image__end(&w->im);
}

/* A file in memory, of all threads or (misc is PERF_RECORD_MISC_KERNEL) of the kernel. */
IMAGE_FN void waits__map(struct waits_image *w, u16 misc, u64 start, u64 len, u64 pgoff, const char *name)
{
	image__begin(&w->im, PERF_RECORD_MMAP, misc);
	image__u32(&w->im, misc == PERF_RECORD_MISC_KERNEL ? UINT32_MAX : WAITS_PID);
	image__u32(&w->im, misc == PERF_RECORD_MISC_KERNEL ? 0 : WAITS_PID);
	image__u64(&w->im, start);
	image__u64(&w->im, len);
	image__u64(&w->im, pgoff);
	image__str(&w->im, name, ROUND_UP(strlen(name) + 1, 8));
	waits__trailer(w, WAITS_PID, 0);
}

/* Set the chain of the samples that follow: up to the first 0. */
IMAGE_FN void waits__chain(struct waits_image *w, const u64 *chain)
{
	for (w->nr_chain = 0; w->nr_chain < ARRAY_SIZE(w->chain) && chain[w->nr_chain]; w->nr_chain++)
		w->chain[w->nr_chain] = chain[w->nr_chain];
}

/* time 0: the thread was there before */
IMAGE_FN void waits__comm(struct waits_image *w, u32 tid, const char *comm, bool exec, u64 time)
{
	image__begin(&w->im, PERF_RECORD_COMM, exec ? MISC_COMM_EXEC : 0);
	image__u32(&w->im, WAITS_PID);
	image__u32(&w->im, tid);
	image__str(&w->im, comm, 16);
	waits__trailer(w, tid, time);
}

static void waits__task(struct waits_image *w, u32 type, u32 tid, u32 parent, u64 time)
{
	image__begin(&w->im, type, 0);
	image__u32(&w->im, WAITS_PID);
	image__u32(&w->im, WAITS_PID);
	image__u32(&w->im, tid);
	image__u32(&w->im, parent);
	image__u64(&w->im, START + time);
	waits__trailer(w, tid, time);
}

IMAGE_FN void waits__fork(struct waits_image *w, u32 tid, u32 parent, u64 time)
{
	waits__task(w, PERF_RECORD_FORK, tid, parent, time);
}

IMAGE_FN void waits__exit(struct waits_image *w, u32 tid, u64 time)
{
	waits__task(w, PERF_RECORD_EXIT, tid, tid, time);
}

/* Records were lost before this time. */
IMAGE_FN void waits__lost(struct waits_image *w, u64 time)
{
	image__begin(&w->im, PERF_RECORD_LOST, 0);
	image__u64(&w->im, 100);
	image__u64(&w->im, 1);
	waits__trailer(w, 0, time);
}

static u32 waits__begin_sample(struct waits_image *w, u32 event, u32 tid, u64 time, u64 addr, u64 period)
{
	bool is_kernel = w->nr_chain && w->chain[0] == PERF_CONTEXT_KERNEL;

	image__begin(&w->im, PERF_RECORD_SAMPLE, is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	image__u64(&w->im, 100 + event);
	image__u64(&w->im, w->nr_chain > 1 ? w->chain[1] : 0x1000 + tid);
	image__u32(&w->im, WAITS_PID);
	image__u32(&w->im, tid);
	image__u64(&w->im, START + time);
	image__u64(&w->im, addr);
	image__u64(&w->im, period);
	if (w->type & PERF_SAMPLE_CALLCHAIN) {
		image__u64(&w->im, w->nr_chain);
		for (u64 i = 0; i < w->nr_chain; i++)
			image__u64(&w->im, w->chain[i]);
	}
	return w->nr_samples++;
}

/* Stack pointer and address, and a word of the stack. */
static void waits__add_stack_copy(struct waits_image *w)
{
	if (!(w->type & PERF_SAMPLE_STACK_USER))
		return;
	image__u64(&w->im, PERF_SAMPLE_REGS_ABI_64);
	image__u64(&w->im, 0x7fff0000);
	image__u64(&w->im, w->copied_ip);
	image__u64(&w->im, 8);
	image__u64(&w->im, 0);
	image__u64(&w->im, 8);
}

/* All return the number of the sample. */
IMAGE_FN u32 waits__run(struct waits_image *w, u32 tid, u64 time)
{
	u32 nr = waits__begin_sample(w, ON_CPU, tid, time, 0, RUN_NS);

	waits__add_stack_copy(w);
	image__end(&w->im);
	return nr;
}

IMAGE_FN u32 waits__details(struct waits_image *w, u32 event, u32 tid, u64 time, u64 addr,
			    const struct wait_detail *d, const struct wait_span *spans, u32 nr_spans)
{
	struct wait_span at[64];
	u64 period = 0;
	u32 nr;

	for (u32 i = 0; i < nr_spans; i++) {
		at[i] = (struct wait_span){ START + spans[i].begin, START + spans[i].woken,
					    START + spans[i].end };
		period += spans[i].end - spans[i].begin;
	}
	nr = waits__begin_sample(w, event, tid, time, addr, period);
	wait_detail__encode(d, at, nr_spans, START + time, &w->im.b);
	waits__add_stack_copy(w);
	image__u64(&w->im, nr_spans);
	image__end(&w->im);
	return nr;
}

/* A wait of tid for a lock, which waker ended: a sample of its own. place: of the waker; 0: none */
IMAGE_FN u32 waits__lock(struct waits_image *w, u32 tid, u64 begin, u64 woken, u64 end, u64 lock, u32 waker,
			 u64 place)
{
	const struct wait_detail d = { .futex_op = PRIVATE_WAIT,
				       .flags = waker ? BY_FUTEX : 0,
				       .pid = WAITS_PID,
				       .tid = waker,
				       .place = place };
	const struct wait_span span = { begin, woken, end };

	return waits__details(w, WAITS, tid, end, lock, &d, &span, 1);
}

/* A wait for something else. */
IMAGE_FN u32 waits__wait(struct waits_image *w, u32 tid, u64 begin, u64 woken, u64 end, u32 waker, u32 flags)
{
	const struct wait_detail d = { .futex_op = NO_FUTEX, .flags = flags, .pid = WAITS_PID, .tid = waker };
	const struct wait_span span = { begin, woken, end };

	return waits__details(w, WAITS, tid, end, 0, &d, &span, 1);
}

IMAGE_FN u32 waits__ended(struct waits_image *w, u32 tid, u64 time, u64 place)
{
	const struct wait_detail d = { .futex_op = PRIVATE_WAIT, .place = place };

	return waits__details(w, ENDED, tid, time, 0, &d, NULL, 0);
}

/* preempted from begin to end; both 0: only the ready parts of waits */
IMAGE_FN u32 waits__ready(struct waits_image *w, u32 tid, u64 time, u64 begin, u64 end)
{
	const struct wait_detail d = { .futex_op = NO_FUTEX };
	const struct wait_span span = { begin, begin, end };

	return waits__details(w, READY, tid, time, 0, &d, &span, end ? 1 : 0);
}

/*
 * Spans of tid, which end at time at the latest: a sample of an event "span:NAME". d: all but the spans
 * of the sample; its period and weight are those of the spans.
 */
IMAGE_FN u32 waits__spans(struct waits_image *w, u32 event, u32 tid, u64 time, const struct span_detail *d,
			  const struct span_time *spans, u32 nr_spans)
{
	struct span_time *at = xcalloc(nr_spans + 1, sizeof(*at));
	u64 period = 0;
	u32 nr;

	for (u32 i = 0; i < nr_spans; i++) {
		at[i] = (struct span_time){ START + spans[i].begin, START + spans[i].end };
		period += (spans[i].end - spans[i].begin) * d->step;
	}
	nr = waits__begin_sample(w, event, tid, time, 0, period);
	span_detail__encode(d, at, nr_spans, START + time, &w->im.b);
	waits__add_stack_copy(w);
	image__u64(&w->im, (u64)nr_spans * d->step);
	image__end(&w->im);
	free(at);
	return nr;
}

/* A span of tid: a sample of its own. */
IMAGE_FN u32 waits__span(struct waits_image *w, u32 event, u32 tid, u64 begin, u64 end)
{
	const struct span_detail d = { .step = 1 };
	const struct span_time span = { begin, end };

	return waits__spans(w, event, tid, end, &d, &span, 1);
}

/* Add the names of the events. */
IMAGE_FN void waits__end(struct waits_image *w)
{
	struct image *im = &w->im;
	size_t table = im->b.len, at;

	image__end_data(im);
	table = im->b.len;
	image__u64(im, 0);
	image__u64(im, 0);
	at = im->b.len;
	image__u32(im, w->nr_events);
	image__u32(im, 112);
	for (u32 i = 0; i < w->nr_events; i++) {
		image__attr(im, &w->attrs[i], 112);
		image__u32(im, 1);
		image__feature_str(im, w->names[i]);
		image__u64(im, 100 + i);
	}
	image__put_u64(im, table, at);
	image__put_u64(im, table + 8, im->b.len - at);
	image__put_u64(im, 72, 1ull << FEATURE_EVENT_DESC);
}

#endif
