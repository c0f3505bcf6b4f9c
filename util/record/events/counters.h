/*
 * All counters of a recording: every event on every CPU (or thread), and the rings they write to.
 */
#ifndef RECORD_COUNTERS_H
#define RECORD_COUNTERS_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "event/evsel/evsel.h"
#include "live/counter.h"
#include "live/ring.h"
#include "record/target/target.h"

enum { DRAIN_MS = 500 }; /* rings are emptied at least this often, so that a killed recorder loses little */

struct counter {
	int fd;
	u32 evsel;    /* idx */
	u32 piece;    /* of a watchpoint's pieces */
	int cpu, tid; /* -1: any */
	u64 id;
	u64 read_format; /* as it was opened; the file's is without the times, if they were not asked for */
	u32 ring;        /* index of the ring it writes to, in rings or flight_rings */
	bool has_sizes;  /* the event is opened for each of stack_sizes, this one for that of index size */
	u32 size;
	bool is_off; /* until somebody enables it, in whatever size */
};

enum { STACK_SIZES_MAX = 3 };

struct counters {
	ARRAY(struct counter) v;
	ARRAY(struct ring) rings;
	ARRAY(struct ring) flight_rings; /* of the events with write_backward */
	struct counter_missing missing;
	u32 pages;           /* of data in each ring, after shrinking to what may be locked */
	bool shrunk;         /* rings are smaller than asked for */
	u32 side_band_pages; /* of the other rings, when only the side-band goes there; 0: it does not */
	/*
	 * Of the stack copies that events ask for, in bytes; set before __open. How large they are is fixed
	 * with the opening, so an event is opened once more for each size behind the first, and all but one
	 * are off.
	 */
	u32 stack_sizes[STACK_SIZES_MAX];
	unsigned nr_sizes; /* 0 and 1: no choice */
	unsigned size;     /* index of the one that is on */
	bool armed; /* by counters__enable, or by the exec of the workload: what is placed later counts at
		       once */
};

/*
 * Finds out for every event how this kernel will have it, on one CPU: less precise, without newer bits,
 * without the kernel where only user space may be sampled, and cpu-clock in place of cycles where there is no
 * hardware (as stock, for the default and for cycles asked for by name). l's attrs and names say what it came
 * to. 0, or a negative errno with err saying what blocks and what to type.
 */
struct counters_settled {
	bool user_only; /* the kernel was left out of an event that would have had it */
	bool fell_back; /* cpu-clock stands for cycles */
	bool had_tracepoint;
};
int counters__settle(struct counters *c, struct evlist *l, const struct target *t,
		     struct counters_settled *settled, struct err *err);

/* What was found missing since holds for all events: the file must say what was opened. */
void counters__apply_missing(const struct counters *c, struct evlist *l);
/*
 * Finds out whether the kernel takes the groups, after __settle. A weak one that it does not take becomes
 * single events with was_broken_up, and *broke_up is set: their attrs are to be completed again. 0, or a
 * negative errno with err.
 */
int counters__settle_groups(struct counters *c, struct evlist *l, const struct target *t, bool *broke_up,
			    struct err *err);

/*
 * Opens everything, maps rings of pages (a power of two), fills the evsels' ids. Threads that are gone by now
 * are left out; -ESRCH when all are. c->shrunk: rings had to be made smaller to stay under the limits on
 * locked memory.
 */
int counters__open(struct counters *c, struct evlist *l, const struct target *t, u32 pages, struct err *err);
/* Whether e carries nothing but the side-band: a dummy that attr_opts__apply added, or the user's own. */
bool counters__is_tracking(const struct evsel *e);
/* Arms (or disarms) all events but the tracking one. */
void counters__enable(struct counters *c, const struct evlist *l, bool on);
/*
 * Has events make stack copies of another size, from now on: an index in stack_sizes. Between two sizes
 * nothing is lost; what happens in the moment in which both are on is sampled twice.
 */
void counters__use_size(struct counters *c, unsigned size);
/* One event only. The tracking one stays as it is. */
void counters__enable_event(struct counters *c, const struct evsel *e, bool on);
/* Arms those that count on whole processors, which no exec arms. */
void counters__enable_everywhere(struct counters *c, const struct evlist *l);
/*
 * Puts the watchpoint of e where its variable is, bias behind its address as linked: the counters of these
 * threads (ascending; NULL: all) and of those that inherited them. Until then it watches nothing. opened: e's
 * attr as it was when the counters were opened, all of which must stay. -EINVAL and others: the kernel said
 * no (4.17 and newer can).
 */
int counters__place(struct counters *c, const struct evsel *e, const struct perf_event_attr *opened,
		    const int_array *tids, u64 bias);
/* Begin a round: have each ring show what it holds by now (ring__begin). */
void counters__begin_round(struct counters *c);
void counters__exit(struct counters *c);

#endif
