/*
 * Who wakes threads, for --off-cpu=locks: samples of the tracepoint sched:sched_waking. Its event is
 * "ended-waits" in the file (format/records/wait_detail.h); in the kernel it samples the thread that wakes,
 * with that thread's registers, and says in its payload whom it wakes. Threads are also woken in interrupts
 * and by other programs, so the event counts on whole CPUs, and wakings of threads that are not recorded are
 * dropped.
 *
 * In a system call, the registers are the arguments: so the futex of a wait and that of a waking are known.
 */
#ifndef RECORD_WAKINGS_H
#define RECORD_WAKINGS_H

#include "base/memory/hash.h"
#include "base/message/err.h"
#include "format/records/sample.h"
#include "record/stacks/wait_sums.h"

struct futex_call { /* arguments of futex(2) */
	u64 futex;
	u32 op;
	u32 value; /* the futex has it when the wait begins */
};

struct waking {
	u64 time;     /* ns; 0: unknown */
	u32 woken;    /* tid */
	u32 pid, tid; /* of who woke, or was interrupted */
	u32 flags;    /* enum waking_flag; WOKEN_BY_FUTEX: if the futex below is the one waited for */
	struct wait_place place;        /* of who woke; in interrupts: kernel_place */
	struct wait_place kernel_place; /* the kernel's instruction, and a number for its call chain */
	u64 futex;                      /* 0: the system call wakes no futex */
};

struct waking_fields { /* in the payload: offsets in bytes, of a u8 and a u32 */
	u32 flags, pid;
};

/* Return the registers that samples need, in perf's numbers: the place, and arguments of system calls. */
u64 wakings__regs(void);
/* Add the event "ended-waits" to l. Return 0; or a negative errno with err, which says what is missing. */
int wakings__add_event(struct evlist *l, struct err *err);
/* Find the fields in the kernel's format of the tracepoint. Return 0 or a negative errno with err. */
int waking_fields__read(struct waking_fields *f, struct err *err);
/* Get a waking from a sample as the kernel wrote it. Return false if it is too short. */
bool waking__read(struct waking *w, const struct waking_fields *f, const struct sample *s);

/* Say that an interrupt woke, not the thread that was interrupted. */
void waking__be_of_interrupt(struct waking *w);
/* Remove the thread and its user code from such a sample, decoded by d: it becomes shorter. */
void waking__cut_thread(struct perf_event_header *h, const struct sample_decoder *d);

struct waker_name {
	u32 pid, tid;
	u64 looked; /* ns, time of the waking for which the name was last looked up */
	char comm[64];
};

/* Threads that woke others and are not recorded themselves: names of some are in the file. */
struct waker_names {
	struct hash_table by_tid;
	ARRAY(struct waker_name) v;
	size_t id_size; /* of the trailer of records (build__id_size); 0: all threads are recorded */
	const struct evsel *event; /* whose trailers the records have */
};

/*
 * Append a COMM record for a thread that still exists, unless the file has one with this name. Programs of
 * threads that are not recorded may change unseen, and tids be reused: look again a second later. time: ns.
 */
void waker_names__add(struct waker_names *n, u32 pid, u32 tid, u64 time, struct strbuf *out);
/* Begin a file, which has no names. */
void waker_names__begin_file(struct waker_names *n);
void waker_names__exit(struct waker_names *n);

/* Find the place in user space of a sample with registers: instruction and stack pointer, or return false. */
bool sample__find_place(const struct sample *s, struct wait_place *place);
/*
 * Get the wait for a futex that the sample's thread is in, if the arguments of its system call look like one;
 * else 0 and NO_FUTEX.
 */
void sample__find_futex(const struct sample *s, struct futex_call *call);

#endif
